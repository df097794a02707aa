#include <catch2/catch.hpp>

#include <regex>

#include "cli/cli_fixture.hpp"
#include "grbda/version.hpp"

using cli::Run;

namespace {

const char* const one_link =
    R"(<robot name="one"><link name="base"/><link name="arm"><inertial><origin xyz="0.1 0 0"/>
<mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
<joint name="shoulder" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>)";

/// A gear between two arms of one base; what `ratio` says is left open unless `attribute` says it.
std::string geared(const std::string& attribute) {
    std::string text = "<robot name=\"geared\" " + attribute + "><link name=\"base\"/>";
    for (const std::string name : {"a", "b"})
        text += "<link name=\"" + name +
                "\"><inertial><origin xyz=\"0.1 0 0\"/><mass value=\"1\"/>"
                "<inertia ixx=\"0.01\" iyy=\"0.01\" izz=\"0.02\"/></inertial></link><joint name=\"joint_" +
                name + "\" type=\"continuous\"><parent link=\"base\"/><child link=\"" + name +
                "\"/><axis xyz=\"0 1 0\"/></joint>";
    return text +
           "<coupling name=\"gear\"><predecessor link=\"a\"/><successor link=\"b\"/><ratio value=\"4\"/>"
           "</coupling></robot>";
}

}  // namespace

TEST_CASE("help and version go to standard output and succeed") {
    for (const char* arguments : {"--help", "info --help", "check --help", "compute --help"}) {
        const Run help = cli::run(arguments);
        INFO(arguments);
        CHECK(help.exit == 0);
        CHECK(help.out.find("Example") != std::string::npos);
        CHECK(help.err.empty());
    }
    const Run version = cli::run("--version");
    CHECK(version.exit == 0);
    CHECK(version.out.rfind("grbda " GRBDA_VERSION "\n", 0) == 0);
}

TEST_CASE("a wrong command line has its own exit code and says why") {
    const std::string model = cli::robot("four_bar");
    for (const std::string& arguments :
         {std::string("inform"), std::string("info"), "info " + model + " --jsn",
          "info " + model + " --json --dot", "compute " + model, "check " + model + " --coupling-ratio 6",
          "compute " + model + " --states x.json --method fast"}) {
        const Run run = cli::run(arguments);
        INFO(arguments);
        CHECK(run.exit == 2);
        CHECK_FALSE(run.err.empty());
        CHECK(run.out.empty());
    }
}

TEST_CASE("a misspelt command is answered with the nearest") {
    const Run run = cli::run("infoo robot.urdf");
    CHECK(run.exit == 2);
    CHECK(run.out.empty());
    CHECK(run.err.find("no command 'infoo' (did you mean 'info'?)") != std::string::npos);
    CHECK(cli::run("cnvert a -o b").err.find("'convert'") != std::string::npos);
    const Run strange = cli::run("walk");
    CHECK(strange.exit == 2);
    CHECK(strange.err.find("no command 'walk'\ncommands: info, check, compute, convert") !=
          std::string::npos);
}

TEST_CASE("the help of every command names all formats") {
    for (const char* command : {"info", "check", "compute", "convert"}) {
        const Run help = cli::run(std::string(command) + " --help");
        INFO(help.out);
        for (const char* format : {"URDF", "URDF+", "MJCF", "SDF", "Extended URDF", "XRDF", "SRDF"})
            CHECK(help.out.find(format) != std::string::npos);
    }
}

TEST_CASE("info shows every robot with all joints, couplings and loops") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        const Run text = cli::run("info '" + cli::robot(name) + "'");
        const Run machine = cli::run("info --json '" + cli::robot(name) + "'");
        const Run quiet = cli::run("info --quiet '" + cli::robot(name) + "'");
        REQUIRE(text.exit == 0);
        REQUIRE(machine.exit == 0);
        CHECK(text.err.empty());
        CHECK(machine.err.empty());
        CHECK(text.out.find(name + "\n") == 0);
        CHECK(text.out.find("Cluster tree") != std::string::npos);
        CHECK(quiet.out.find("\nNotes\n") == std::string::npos);
        const cli::Json json = machine.json();
        CHECK(json.at("robot") == name);
        for (const cli::Json& body : json.at("bodies"))
            CHECK(text.out.find(body.at("joint").get<std::string>()) != std::string::npos);
        int dof = 0, rank = 0;
        for (const cli::Json& cluster : json.at("clusters")) {
            dof += cluster.at("dof").get<int>();
            rank += cluster.at("rank").get<int>();
            CHECK(cluster.at("independent").size() == cluster.at("dof").get<std::size_t>());
            for (const cli::Json& coordinate : cluster.at("independent"))
                CHECK_FALSE(coordinate.at("reason").empty());
            for (const cli::Json& coupling : cluster.at("couplings"))
                CHECK(text.out.find(coupling.at("equation").get<std::string>()) != std::string::npos);
            for (const cli::Json& loop : cluster.at("loops"))
                CHECK(text.out.find("[" + loop.at("name").get<std::string>() + "]") != std::string::npos);
        }
        CHECK(dof == json.at("dof").get<int>());
        CHECK(dof + rank == json.at("nv_tree").get<int>());
        CHECK(json.at("neutral").size() == json.at("nq").get<std::size_t>());
    }
}

TEST_CASE("info --dot draws spanning tree, digraph and cluster tree of every robot") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        const Run run = cli::run("info --dot --quiet '" + cli::robot(name) + "'");
        REQUIRE(run.exit == 0);
        CHECK(run.err.empty());
        for (const char* part :
             {"subgraph cluster_tree", "subgraph cluster_digraph", "subgraph cluster_clusters"})
            CHECK(run.out.find(part) != std::string::npos);
        CHECK(std::count(run.out.begin(), run.out.end(), '{') ==
              std::count(run.out.begin(), run.out.end(), '}'));
        const cli::Json json = cli::run("info --json '" + cli::robot(name) + "'").json();
        for (const cli::Json& body : json.at("bodies")) {
            const std::string label = "[label=\"" + body.at("link").get<std::string>() + "\"";
            const auto first = run.out.find(label);
            REQUIRE(first != std::string::npos);                         // in the spanning tree
            CHECK(run.out.find(label, first + 1) != std::string::npos);  // and in the digraph
        }
    }
}

TEST_CASE("names with quotes and backslashes are escaped in dot and json") {
    std::string text = one_link;
    text = std::regex_replace(text, std::regex("\"arm\""), "'a\"r\\m'");
    const std::string file = cli::written("quotes.urdf", text);
    const Run dot = cli::run("info --dot '" + file + "'");
    REQUIRE(dot.exit == 0);
    CHECK(dot.out.find(R"([label="a\"r\\m")") != std::string::npos);
    CHECK(cli::run("info --json '" + file + "'").json().at("bodies")[0].at("link") == "a\"r\\m");
}

TEST_CASE("check passes every robot and ends with a count") {
    for (const std::string& name : cli::robots()) {
        INFO(name);
        const Run run = cli::run("check '" + cli::robot(name) + "'");
        CHECK(run.exit == 0);
        CHECK(run.err.empty());
        CHECK(std::regex_search(run.out, std::regex(": ok: 0 errors, [0-9]+ warnings?, [0-9]+ notes?\n$")));
        const cli::Json json = cli::run("check --json '" + cli::robot(name) + "'").json();
        CHECK(json.at("ok") == true);
        CHECK(json.at("diagnostics").size() ==
              json.at("warnings").get<std::size_t>() + json.at("notes").get<std::size_t>());
    }
}

TEST_CASE("check fails on a broken file with every finding and its line") {
    std::string text = one_link;
    text = std::regex_replace(text, std::regex("mass value=\"1\""), "mass value=\"-1\"");
    text = std::regex_replace(text, std::regex("child link=\"arm\""), "child link=\"amr\"");
    const std::string file = cli::written("broken.urdf", text);
    const Run run = cli::run("check '" + file + "'");
    CHECK(run.exit == 1);
    CHECK(run.out.find(file + ":2:") != std::string::npos);
    CHECK(std::regex_search(run.out, std::regex("failed: [1-9][0-9]* errors?, ")));
    CHECK(run.out.find('\033') == std::string::npos);  // no colour: not a terminal
    const Run machine = cli::run("check --json '" + file + "'");
    CHECK(machine.exit == 1);
    CHECK(machine.json().at("ok") == false);
    CHECK(machine.json().at("errors").get<int>() >= 1);
    const cli::Json findings = machine.json().at("diagnostics");
    const auto joint = std::find_if(findings.begin(), findings.end(), [](const cli::Json& finding) {
        return finding.at("subject") == cli::Json{{"kind", "joint"}, {"name", "shoulder"}};
    });
    REQUIRE(joint != findings.end());
    CHECK(joint->at("code") == "unknown-name");
    CHECK(joint->at("element") == "joint 'shoulder'");
    for (const char* command : {"info", "info --json", "info --dot"}) {
        const Run other = cli::run(std::string(command) + " '" + file + "'");
        CHECK(other.exit == 1);
        CHECK(other.out.empty());
        CHECK(other.err.find(file + ":2:") != std::string::npos);
    }
}

TEST_CASE("a file that is missing or no robot, and a second file, are errors") {
    const std::string other = cli::written("other.txt", "not a robot");
    for (const std::string& files :
         {cli::folder().string() + "/nothing.urdf", other, cli::folder().string(),
          cli::robot("four_bar") + "' '" + other, cli::robot("four_bar") + "' '" + cli::robot("six_bar")}) {
        const Run run = cli::run("check '" + files + "'");
        INFO(files);
        CHECK(run.exit == 1);
        CHECK(run.out.find("error") != std::string::npos);
        CHECK(cli::run("info '" + files + "'").exit == 1);
    }
    const Run second = cli::run("check '" + cli::robot("four_bar") + "' '" + other + "'");
    CHECK(second.out.find("neither XML nor a YAML mapping") != std::string::npos);
    const Run two = cli::run("check '" + cli::robot("four_bar") + "' '" + cli::robot("six_bar") + "'");
    CHECK(two.out.find("a second robot description (URDF)") != std::string::npos);
}

TEST_CASE("a missing description, a folder and an empty file have different errors") {
    const auto told = [](const std::string& path) { return cli::run("check '" + path + "'").out; };
    CHECK(told(cli::folder().string() + "/nothing.urdf").find("none at this path") != std::string::npos);
    CHECK(told(cli::folder().string()).find("found a folder") != std::string::npos);
    const std::string empty = told(cli::written("empty.urdf", ""));
    CHECK(empty.find("empty.urdf:1:1: error") != std::string::npos);
    CHECK(empty.find("an empty file") != std::string::npos);
}

TEST_CASE("an undecided coupling ratio is a warning, an error under strict, and decided by the option") {
    const std::string open = cli::written("open.urdf", geared(""));
    CHECK(cli::run("check '" + open + "'").exit == 0);
    CHECK(cli::run("check --json '" + open + "'").json().at("warnings") == 1);
    CHECK(cli::run("check --strict '" + open + "'").exit == 1);
    const std::string paper = "--strict --coupling-ratio predecessor/successor '",
                      parser = "--coupling-ratio successor/predecessor '";
    CHECK(cli::run("check " + paper + open + "'").exit == 0);
    const auto equation = [&](const std::string& options) {
        return cli::run("info --json " + options + open + "'")
            .json()["clusters"][0]["couplings"][0]["equation"];
    };
    CHECK(equation("--coupling-ratio predecessor/successor '") == "q[joint_a] = 4 q[joint_b]");
    CHECK(equation(parser) == "q[joint_b] = 4 q[joint_a]");
}

TEST_CASE("forces that cannot be kept are warnings, errors under strict") {
    const std::string model = cli::written(
        "muscle.xml",
        "<mujoco><worldbody><body><geom size=\".1\" mass=\"1\"/><joint name=\"j\"/></body></worldbody>"
        "<actuator><muscle name=\"biceps\" joint=\"j\"/></actuator></mujoco>");
    const Run loose = cli::run("check '" + model + "'");
    CHECK(loose.exit == 0);
    CHECK(loose.out.find("warning") != std::string::npos);
    CHECK(loose.out.find("'biceps'") != std::string::npos);
    const Run strict = cli::run("check --strict '" + model + "'");
    CHECK(strict.exit == 1);
    CHECK(strict.out.find("error") != std::string::npos);
}

TEST_CASE("load options reach the model: floating base, rotors kept, quiet") {
    const cli::Json fixed = cli::run("info --json '" + cli::robot("revolute_rotor_chain") + "'").json();
    const cli::Json floating =
        cli::run("info --json --floating-base '" + cli::robot("revolute_rotor_chain") + "'").json();
    const cli::Json kept =
        cli::run("info --json --no-rotor-reduction '" + cli::robot("revolute_rotor_chain") + "'").json();
    CHECK(fixed.at("floating_base") == false);
    CHECK(floating.at("floating_base") == true);
    CHECK(floating.at("dof").get<int>() == fixed.at("dof").get<int>() + 6);
    CHECK(floating.at("bodies")[0].at("joint") == "root_joint");
    CHECK(fixed.at("reduced_rotors").get<int>() > 0);
    CHECK(kept.at("reduced_rotors") == 0);

    const std::string open = cli::written("open.urdf", geared(""));
    const std::string states = cli::written("none.json", R"({"states": []})");
    CHECK_FALSE(cli::run("compute '" + open + "' --states '" + states + "'").err.empty());
    CHECK(cli::run("compute --quiet '" + open + "' --states '" + states + "'").err.empty());
}
