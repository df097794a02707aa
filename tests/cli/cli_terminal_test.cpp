#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

// Output for users at a terminal: help, hints, summaries in place of files, and pages in a browser.

using cli::quoted;
using cli::Run;

namespace {

/// Runs the tool at a terminal of its own, with these variables of the environment.
Run at_terminal(const std::string& arguments, const std::string& variables = "") {
    const std::string command = "'" + std::string(GRBDA_TOOL) + "' " + arguments;
    return cli::shell("unset DISPLAY WAYLAND_DISPLAY BROWSER; export NO_COLOR=1 " + variables +
                      "; script -qec \"" + command + "\" /dev/null");
}

/// A leg without masses, whose links have boxes of 4 l and 2 l.
const char* const massless_leg =
    R"(<robot name="leg"><link name="base"/><joint name="hip" type="continuous"><parent link="base"/>
<child link="thigh"/><axis xyz="0 1 0"/></joint><link name="thigh"><collision><geometry><box size="0.1 0.1 0.4"/>
</geometry></collision></link><joint name="knee" type="continuous"><parent link="thigh"/><child link="shank"/>
<origin xyz="0 0 -0.4"/><axis xyz="0 1 0"/></joint><link name="shank"><visual><geometry><box size="0.1 0.05 0.4"/>
</geometry></visual></link></robot>)";

/// A triangle of two cranks, which cannot move.
const char* const triangle =
    R"(<robot name="triangle"><link name="base"/><link name="a"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial></link><link name="b"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="left" type="continuous"><parent link="base"/>
<child link="a"/><axis xyz="0 0 1"/></joint><joint name="right" type="continuous"><parent link="base"/>
<child link="b"/><origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint><loop name="pin" type="revolute">
<predecessor link="a"><origin xyz="0.5 1 0"/></predecessor><successor link="b"><origin xyz="-0.5 1 0"/></successor>
<axis xyz="0 0 1"/></loop></robot>)";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("grbda alone prints the help, in which options of loading come last") {
    const Run alone = cli::run("");
    CHECK(alone.exit == 0);
    CHECK(alone.out == cli::run("--help").out);
    const std::string help = cli::run("simulate --help").out;
    const std::size_t own = help.find("\nOptions:"), loading = help.find("\nOptions of loading:");
    REQUIRE(own < loading);
    CHECK(help.find("--duration") < loading);
    CHECK(help.find("--floating-base") > loading);
}

TEST_CASE("a wrong name is answered with the names that contain it") {
    const std::string robot = quoted(cli::robot("slider_crank"));
    const Run servo = cli::run("simulate -q --duration 0.01 --servo crank=1 " + robot);
    CHECK(servo.exit == 2);
    CHECK(has(servo.err, "--servo crank: no joint of this name can move (did you mean 'crank_joint'?)"));
    CHECK(has(cli::run("compute -q --q slider=0.1 " + robot).err, "did you mean 'slider_joint'?"));
}

TEST_CASE("a locked mechanism is the verdict of check, and an exit code under strict") {
    const std::string locked = quoted(cli::written("triangle.urdf", triangle));
    const Run run = cli::run("check " + locked);
    CHECK(run.exit == 0);
    CHECK(has(run.out, ": locked: 0 errors, 1 warning"));
    CHECK(cli::run("check --strict " + locked).exit == 4);
    CHECK(cli::run("check --json " + locked).json().at("locked") == true);
    const std::string moving = quoted(cli::robot("four_bar"));
    CHECK(cli::run("check --strict " + moving).exit == 0);
    CHECK(cli::run("check --json " + moving).json().at("locked") == false);
}

TEST_CASE("links without mass are named with the commands that fail, and --density gives them mass") {
    const std::string robot = quoted(cli::written("leg.urdf", massless_leg));
    const Run check = cli::run("check " + robot);
    CHECK(check.exit == 0);
    CHECK(has(check.out, "no mass: 'thigh', 'shank'. Kinematics works"));
    CHECK(has(check.out, "--density 1000 gives links without mass that of their shapes"));
    const Run simulated = cli::run("simulate -q --duration 0.01 " + robot);
    CHECK(simulated.exit == 3);
    CHECK(simulated.out.empty());
    CHECK(has(simulated.err, "--density 1000"));
    CHECK(has(cli::run("compute --q hip=0 " + robot).err, "--density 1000"));

    CHECK_FALSE(has(cli::run("check --density 1000 " + robot).out, "no mass"));
    const cli::Json bodies = cli::run("info --json --density 1000 " + robot).json().at("bodies");
    CHECK(bodies.at(0).at("mass").get<double>() == Approx(4));
    CHECK(bodies.at(1).at("mass").get<double>() == Approx(2));
    const std::string arguments = "compute -q --density 500 --q hip=0.5 " + robot;
    const double whole = cli::run(arguments).json().at("states")[0].at("bias_force").at("hip").get<double>();
    // by hand: both boxes hang on their joints' axes by their centres, the shank 0.4 m farther
    CHECK(std::abs(whole) == Approx(1 * 9.81 * 0.4 * std::sin(0.5)));
    const Run written = cli::run("convert -q --density 1000 " + robot);
    CHECK(has(written.out, "<mass value=\"4"));
    CHECK(cli::run("check --density 0 " + robot).exit == 2);
}

TEST_CASE("compute takes a state from the command line") {
    const std::string robot = cli::robot("slider_crank");
    const Run run =
        cli::run("compute -q --q crank_joint=0.5 --yd crank_joint=2 --tau slider_joint=-10 " + quoted(robot));
    REQUIRE(run.exit == 0);
    const cli::Json same =
        cli::compute(
            robot,
            R"({"states": [{"q": {"crank_joint": 0.5}, "yd": {"crank_joint": 2}, "tau": {"slider_joint": -10}}]})")
            .json();
    CHECK(run.json() == same);
    for (const char* wrong : {"--q crank_joint", "--q crank_joint=1 crank_joint=2", "--q elbow=1",
                              "--q crank_joint=1,2", "--q crank_joint=1 --states x.json", ""}) {
        INFO(wrong);
        const Run refused = cli::run("compute -q " + quoted(robot) + " " + wrong);
        CHECK(refused.exit == 2);
        CHECK_FALSE(refused.err.empty());
    }
}

TEST_CASE("info says where the loops are closed and how many freedoms they leave") {
    const std::string text = cli::run("info -q " + quoted(cli::robot("slider_crank"))).out;
    CHECK(has(text, "1 degree of freedom: 3 joint coordinates − 2 independent constraints = 1"));
    CHECK(has(text, "closed at  crank_joint "));
    CHECK(has(text, "°, "));
    CHECK(has(text, " m\n"));
    CHECK_FALSE(has(cli::run("info -q " + quoted(cli::robot("double_pendulum"))).out, "closed at"));
}

TEST_CASE("workspace begins with a summary if there are many branches") {
    const Run many =
        cli::run("workspace -q --joint motor_knee --steps 20 " + quoted(cli::robot("kangaroo_leg")));
    REQUIRE(many.exit == 0);
    CHECK(has(many.out, " branches\n  closed at "));
    CHECK(has(many.out, "the longest is branch "));
    CHECK(many.out.find("the longest is branch ") < many.out.find("rcond >="));
    CHECK_FALSE(
        has(cli::run("workspace -q --joint crank_joint --steps 4 " + quoted(cli::robot("slider_crank"))).out,
            "the longest"));
}

TEST_CASE("a page at a terminal goes to a browser, and its address to the terminal") {
    const std::string page = cli::written("template.html", "<script>/*ROBOT*/</script>");
    const std::string arguments = quoted(cli::robot("four_bar")) + " --template " + quoted(page);
    const std::string seen = (cli::folder() / "seen.html").string();
    const std::string browser = cli::written(
        "browser.sh", "#!/bin/sh\ncp \"$1\" '" + seen + ".part' && mv '" + seen + ".part' '" + seen + "'\n");
    cli::shell("chmod +x " + quoted(browser));
    for (const char* command : {"view ", "try ", ""}) {
        INFO(command);
        std::filesystem::remove(seen);
        const Run run = at_terminal(command + arguments, "BROWSER=" + quoted(browser));
        INFO(run.out);
        CHECK(run.exit == 0);
        CHECK(has(run.out, "opened file://"));
        CHECK(has(run.out, "/four_bar.html"));
        CHECK_FALSE(has(run.out, "<script>"));
        CHECK(has(run.out, "degree of freedom") == (std::string(command) != "view "));
        for (int wait = 0; wait < 100 && !std::filesystem::exists(seen); ++wait) cli::shell("sleep 0.1");
        CHECK(has(cli::content(seen), "\"four_bar.urdf\""));
    }
    CHECK(has(at_terminal("view " + arguments).out, "open this page in a browser: file://"));
    const Run piped = cli::run("try " + arguments);  // not at a terminal: the summary alone
    CHECK(piped.exit == 0);
    CHECK(has(piped.out, "degree of freedom"));
    CHECK_FALSE(has(piped.out, "<script>"));
}

TEST_CASE("a simulation at a terminal prints a summary, and the record to a file or on request") {
    const std::string arguments = "simulate -q --duration 0.01 " + quoted(cli::robot("four_bar"));
    const Run run = at_terminal(arguments);
    CHECK(run.exit == 0);
    CHECK(has(run.out, "ok: 0.01 s in 10 steps"));
    CHECK(has(run.out, "energy"));
    CHECK_FALSE(has(run.out, "time,q:"));
    CHECK(has(at_terminal(arguments + " -o -").out, "time,q:"));
    CHECK(has(cli::run(arguments).out, "time,q:"));
}

TEST_CASE("plot draws a record, whatever its format") {
    const std::string robot = quoted(cli::robot("slider_crank"));
    for (const char* ending : {"csv", "json"}) {
        const std::string record = (cli::folder() / (std::string("fall.") + ending)).string();
        REQUIRE(cli::run("simulate -q --duration 0.05 -o " + quoted(record) + " " + robot).exit == 0);
        const Run run = cli::run("plot " + quoted(record));
        REQUIRE(run.exit == 0);
        CHECK(run.out.rfind("<svg", 0) == 0);
        for (const char* part : {"positions, rad or m", "velocities, rad/s or m/s", "energy, J",
                                 "q:crank_joint", "qd:slider_joint", "time, s", "</svg>"})
            CHECK(has(run.out, part));
        const std::string some = cli::run("plot " + quoted(record) + " --columns contacts,q:rod_joint").out;
        CHECK(has(some, "q:rod_joint"));
        CHECK_FALSE(has(some, "q:crank_joint"));
        const Run wrong = cli::run("plot " + quoted(record) + " --columns crank");
        CHECK(wrong.exit == 2);
        CHECK(has(wrong.err, "no column of this name (did you mean 'q:crank_joint'"));
    }
    const Run other = cli::run("plot " + quoted(cli::written("other.csv", "a,b\n1,2\n")));
    CHECK(other.exit == 1);
    CHECK(has(other.err, "with a column 'time'"));
    CHECK(has(cli::run("plot " + quoted(cli::written("short.csv", "time,q:a\n0,1\n1\n"))).err,
              "short.csv:3: expected 2 values, found 1"));
}
