#include <filesystem>
#include <fstream>

#include <catch2/catch.hpp>

#include "cli/cli_fixture.hpp"

// `grbda view` fills a template's slot with the robot's files; the page itself is tested in a browser.

using cli::Json;
using cli::quoted;
using cli::Run;

namespace {

/// Fills a template and reads its slot.
Json slot_of(const std::string& options) {
    const std::string page = cli::written("template.html", "<script>/*ROBOT*/</script>");
    const Run run = cli::run("view --template " + quoted(page) + " " + options);
    INFO(run.err);
    REQUIRE(run.exit == 0);
    const std::size_t begin = std::string("<script>").size(), end = run.out.find("</script>");
    CHECK(run.out.find('<', begin) == end);
    return Json::parse(run.out.substr(begin, end - begin));
}

}  // namespace

TEST_CASE("view: the page holds the robot's files below one folder") {
    const std::string robots = GRBDA_ROBOTS;
    const Json robot = slot_of(quoted(robots + "/digit_leg/digit_leg.urdf") + " " +
                               quoted(robots + "/digit_leg/digit_leg.yaml"));
    CHECK(robot["main"] == Json({"digit_leg.urdf", "digit_leg.yaml"}));
    CHECK(robot["files"].size() == 2);
    CHECK(robot["files"][0]["path"] == "digit_leg.urdf");
    CHECK(robot["files"][0]["base64"].get<std::string>().substr(0, 8) == "PD94bWwg");  // <?xml
    CHECK(robot["options"]["spherical"] == true);
    CHECK_FALSE(robot.contains("record"));
}

TEST_CASE("view: with a record joints stay as the simulation had them") {
    const std::string record = cli::written("fall.csv", "time,q:joint1\n0,1 </script>\n");
    const Json robot = slot_of(quoted(cli::robot("four_bar")) + " --record " + quoted(record));
    CHECK(robot["record"] == "time,q:joint1\n0,1 </script>\n");
    CHECK(robot["options"]["spherical"] == false);
}

TEST_CASE("view: meshes of packages above the robot's file are in the page") {
    const std::filesystem::path package = cli::folder() / "arm_description";
    std::filesystem::create_directories(package / "urdf");
    std::filesystem::create_directories(package / "meshes");
    std::ofstream(package / "meshes/arm.stl") << "solid a endsolid a";
    std::ofstream(package / "urdf/arm.urdf") << R"(<robot name="a"><link name="base"><visual><geometry>
        <mesh filename="package://arm_description/meshes/arm.stl"/></geometry></visual><visual><geometry>
        <mesh filename="package://arm_description/meshes/gone.stl"/></geometry></visual></link><link name="arm"><inertial>
        <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint></robot>)";
    const Json robot = slot_of(quoted((package / "urdf/arm.urdf").string()));
    CHECK(robot["main"] == Json({"urdf/arm.urdf"}));
    REQUIRE(robot["files"].size() == 2);
    CHECK(robot["files"][1]["path"] == "meshes/arm.stl");
}

TEST_CASE("view: a template that is not there, or is another file, is an error") {
    const Run missing = cli::run("view --template /nowhere.html " + quoted(cli::robot("four_bar")));
    CHECK(missing.exit == 1);
    CHECK(missing.err.find("/nowhere.html") != std::string::npos);
    const std::string other = cli::written("other.html", "<p>");
    const Run wrong = cli::run("view --template " + quoted(other) + " " + quoted(cli::robot("four_bar")));
    CHECK(wrong.exit == 1);
    CHECK(wrong.err.find("expected a template") != std::string::npos);
}
