#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

// `grbda ik` and `grbda project` on a slider-crank, whose geometry can be written down: crank 0.1 m, rod
// 0.3 m, slider on the x axis, its joint's origin at 0.4 m.

using cli::Json;
using cli::Run;

namespace {

constexpr double crank = 0.1, rod = 0.3, origin = 0.4;

double slide(double angle) {
    const double height = crank * std::sin(angle);
    return crank * std::cos(angle) + std::sqrt(rod * rod - height * height) - origin;
}

Run tool(const std::string& command, const std::string& options) {
    return cli::run(command + " -q '" + cli::robot("slider_crank") + "' " + options);
}

std::string text(double x) {
    char word[32];
    std::snprintf(word, sizeof word, "%.17g", x);
    return word;
}

}  // namespace

TEST_CASE("ik finds the crank's angle from the position of the rod's end, and from that of the slider") {
    const double angle = 0.6;
    const Json found =
        tool("ik", "--target rod=" + text(crank * std::cos(angle)) + ",0," + text(crank * std::sin(angle)))
            .json();
    CHECK(found.at("status") == "converged");
    CHECK(found.at("q").at("crank_joint").get<double>() == Approx(angle).margin(1e-8));
    CHECK(found.at("q").at("slider_joint").get<double>() == Approx(slide(angle)).margin(1e-8));
    CHECK(found.at("targets").at(0).at("length").get<double>() < 1e-9);
    CHECK_FALSE(found.at("targets").at(0).contains("angle"));
    CHECK(found.at("closure_residual").get<double>() < 1e-10);
    const Json out =
        tool("ik", "--start crank_joint=0.5 --target slider=" + text(origin + slide(angle)) + ",0,0").json();
    CHECK(out.at("status") == "converged");
    CHECK(std::abs(out.at("q").at("crank_joint").get<double>()) == Approx(angle).margin(1e-7));
}

TEST_CASE("out of reach, ik tells the gap of the nearest") {
    const Run run = tool("ik", "--start crank_joint=0.4 --target slider=0.6,0,0");
    CHECK(run.exit == 3);
    const Json found = run.json();
    CHECK(found.at("status") == "nearest");
    CHECK(found.contains("message"));
    CHECK(found.at("targets").at(0).at("length").get<double>() == Approx(0.2).margin(1e-9));
    CHECK(found.at("q").at("crank_joint").get<double>() == Approx(0).margin(1e-5));
}

TEST_CASE("ik holds a dependent joint, and so all others of the linkage") {
    const Json found = tool("ik", "--start crank_joint=0.4 --hold slider_joint --target rod=0,0,0.1").json();
    CHECK(found.at("status") == "nearest");
    CHECK(found.at("q").at("crank_joint").get<double>() == Approx(0.4).margin(1e-9));
}

TEST_CASE("of random starts ik tells the one that met the targets, the same one each time") {
    // from a crank that points back, the rod's end in front is beyond the fold of no loop: several starts do
    const std::string options = "--starts 20 --iterations 12 --target rod=" + text(crank) + ",0,0,0,0,0,1";
    const Run first = tool("ik", options), second = tool("ik", options);
    CHECK(first.exit == 0);
    CHECK(first.out == second.out);
}

TEST_CASE("wrong arguments are reported with the nearest name and exit code 2") {
    struct Case {
        const char *command, *options;
        std::vector<const char*> said;
    };
    const std::vector<Case> cases = {
        {"ik", "", {"--target"}},
        {"ik", "--target slidr=1,2,3", {"slidr", "did you mean 'slider'"}},
        {"ik", "--target slider=1,2", {"slider", "position x,y,z", "found 2 numbers"}},
        {"ik", "--target slider", {"slider", "position x,y,z", "found 0 numbers"}},
        {"ik", "--target slider=1,2,x", {"'x'", "finite numbers"}},
        {"ik", "--target slider=1,2,nan", {"'nan'", "finite numbers"}},
        {"ik", "--target slider=0,0,0,0,0,0,0", {"length zero"}},
        {"ik", "--target slider=1,2,3 --hold crank_jont", {"--hold crank_jont", "'crank_joint'"}},
        {"ik", "--target slider=1,2,3 --start home", {"--start home", "saved state"}},
        {"ik", "--target slider=1,2,3 --start crank_joint=1,2", {"crank_joint", "1 number", "found 2"}},
        {"ik", "--target slider=1,2,3 --starts 0", {"--starts"}},
        {"ik", "--target slider=1,2,1e90", {"--target slider=1,2,1e90", "at most 1e+09 m", "1e+90"}},
        {"ik", "--target slider=1e300,2,1", {"at most 1e+09 m", "1e+300"}},
        {"ik", "--target slider=1,2,3 slider=1,2,4", {"slider=1,2,4", "a target already"}},
        {"ik", "--target slider=1,2,3 --start default default", {"expected one state"}},
        {"ik", "--target slider=1,2,3 --start crank_joint=1 crank_joint=2", {"crank_joint", "twice"}},
        {"ik", "--target slider=1,2,3 --start crank_joint=1e15", {"at most 4e+05 rad", "1e+15"}},
        {"ik", "--target slider=1,2,3 --seed -1", {"--seed", "whole number", "'-1'"}},
        {"ik", "--target slider=1,2,3 --seed 18446744073709551616", {"--seed", "2^64 - 1"}},
        {"ik", "--target slider=1,2,3 --seed 1 --seed 2", {"--seed"}},
        {"workspace", "--joint crank_joint --seed -1", {"--seed", "whole number", "'-1'"}},
        {"workspace", "--joint crank_joint --q crank_joint=1 --q crank_joint=1", {"crank_joint", "twice"}},
        {"mount", "--frame rod --q slider_joint=0 --q slider_joint=0", {"slider_joint", "twice"}},
        {"project", "--q crank_joint=1 rod_joint=1 --q crank_joint=2", {"--q crank_joint", "twice"}},
        {"project", "--qd crank_joint=1 crank_joint=1", {"--qd crank_joint", "twice"}},
        {"project", "--weights crank_joint=1 crank_joint=1", {"--weights crank_joint", "twice"}},
        {"project", "--q crank_joint=-1e7", {"at most 4e+05 rad", "-1e+07"}},
        {"project", "--q slider=1", {"--q slider", "no joint"}},
        {"project", "--qd crank_joint=", {"finite numbers"}},
        {"project", "--weights crank_joint=-1", {"not negative"}},
        {"project", "--weights crank_joint=1 --inertia", {"--inertia"}},
    };
    for (const Case& entry : cases) {
        const Run run = tool(entry.command, entry.options);
        INFO(entry.command << " " << entry.options << "\n" << run.err);
        CHECK(run.exit == 2);
        CHECK(run.out.empty());
        for (const char* part : entry.said) CHECK(run.err.find(part) != std::string::npos);
    }
}

TEST_CASE("position and orientation of one frame can be two targets") {
    const Json apart = tool("ik", "--target slider=0.4,0,0 slider=0,0,0,1").json();
    CHECK(apart.at("status") == "converged");
    CHECK(apart.at("targets").size() == 2);
}

TEST_CASE("if there is no solution the result says so, and the exit code is 3") {
    const auto status = [](const char* command, const std::string& options) {
        const Run run = tool(command, options);
        INFO(run.out << run.err);
        CHECK(run.exit == 3);
        CHECK(run.json().contains("message"));
        return run.json().at("status").get<std::string>();
    };
    CHECK(status("ik", "--target slider=0.6,0,0 --start crank_joint=0.4") == "nearest");
    CHECK(status("ik", "--target slider=0.3,0,0 --start crank_joint=0.4 --iterations 1") == "unfinished");
    CHECK(status("project", "--qd crank_joint=1e300") == "not_finite");
    const std::string apart = "crank_joint=1 rod_joint=2 slider_joint=4";
    CHECK(status("ik", "--target rod=0,0,0.1 --start " + apart) == "open");
    CHECK(tool("ik", "--target rod=0,0,0.1 --start " + apart).json().at("residuals").contains("loops"));
    const Run empty = tool("workspace", "--joint slider_joint --from 3 --to 5 --steps 4 --json");
    CHECK(empty.exit == 3);
    CHECK(empty.json().at("branches").empty());
    CHECK(empty.err.find("no closed configuration") != std::string::npos);
    const std::string states = R"({"states": [{}, {"q": {"crank_joint": 1e300}}]})";
    const Run computed = cli::compute(cli::robot("slider_crank"), states);
    CHECK(computed.exit == 0);  // each state has a status of its own
    CHECK(computed.json().at("states").at(0).at("status") == "ok");
    CHECK(computed.json().at("states").at(1).at("status") == "not_finite");
}

TEST_CASE("project moves the joints with the smallest weights") {
    const double angle = 0.5, rod_angle = -0.66;
    const std::string given = "--q crank_joint=" + text(angle) + " rod_joint=" + text(rod_angle) +
                              " slider_joint=" + text(slide(angle) + 0.01);
    const Json heavy_slider = tool("project", given + " --weights slider_joint=1e8").json();
    CHECK(heavy_slider.at("status") == "ok");
    const double reached = heavy_slider.at("q").at("crank_joint");
    CHECK(heavy_slider.at("moved").at("slider_joint").get<double>() == Approx(0).margin(1e-6));
    CHECK(slide(reached) == Approx(slide(angle) + 0.01).margin(1e-6));
    CHECK(heavy_slider.at("residuals_before").at("loops").at("wrist_pin").at("length").get<double>() ==
          Approx(0.01).margin(1e-3));
    const Json heavy_crank = tool("project", given + " --weights crank_joint=1e8").json();
    CHECK(heavy_crank.at("q").at("slider_joint").get<double>() == Approx(slide(angle)).margin(1e-6));
    const Json by_inertia = tool("project", given + " --inertia").json();
    CHECK(by_inertia.at("status") == "ok");
}

TEST_CASE("project gives velocities and accelerations that compute takes as consistent") {
    const Json found = tool("project",
                            "--q crank_joint=0.5 --qd crank_joint=2 rod_joint=1 slider_joint=-1 "
                            "--qdd crank_joint=1")
                           .json();
    CHECK(found.at("status") == "ok");
    const Json state = {{"q", found.at("q")}, {"qd", found.at("qd")}};
    const Json computed =
        cli::states_of(cli::robot("slider_crank"), Json{{"states", Json::array({state})}}.dump()).at(0);
    CHECK(computed.at("status") == "ok");
    CHECK(computed.at("velocity_residual").get<double>() < 1e-12);
    CHECK(found.contains("qdd_moved"));
}

TEST_CASE("compute names the residual of each loop, also where it does not close") {
    const Json closed = cli::states_of(cli::robot("slider_crank"), R"({"states": [{}]})").at(0);
    CHECK(closed.at("residuals").at("loops").at("wrist_pin").at("length").get<double>() < 1e-10);
    // a pin 1 m from its axis, in a slot across that was pulled 3 m away
    const char* const bars = R"(<robot name="bars"><link name="base"/>
<link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="slide" type="prismatic" independent="true"><parent link="base"/><child link="a"/><axis xyz="1 0 0"/>
<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
<joint name="swing" type="continuous"><parent link="base"/><child link="b"/><axis xyz="0 0 1"/></joint>
<start><joint name="swing" value="0.8"/></start>
<loop name="pin" type="point_on_line"><predecessor link="a"/><successor link="b"><origin xyz="1 0 0"/></successor>
<axis xyz="0 1 0"/></loop></robot>)";
    const Json open =
        cli::states_of(cli::written("bars.urdf", bars), R"({"states": [{"q": {"slide": 3, "swing": 0.2}}]})")
            .at(0);
    CHECK(open.at("residuals").at("loops").at("pin").at("length").get<double>() > 1);
    CHECK(open.at("status") != "ok");
}
