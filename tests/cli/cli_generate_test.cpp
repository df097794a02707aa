#include <catch2/catch.hpp>

#include <set>

#include "cli/cli_fixture.hpp"

using Catch::Matchers::Contains;
using cli::Json;
using cli::Run;

namespace {

std::string four_bar() { return cli::quoted(cli::robot("four_bar")); }
std::string place(const std::string& name) { return (cli::folder() / name).string(); }

}  // namespace

TEST_CASE("grbda generate writes a header and a source that compile, and describes them") {
    const Run run = cli::run("generate " + four_bar() + " -o " + cli::quoted(place("arm")) +
                             " --algorithms aba,close,poses --frame link3 --batch 8 --wrenches");
    INFO(run.err);
    REQUIRE(run.exit == 0);
    for (const char* function : {"aba ", "aba_wrenches ", "close_step ", "poses "})
        CHECK_THAT(run.out, Contains(function));
    const std::string header = cli::content(place("arm.h"));
    for (const char* text :
         {"#define ARM_NQ 3", "#define ARM_FRAMES 1", "int arm_close(double* q);", "arm_aba_batch(",
          "int arm_self_check(void);", "joint1, joint2, joint3", "link3"})
        CHECK_THAT(header, Contains(text));
    cli::written("main.c", "#include \"arm.h\"\nint main(void) { return arm_self_check(); }\n");
    const Run built = cli::shell("cd " + cli::quoted(cli::folder().string()) +
                                 " && cc -O1 -Wall -Wextra -Werror main.c arm.c -o checked -lm && ./checked");
    INFO(built.err);
    CHECK(built.exit == 0);
}

TEST_CASE("grbda generate's report as JSON has every key on the page") {
    const Run run = cli::run("generate " + four_bar() + " --json -o " + cli::quoted(place("json")));
    REQUIRE(run.exit == 0);
    const Json report = run.json();
    REQUIRE(report["functions"].size() == 3);
    const std::string page =
        cli::content(std::filesystem::path(GRBDA_ROBOTS).parent_path() / "docs" / "generated.md");
    std::set<std::string> keys{"functions"};
    for (const auto& [key, value] : report["functions"][0].items()) keys.insert(key);
    for (const std::string& key : keys) CHECK_THAT(page, Contains("`" + key + "`"));
    const Json& aba = report["functions"][0];
    CHECK(aba["name"] == "aba");
    CHECK(aba["operations"].get<int>() < aba["recorded"].get<int>() / 4);
}

TEST_CASE("grbda generate makes the folder that its files go to") {
    const Run run = cli::run("generate " + four_bar() + " -o " + cli::quoted(place("new/controller/arm")));
    CHECK(run.exit == 0);
    CHECK(std::filesystem::exists(place("new/controller/arm.h")));
    CHECK(std::filesystem::exists(place("new/controller/arm.c")));
}

TEST_CASE("grbda generate takes for each function the form with the fewest operations") {
    const auto operations = [](const std::string& options) {
        std::vector<int> numbers;
        const Run run = cli::run("generate " + cli::quoted(cli::robot("digit_leg")) + " --json -o " +
                                 cli::quoted(place("leg")) + " --algorithms aba,crba " + options);
        REQUIRE(run.exit == 0);
        const Json report = run.json();
        for (const Json& function : report["functions"]) numbers.push_back(function["operations"].get<int>());
        return numbers;
    };
    const std::vector<int> best = operations(""), jacobians = operations("--form jacobians"),
                           tree = operations("--form tree");
    for (std::size_t i = 0; i < best.size(); ++i) CHECK(best[i] <= std::min(jacobians[i], tree[i]));
}

TEST_CASE("grbda generate writes steps for solvers, and functions for CasADi") {
    const std::string crank = cli::quoted(
        (std::filesystem::path(GRBDA_ROBOTS).parent_path() / "examples" / "mpc" / "four_bar.urdf").string());
    const Run run =
        cli::run("generate " + crank + " -o " + cli::quoted(place("crank")) +
                 " --step rk4 --joint-forces --gravity 0,-9.81,0 --hessian --abi casadi --frame rocker");
    INFO(run.err);
    REQUIRE(run.exit == 0);
    const std::string header = cli::content(place("crank.h"));
    for (const char* text : {"#define CRANK_NX 2", "#define CRANK_COLUMNS 4", "Gravity 0.0 -9.81 0.0",
                             "int crank_step(", "int crank_step_jacobian(", "int crank_step_hessian(",
                             "crank_casadi_frames(y, yd, q_ref)", "Runge-Kutta"})
        CHECK_THAT(header, Contains(text));
    cli::written("crank_main.c", "#include \"crank.h\"\nint main(void) { return crank_self_check(); }\n");
    for (const char* compiler : {"cc", "c++ -x c++"}) {
        const Run built =
            cli::shell("cd " + cli::quoted(cli::folder().string()) + " && " + compiler +
                       " -O1 -Wall -Wextra -Werror crank_main.c crank.c -o crank_checked -lm && "
                       "./crank_checked");
        INFO(built.err);
        CHECK(built.exit == 0);
    }
}

TEST_CASE("the header lists the motors in the order of u") {
    const std::filesystem::path leg =
        std::filesystem::path(GRBDA_ROBOTS).parent_path() / "examples" / "solvers" / "jumper.urdf";
    for (const auto& [inputs, meaning] : {std::pair("motors", "u [NU]: forces of the motors of knee, crank."),
                                          std::pair("independent", "u [NU]: tau.")}) {
        const Run run = cli::run("generate " + cli::quoted(leg.string()) + " -o " +
                                 cli::quoted(place("leg")) + " --step euler --inputs " + inputs);
        INFO(run.err);
        REQUIRE(run.exit == 0);
        CHECK_THAT(cli::content(place("leg.h")), Contains(meaning));
    }
}

TEST_CASE("grbda generate stores matrices by columns if asked") {
    const Run run = cli::run("generate " + four_bar() + " -o " + cli::quoted(place("turned")) +
                             " --algorithms rnea_derivatives --columns");
    REQUIRE(run.exit == 0);
    CHECK_THAT(cli::content(place("turned.h")), Contains("change of force with velocity, column by column"));
}

TEST_CASE("grbda generate takes the independent velocities for motors if none is named") {
    const std::string file = cli::written(
        "motorless.urdf",
        "<robot name=\"r\"><link name=\"base\"/><link name=\"arm\"><inertial><mass value=\"1\"/>"
        "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
        "<joint name=\"j\" type=\"continuous\"><parent link=\"base\"/><child link=\"arm\"/></joint></robot>");
    const Run run = cli::run("generate " + cli::quoted(file) + " -o " + cli::quoted(place("motorless")) +
                             " --algorithms motors");
    INFO(run.err);
    CHECK(run.exit == 0);
    CHECK_THAT(cli::content(place("motorless.h")), Contains("motors"));
}

TEST_CASE("grbda generate refuses impossible requests, and writes nothing") {
    const auto refused = [&](const std::string& options, const std::string& reason) {
        const Run run = cli::run("generate " + four_bar() + " " + options);
        INFO(options);
        CHECK(run.exit == 2);
        CHECK_THAT(run.err, Contains(reason));
    };
    refused("", "--output is required");
    refused("-o " + cli::quoted(place("7up")), "no identifier of C");
    refused("-o " + cli::quoted(place("x")) + " --algorithms abba",
            "no algorithm 'abba'; there are aba, rnea");
    refused("-o " + cli::quoted(place("x")) + " --algorithms poses --frame hand", "hand");
    refused("-o " + cli::quoted(place("x")) + " --lanes 3", "--lanes");
    refused("-o " + cli::quoted(place("x")) + " --iso --batch 8", "--iso");
    refused("-o " + cli::quoted(place("x")) + " --step leapfrog", "--step");
    refused("-o " + cli::quoted(place("x")) + " --hessian", "set its rule, too");
    refused("-o " + cli::quoted(place("x")) + " --step euler --gravity 0,0", "--gravity");
    refused("-o " + cli::quoted(place("features")), "header of the system");
    CHECK(!std::filesystem::exists(place("x.h")));
    refused("-o " + cli::quoted(place("unmade/7up")), "no identifier of C");
    CHECK(!std::filesystem::exists(place("unmade")));
    const std::string file = cli::written("no_folder", "");
    const Run nowhere = cli::run("generate " + four_bar() + " -o " + cli::quoted(file + "/arm"));
    CHECK(nowhere.exit == 1);
    CHECK_THAT(nowhere.err, Contains("the folder cannot be made"));
}
