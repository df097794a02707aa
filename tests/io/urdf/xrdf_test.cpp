#include <string>
#include <vector>

#include "grbda/io/load.hpp"
#include "io/urdf/xrdf_fixture.hpp"

// The XRDF reader: format, configuration space, default positions, tool frames, spheres and collision masks.

using namespace xrdf_test;
using grbda::Severity;
using Names = std::vector<std::string>;

namespace {

const std::string cspace = "cspace: {joint_names: [j1], acceleration_limits: [1], jerk_limits: [1]}\n";

/// The whole text with another configuration space, in line 3.
std::string with_cspace(const std::string& fields) {
    return "format: xrdf\nformat_version: 1.0\ncspace: {" + fields + "}\n";
}

/// A geometry 'g' in lines 7 to 9; `spheres` begin in line 10.
std::string geometry(const std::string& spheres) { return "geometry:\n  g:\n    spheres:\n" + spheres; }

const std::string no_spheres = "geometry: {g: {spheres: {}}}\n";  // line 7

}  // namespace

TEST_CASE("xrdf has its format and a version of 1 or 2") {
    CHECK(accept("").diagnostics.empty());
    CHECK(read_xrdf("format: \"xrdf\"\nformat_version: 2.0\n" + cspace).diagnostics.empty());
    CHECK(read_xrdf("format: xrdf\nformat_version: 1\n" + cspace).diagnostics.empty());
    check_finding(Severity::warning, "format: xrdf\nformat_version: 3.1\n" + cspace, 2, "format_version",
                  "1.0 or 2.0, found '3.1'");
    check_finding(Severity::error, "format: xrdf\nformat_version: new\n" + cspace, 2, "format_version",
                  "1.0 or 2.0, found 'new'");
    check_finding(Severity::error, "format: urdf\nformat_version: 1.0\n" + cspace, 1, "format",
                  "'xrdf', found 'urdf'");
    check_finding(Severity::error, "format_version: 1.0\n" + cspace, 1, "", "the key 'format'");
    check_finding(Severity::error, "format: xrdf\n" + cspace, 1, "", "the key 'format_version'");
    check_finding(Severity::error, "format: xrdf\nformat_version: 1.0\n", 1, "", "the key 'cspace'");
    CHECK(read_xrdf("- format\n- xrdf\n").count(Severity::error) == 1);
    CHECK(read_xrdf("format: [\n").count(Severity::error) == 1);
}

TEST_CASE("xrdf lists what it does not know, once") {
    const Reading reading = read_xrdf(
        "format: xrdf\nformat_version: 1.0\nworld: 1\n"
        "cspace: {joint_names: [j1], acceleration_limits: [1], jerk_limits: [1], world: 2, mimic: []}\n");
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(reading.diagnostics[0].severity == Severity::note);
    CHECK(contains(to_string(reading.diagnostics[0]), "'world' (2 times)"));
    CHECK(contains(to_string(reading.diagnostics[0]), "'mimic'"));
}

TEST_CASE("xrdf cspace gives the order of coordinates and the limits of their joints") {
    const Reading reading = accept("");
    CHECK(reading.robot.coordinates == Names{"j2", "j1"});
    const grbda::JointDescription& j1 = reading.robot.joints[0];
    const grbda::JointDescription& j2 = reading.robot.joints[1];
    CHECK(j1.limits.acceleration == 20);
    CHECK(j1.limits.jerk == 200);
    CHECK(j2.limits.acceleration == 10);
    CHECK(j2.limits.jerk == 100);
    CHECK(j1.limits.upper == 1);
    CHECK(std::isinf(reading.robot.joints[3].limits.acceleration));
}

TEST_CASE("xrdf cspace has one positive limit for each joint") {
    const auto error = [](const std::string& fields, const std::string& element, const std::string& words) {
        check_finding(Severity::error, with_cspace(fields), 3, element, words);
    };
    error("joint_names: [j1, j2], acceleration_limits: [1], jerk_limits: [1, 1]",
          "cspace.acceleration_limits", "2 limits, one for each of joint_names, found 1");
    error("joint_names: [j1], acceleration_limits: [1], jerk_limits: [1, 1]", "cspace.jerk_limits",
          "found 2");
    error("joint_names: [j1, j2], acceleration_limits: [1, 0], jerk_limits: [1, 1]",
          "cspace.acceleration_limits[1]", "above zero, found 0");
    error("joint_names: [j1], acceleration_limits: [1], jerk_limits: [-5]", "cspace.jerk_limits[0]",
          "found -5");
    error("joint_names: [j1], acceleration_limits: [.inf], jerk_limits: [5]", "cspace.acceleration_limits[0]",
          "finite");
    error("joint_names: [j1], acceleration_limits: 1, jerk_limits: [5]", "cspace.acceleration_limits",
          "a list");
    error("joint_names: [j1], jerk_limits: [5]", "cspace", "the key 'acceleration_limits'");
    error("joint_names: [j1], acceleration_limits: [1]", "cspace", "the key 'jerk_limits'");
    error("acceleration_limits: [1], jerk_limits: [5]", "cspace", "the key 'joint_names'");
    error("joint_names: [], acceleration_limits: [], jerk_limits: []", "cspace.joint_names", "at least one");
}

TEST_CASE("xrdf cspace names joints that move by themselves, each once") {
    const auto error = [](const std::string& joint, const std::string& words) {
        check_finding(
            Severity::error,
            with_cspace("joint_names: [j1, " + joint + "], acceleration_limits: [1, 1], jerk_limits: [1, 1]"),
            3, "cspace.joint_names[1]", words);
    };
    error("j3", "a known joint, found 'j3' (did you mean 'j1'");
    error("f", "one degree of freedom, found 'f', which is fixed");
    error("ball", "one degree of freedom, found 'ball', which is spherical");
    error("mirror", "by itself, found 'mirror', which mimics another");
    error("j1", "each joint once, found 'j1' again");
    error("[j2]", "text");
}

TEST_CASE("xrdf default positions are where joints start; the others start next to 0") {
    const Reading given = accept("default_joint_positions: {j1: -0.25, slide: 1e-02, j2: 1}\n");
    CHECK(given.robot.start ==
          std::map<std::string, std::vector<double>>{{"j1", {-0.25}}, {"slide", {0.01}}, {"j2", {1}}});
    CHECK(given.diagnostics.empty());
    grbda::RobotDescription described = robot();
    described.joints[0].limits.lower = -2;
    described.joints[0].limits.upper = -1.5;
    described.joints[1].limits.lower = 0.5;
    const Reading clamped = read_xrdf(required, described);
    CHECK(clamped.robot.start == std::map<std::string, std::vector<double>>{{"j1", {-1.5}}, {"j2", {0.5}}});
    REQUIRE(clamped.diagnostics.size() == 1);
    CHECK(has(clamped, Severity::note, 1, "", "start at the limit, 'j1', 'j2'"));
    described.start["j2"] = {0.75};
    CHECK(read_xrdf(required, described).robot.start.at("j2") == std::vector<double>{0.75});
}

TEST_CASE("xrdf default positions lie within the limits of joints that move by themselves") {
    const auto error = [](const std::string& joint, const std::string& value, const std::string& words) {
        check_error("default_joint_positions:\n  " + joint + ": " + value + "\n", 8,
                    "default_joint_positions." + joint, words);
    };
    error("j1", "1.01", "the joint's limits, -1 to 1, found 1.01");
    error("j2", "-1", "the joint's limits, -0.5 to 2, found -1");
    error("j1", "one", "a finite number, found 'one'");
    error("j1", "[0]", "a finite number");
    error("f", "0", "which is fixed");
    error("mirror", "0", "which mimics another");
    error("ball", "0", "which is spherical");
    error("slid", "0", "did you mean 'slide'");
    accept("default_joint_positions: {j1: 1.0000001}\n");  // what rounding put there
    accept("default_joint_positions: {spin: 7}\n");
    accept("default_joint_positions:\n");
    check_error("default_joint_positions: [1]\n", 7, "default_joint_positions", "a mapping");
}

TEST_CASE("xrdf tool frames are known links and frames, each once") {
    CHECK(accept("tool_frames: [tool, a]\n").robot.tool_frames == Names{"tool", "a"});
    grbda::RobotDescription with_tool = robot();
    with_tool.tool_frames = {"a"};
    CHECK(accept("tool_frames: [tool, a]\n", with_tool).robot.tool_frames == Names{"a", "tool"});
    CHECK(accept("modifiers:\n" + add_frame("tip", "tool") + "tool_frames: [tip]\n").robot.tool_frames ==
          Names{"tip"});
    check_error("tool_frames: [tool, tol]\n", 7, "tool_frames[1]", "did you mean 'tool'");
    check_error("tool_frames: [tool, tool]\n", 7, "tool_frames[1]", "'tool' again");
    check_error("tool_frames: tool\n", 7, "tool_frames", "a list");
}

TEST_CASE("xrdf spheres are kept by link and frame") {
    const Reading reading = accept("modifiers:\n" + add_frame("tip", "tool") +
                                   geometry("      tip:\n        - center: [1, 2, 3]\n          radius: 0.5\n"
                                            "        - {center: [0, 0, 1e-1], radius: -1}\n      a: []\n"));
    REQUIRE(reading.robot.geometries.size() == 1);
    CHECK(reading.robot.geometries[0].name == "g");
    const auto& spheres = reading.robot.geometries[0].spheres.at("tip");
    REQUIRE(spheres.size() == 2);
    CHECK(spheres[0].center == Eigen::Vector3d(1, 2, 3));
    CHECK(spheres[0].radius == 0.5);
    CHECK(spheres[1].center == Eigen::Vector3d(0, 0, 0.1));
    CHECK(spheres[1].radius == -1);
    check_error(geometry("      z: []\n"), 10, "geometry.g.spheres.z", "a known link or frame");
    check_error(geometry("      a:\n        - {center: [1, 2], radius: 1}\n"), 11,
                "geometry.g.spheres.a[0].center", "3 numbers, found 2");
    check_error(geometry("      a:\n        - {center: [1, 2, 3]}\n"), 11, "geometry.g.spheres.a[0]",
                "'radius'");
    check_error(geometry("      a:\n        - {center: [1, 2, 3], radius: .nan}\n"), 11, ".radius", "finite");
    check_error(geometry("      a: 1\n"), 10, "geometry.g.spheres.a", "a list");
    check_error("geometry: {g: {}}\n", 7, "geometry.g", "the key 'spheres'");
    grbda::RobotDescription twice = robot();
    twice.geometries.push_back({"g", {}});
    check_error(no_spheres, 7, "geometry.g", "'g' again", twice);
}

TEST_CASE("xrdf collision masks are kept, under either name of the first") {
    const std::string fields =
        ": {geometry: g, buffer_distance: {a: 0.01, b: -2e-2}, ignore: {a: [b, tool], b: [c]}}\n";
    for (const std::string section : {"collision", "world_collision"}) {
        const Reading reading = accept(no_spheres + section + fields + "self_collision: {geometry: g}\n");
        CHECK(reading.diagnostics.empty());
        const grbda::CollisionDescription& collision = reading.robot.collision;
        CHECK(collision.geometry == "g");
        CHECK(collision.buffer_distance == std::map<std::string, double>{{"a", 0.01}, {"b", -0.02}});
        CHECK(collision.ignore == std::map<std::string, Names>{{"a", {"b", "tool"}}, {"b", {"c"}}});
        CHECK(reading.robot.self_collision.geometry == "g");
        CHECK(reading.robot.self_collision.ignore.empty());
    }
    const Reading self = accept(no_spheres + "self_collision" + fields);
    CHECK(self.robot.self_collision.ignore.at("a") == Names{"b", "tool"});
    CHECK(self.robot.collision.geometry.empty());
    check_error(no_spheres + "collision: {geometry: g}\nworld_collision: {geometry: g}\n", 9,
                "world_collision", "found both");
}

TEST_CASE("xrdf collision masks name a geometry and links or frames") {
    for (const std::string section : {"collision", "self_collision"}) {
        const auto error = [&](const std::string& fields, const std::string& key, const std::string& words) {
            check_error(no_spheres + section + ": {" + fields + "}\n", 8, section + key, words);
        };
        error("buffer_distance: {a: 1}", "", "the key 'geometry'");
        error("geometry: h", ".geometry", "a group of 'geometry', found 'h'");
        error("geometry: g, buffer_distance: {z: 1}", ".buffer_distance.z", "a known link or frame");
        error("geometry: g, buffer_distance: {a: x}", ".buffer_distance.a", "a finite number");
        error("geometry: g, ignore: {z: [a]}", ".ignore.z", "a known link or frame");
        error("geometry: g, ignore: {a: [b, tol]}", ".ignore.a[1]", "did you mean 'tool'");
        error("geometry: g, ignore: {a: b}", ".ignore.a", "a list");
        check_finding(Severity::warning,
                      required + no_spheres + section + ": {geometry: g, ignore: {a: [a]}}\n", 8,
                      section + ".ignore.a[0]", "'a' itself");
    }
}

TEST_CASE("the published example of xrdf, the UR10e, is read whole") {
    grbda::Diagnostics diagnostics;
    const std::string folder = std::string(GRBDA_ROBOTS) + "/ur10e/";
    const grbda::RobotDescription robot =
        grbda::read_description({folder + "ur10e.urdf", folder + "ur10e.xrdf"}, diagnostics);
    CHECK(diagnostics.size() == 1);  // the note of the new root
    CHECK(robot.coordinates == Names{"shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint",
                                     "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"});
    CHECK(robot.start.size() == 6);
    CHECK(robot.start.at("elbow_joint") == std::vector<double>{1.9});
    CHECK(robot.tool_frames == Names{"tool0"});
    CHECK(robot.links.front().name == "base_link");
    CHECK(robot.geometries.at(0).spheres.size() == 8);
    CHECK(robot.self_collision.ignore.at("wrist_1_link").size() == 2);
    for (const grbda::JointDescription& joint : robot.joints) {
        if (joint.type == grbda::JointType::fixed) continue;
        CHECK(joint.limits.acceleration == 12);
        CHECK(joint.limits.jerk == 500);
    }
}
