#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

// freeze, mount and workspace.

using Catch::Contains;
using cli::Run;

namespace {

std::string model(const std::string& robot) { return cli::quoted(cli::robot(robot)); }

std::string path(const std::string& name) { return (cli::folder() / name).string(); }

cli::Json info(const std::string& file) { return cli::run("info --json '" + file + "'").json(); }

}  // namespace

TEST_CASE("freeze writes a smaller robot with the dynamics of the whole") {
    const std::string out = path("frozen.urdf");
    const Run run = cli::run("freeze " + model("six_bar") +
                             " --joint joint5 --q joint1=0.3 --q joint3=0.8 -o '" + out + "'");
    INFO(run.err);
    REQUIRE(run.exit == 0);
    CHECK(run.out.empty());
    const cli::Json whole =
        cli::states_of(cli::robot("six_bar"), R"({"states":[{"q":{"joint1":0.3,"joint2":0,"joint3":0.8}}]})");
    const double held = whole[0].at("q").at("joint5").get<double>();
    CHECK(std::isfinite(held));
    // the neutral configuration of what was written is where the joint was frozen
    const cli::Json part = cli::states_of(out, R"({"states":[{"q":{}}]})");
    CHECK(part[0].at("q").size() == 4);
    CHECK(part[0].at("mass_matrix").size() == 2);
    CHECK(std::abs(part[0].at("q").at("joint1").get<double>() - 0.3) < 1e-9);
    CHECK(std::abs(part[0].at("q").at("joint3").get<double>() - 0.8) < 1e-9);
}

TEST_CASE("freeze notes the joints that are fixed with a joint, unless -q is given") {
    const Run told = cli::run("freeze " + model("slider_crank") + " --joint crank_joint");
    CHECK(told.exit == 0);
    CHECK_THAT(told.err, Contains("note: joint 'slider_joint': frozen too"));
    CHECK_THAT(told.out, Contains("<robot name=\"slider_crank\""));
    const Run quiet = cli::run("freeze -q " + model("slider_crank") + " --joint crank_joint");
    CHECK(quiet.err.empty());
    CHECK(quiet.out == told.out);
}

TEST_CASE("freeze refuses unknown joints and invalid configurations") {
    const auto said = [](const std::string& options, int code) {
        const Run run = cli::run("freeze -q " + model("slider_crank") + " " + options);
        CHECK(run.exit == code);
        CHECK(run.out.empty());
        return run.err;
    };
    CHECK_THAT(said("--joint crank", 2), Contains("a joint that moves a body, to freeze, found 'crank'"));
    CHECK_THAT(said("--joint crank_joint --q crank_joint", 2),
               Contains("--q crank_joint: expected 1 number after '=', found 0"));
    CHECK_THAT(said("--joint crank_joint --q crank_join=1", 2),
               Contains("no joint of this name can move (did you mean 'crank_joint'"));
    CHECK_THAT(said("--joint crank_joint --q crank_joint=1,2", 2), Contains("expected 1 number"));
    CHECK_THAT(said("--joint crank_joint --q crank_joint=x", 2), Contains("finite numbers"));
    CHECK_THAT(said("--joint crank_joint --state home", 2),
               Contains("--state home: no saved state of this name"));
    CHECK_THAT(said("--joint crank_joint --q slider_joint=5", 3), Contains("its loops hold it"));
    CHECK_THAT(said("--joint slider_joint", 3), Contains("at no dead centre"));
    CHECK(cli::run("freeze " + model("slider_crank")).exit == 2);
    const std::string file = cli::written("kept.urdf", cli::content(cli::robot("slider_crank")));
    CHECK(cli::run("freeze '" + file + "' --joint crank_joint -o '" + file + "'").exit == 2);
    CHECK(cli::content(file) == cli::content(cli::robot("slider_crank")));
}

TEST_CASE("mount fixes a foot of a floating robot, in a file that is read without changes") {
    const std::string out = path("mounted.urdf");
    const Run run = cli::run("mount -q " + model("digit") + " --frame left_foot_part -o '" + out + "'");
    INFO(run.err);
    REQUIRE(run.exit == 0);
    const cli::Json before = info(cli::robot("digit")), after = info(out);
    CHECK(after.at("dof").get<int>() == before.at("dof").get<int>() - 6);
    const Run base = cli::run("mount -q " + model("four_bar") +
                              " --floating-base --frame link2 --type spherical -o '" + out + "'");
    REQUIRE(base.exit == 0);
    CHECK(info(out).at("dof").get<int>() == 1 + 6 - 3);
}

TEST_CASE("mount takes a place, an axis, and a name") {
    const Run run = cli::run("mount -q " + model("ur10e") +
                             " --frame tool0 --type point_on_line --axis 0,0,1 --name guide");
    INFO(run.err);
    CHECK(run.exit == 0);
    CHECK_THAT(run.out, Contains("<loop name=\"guide\" type=\"point_on_line\">"));
    const auto said = [](const std::string& options) {
        const Run refused = cli::run("mount -q " + model("four_bar") + " --frame link2 " + options);
        CHECK(refused.exit == 2);
        return refused.err;
    };
    CHECK_THAT(said("--place 1,2"), Contains("--place 1,2: expected X,Y,Z or X,Y,Z,ROLL,PITCH,YAW"));
    CHECK_THAT(said("--axis 1,2,z"), Contains("--axis 1,2,z: expected finite numbers"));
    CHECK_THAT(said("--axis 1,2"), Contains("--axis 1,2: expected X,Y,Z"));
    CHECK_THAT(said("--pitch nan --type helical"), Contains("--pitch: expected a finite number"));
    CHECK_THAT(said("--type distance"), Contains("expected a place away from the frame"));
    CHECK(cli::run("mount " + model("four_bar") + " --frame link2 --type floating").exit == 2);
    CHECK(cli::run("mount " + model("four_bar")).exit == 2);
}

TEST_CASE("workspace tells the branches, and every point as JSON and CSV") {
    const std::string call = "workspace -q " + model("slider_crank") + " --joint crank_joint --steps 8";
    const Run text = cli::run(call);
    INFO(text.err);
    REQUIRE(text.exit == 0);
    CHECK_THAT(text.out, Contains("joint crank_joint from -3.142 to 3.142: 2 branches"));
    CHECK_THAT(text.out, Contains("bound"));
    const cli::Json json = cli::run(call + " --json").json();
    REQUIRE(json.at("branches").size() == 2);
    CHECK(json.at("values").size() == 9);
    CHECK(json.at("branches")[0].at("points").size() == 9);
    CHECK(json.at("branches")[0].at("points")[0].at("q").size() == 3);
    CHECK(json.at("branches")[0].at("ends") == "bound");
    CHECK(json.at("branches")[0].at("ends_with").is_null());
    const Run csv = cli::run(call + " --csv");
    CHECK_THAT(csv.out, Contains("branch,value,rcond,within_limits,crank_joint,rod_joint,slider_joint\n"));
    CHECK(std::count(csv.out.begin(), csv.out.end(), '\n') == 1 + 2 * 9);
    CHECK(cli::run(call + " --csv --json").exit == 2);
    CHECK(cli::run(call + " --csv -o '" + path("sweep.csv") + "'").exit == 0);
    CHECK(cli::content(path("sweep.csv")) == csv.out);
}

TEST_CASE("workspace distinguishes modes by the joints that --watch names") {
    const std::string call =
        "workspace -q " + model("slider_crank") + " --joint crank_joint --steps 8 --watch crank_joint";
    CHECK_THAT(cli::run(call).out, Contains(": 1 branch\n"));
    CHECK_THAT(cli::run(call + " --watch slider_joint").out, Contains(": 2 branches\n"));
    CHECK_THAT(cli::run(call + " --watch slider").err, Contains("--watch slider: no joint of this name"));
}

TEST_CASE("workspace leads a dependent joint as well") {
    const Run run = cli::run("workspace -q " + model("slider_crank") +
                             " --joint slider_joint --from -0.25 --to 0.05 --steps 30 --json");
    INFO(run.err);
    REQUIRE(run.exit == 0);
    // from the inner dead centre, where the slider is 0.2 m back, to the outer one
    const auto found = run.json();
    for (const auto& branch : found.at("branches")) {
        CHECK(std::abs(branch.at("from").get<double>() + 0.2) < 1e-5);
        CHECK(std::abs(branch.at("to").get<double>()) < 1e-5);
        CHECK(branch.at("begins") == "fold");
    }
    CHECK(found.at("branches").size() == 2);
}

TEST_CASE("workspace refuses joints that it cannot sweep") {
    const auto said = [](const std::string& robot, const std::string& options) {
        const Run run = cli::run("workspace -q " + model(robot) + " " + options);
        CHECK(run.exit == 2);
        CHECK(run.out.empty());
        return run.err;
    };
    CHECK_THAT(said("slider_crank", "--joint crank"),
               Contains("--joint crank: no joint of this name can move"));
    CHECK_THAT(said("digit", "--joint floating_base"),
               Contains("expected a joint of one coordinate, found a floating one"));
    CHECK_THAT(said("slider_crank", "--joint crank_joint --steps 0"), Contains("--steps"));
    CHECK_THAT(said("slider_crank", "--joint crank_joint --from inf"), Contains("--from: expected a finite"));
    CHECK_THAT(said("slider_crank", "--joint crank_joint --from 1e15 --to 1.0000001e15"),
               Contains("--from: expected at most 4e+05 rad, found 1e+15"));
    CHECK_THAT(said("slider_crank", "--joint slider_joint --to 1e10"),
               Contains("--to: expected at most 1e+09 m"));
    CHECK(cli::run("workspace -q " + model("slider_crank") +
                   " --joint crank_joint --from 399990 --to 399991 --steps 2")
              .exit == 0);
}
