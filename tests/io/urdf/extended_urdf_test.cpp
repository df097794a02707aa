#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "grbda/io/side_files.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"

using grbda::Diagnostic;
using grbda::JointDescription;
using grbda::JointType;
using grbda::LoopType;
using grbda::Severity;

namespace {

/// A square of four links with a fixed frame on both ends of the chain, and a joint beside it.
const std::string urdf =
    R"(<robot name="r"><link name="base"/><link name="a"/><link name="b"/><link name="c"/>
<link name="end1_A"/><link name="end1_B"/><link name="side"/>
<joint name="motor_a" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="5" velocity="7"/></joint>
<joint name="free_b" type="continuous"><parent link="a"/><child link="b"/><origin xyz="1 0 0" rpy="0.1 0.2 0.3"/><axis xyz="0 0 1"/></joint>
<joint name="free_c" type="continuous"><parent link="b"/><child link="c"/><origin xyz="0 1 0"/><axis xyz="0 0 1"/></joint>
<joint name="end1_A_frame" type="fixed"><parent link="c"/><child link="end1_A"/><origin xyz="-1 0 0"/></joint>
<joint name="end1_B_frame" type="fixed"><parent link="base"/><child link="end1_B"/><origin xyz="0 1 0"/></joint>
<joint name="motor_side" type="continuous"><parent link="base"/><child link="side"/><axis xyz="0 0 1"/></joint>
</robot>)";

struct Reading {
    grbda::RobotDescription robot;
    grbda::Diagnostics diagnostics;

    long count(Severity severity) const {
        return std::count_if(diagnostics.begin(), diagnostics.end(),
                             [&](const Diagnostic& entry) { return entry.severity == severity; });
    }
    bool has(Severity severity, int line, const std::string& words) const {
        return std::any_of(diagnostics.begin(), diagnostics.end(), [&](const Diagnostic& entry) {
            return entry.severity == severity && entry.where.line == line &&
                   to_string(entry).find(words) != std::string::npos;
        });
    }
    const JointDescription& joint(const std::string& name) const {
        const auto found = std::find_if(robot.joints.begin(), robot.joints.end(),
                                        [&](const JointDescription& entry) { return entry.name == name; });
        REQUIRE(found != robot.joints.end());
        return *found;
    }
};

Reading read(const std::string& yaml) {
    Reading reading;
    grbda::Diagnostics of_robot;
    reading.robot = grbda::read_urdf(urdf, "robot.urdf", of_robot);
    REQUIRE_FALSE(has_errors(of_robot));
    grbda::apply_extended_urdf(yaml, "robot.yaml", reading.robot, reading.diagnostics);
    for (const Diagnostic& entry : reading.diagnostics) {
        UNSCOPED_INFO(to_string(entry));
        CHECK(entry.where.file == "robot.yaml");
        CHECK(entry.where.line > 0);
        CHECK(entry.where.column > 0);
    }
    return reading;
}

Reading accept(const std::string& yaml) {
    INFO(yaml);
    Reading reading = read(yaml);
    CHECK(reading.count(Severity::error) == 0);
    return reading;
}

/// One error and no other, in this line and with these words.
void check_error(const std::string& yaml, int line, const std::string& words) {
    INFO(yaml);
    const Reading reading = read(yaml);
    CHECK(reading.count(Severity::error) == 1);
    CHECK(reading.has(Severity::error, line, words));
}

bool has_loop(const Reading& reading, LoopType type, const std::string& predecessor,
              const std::string& successor) {
    if (reading.robot.loops.size() != 1) return false;
    const grbda::LoopDescription& loop = reading.robot.loops[0];
    return loop.type == type && loop.predecessor == predecessor && loop.successor == successor;
}

}  // namespace

TEST_CASE("closed_loop and type become loops between the two frames") {
    const Reading point = accept("# loops\nclosed_loop: [[end1_A, end1_B]]\ntype: [3d]\n");
    CHECK(point.diagnostics.empty());
    CHECK(has_loop(point, LoopType::spherical, "end1_A", "end1_B"));
    CHECK(point.robot.loops[0].name == "end1_A to end1_B");
    CHECK(point.robot.loops[0].where.file == "robot.yaml");
    CHECK(point.robot.loops[0].where.line == 2);
    CHECK(has_loop(accept("closed_loop: [[end1_A, end1_B]]\ntype: [3D]\n"), LoopType::spherical, "end1_A",
                   "end1_B"));
    CHECK(has_loop(accept("closed_loop: [[end1_A, end1_B]]\ntype: [6d]\n"), LoopType::fixed, "end1_A",
                   "end1_B"));
    CHECK(has_loop(accept("closed_loop: [[end1_A, end1_B]]\ntype: [6D]\n"), LoopType::fixed, "end1_A",
                   "end1_B"));
    CHECK(accept("closed_loop: []\ntype: []\n").robot.loops.empty());
}

TEST_CASE("a frame is a link or named frame first, else the frame of a joint's child") {
    CHECK(has_loop(accept("closed_loop: [[free_c, end1_B_frame]]\ntype: [3d]\n"), LoopType::spherical, "c",
                   "end1_B"));
    CHECK(has_loop(accept("closed_loop: [[free_c, base]]\ntype: [3d]\njoint_name: [free_c]\n"
                          "joint_type: [UJOINT_XY]\n"),
                   LoopType::spherical, "c", "base"));
    CHECK(has_loop(accept("closed_loop: [[free_c_X, base]]\ntype: [3d]\njoint_name: [free_c]\n"
                          "joint_type: [UJOINT_XY]\n"),
                   LoopType::spherical, "free_c_X_link", "base"));
    Reading reading;
    grbda::Diagnostics of_robot;
    reading.robot = grbda::read_urdf(urdf, "robot.urdf", of_robot);
    grbda::FrameDescription frame;
    frame.name = "tip";
    frame.link = "c";
    frame.origin.translation << 1, 2, 3;
    reading.robot.frames.push_back(frame);
    grbda::apply_extended_urdf("closed_loop: [[tip, base]]\ntype: [3d]\n", "f", reading.robot, of_robot);
    REQUIRE(has_loop(reading, LoopType::spherical, "c", "base"));
    CHECK(reading.robot.loops[0].predecessor_origin.translation == Eigen::Vector3d(1, 2, 3));
}

TEST_CASE("a loop in Extended URDF with missing or surplus elements is an error at its place") {
    check_error("type: [3d]\n", 1, "the key 'closed_loop'");
    check_error("closed_loop: [[end1_A, end1_B]]\ntype: [3d, 6d]\n", 2,
                "1 types, one for each loop in "
                "closed_loop, found 2");
    check_error("closed_loop: [[end1_A, end1_B], [c, base]]\ntype: [3d]\n", 2, "found 1");
    check_error("closed_loop: [[end1_A, end1_B]]\ntype: [planar]\n", 2, "'planar'");
    check_error("closed_loop: [[end1_A, end1_B]]\ntype: {a: 3d}\n", 2, "a list");
    check_error("closed_loop:\n  - [end1_A, end1_C]\ntype: [3d]\n", 2, "did you mean 'end1_A' or 'end1_B'");
    check_error("closed_loop:\n  - [end1_A]\ntype: [3d]\n", 2, "a list of two frames, found one of 1");
    check_error("closed_loop:\n  - end1_A\ntype: [3d]\n", 2, "a list of two frames");
    check_error("closed_loop: end1_A\ntype: [ ]\n", 1, "a list");
    for (const std::string type : {"3d", "4d"}) {  // of a type that is unknown, too
        Reading twice = read("closed_loop: [[end1_A, end1_A]]\ntype: [" + type + "]\n");
        make_mechanism(twice.robot, {}, twice.diagnostics);
        CHECK(twice.count(Severity::error) == (type == "3d" ? 1 : 2));
        CHECK(twice.has(Severity::error, 1, "two different links, found 'end1_A' at both ends"));
    }
    check_error("closed_loop:\n  - [end1_A, end1_B]\n  - [end1_B, end1_A]\ntype: [3d, 3d]\n", 3, "each pair");
    check_error("closed_loop: [[end1_A, end1_B]]\ntype: [3d]\nname_closedloop: end\n", 3, "both");
    check_error("- a\n", 1, "a mapping");
}

TEST_CASE("loops without types are rigid, with a note") {
    const Reading reading = accept("closed_loop: [[end1_A, end1_B]]\n");
    CHECK(has_loop(reading, LoopType::fixed, "end1_A", "end1_B"));
    CHECK(reading.has(Severity::note, 1, "6d"));
}

TEST_CASE("name_mot names the motors") {
    const Reading reading = accept("name_mot: [motor_side, motor_a]\n");
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.actuated == std::vector<std::string>{"motor_side", "motor_a"});
    check_error("name_mot: [motor_a, motor_b]\n", 1, "did you mean 'motor_a'");
    check_error("name_mot:\n  - motor_a\n  - motor_a\n", 3, "each motor once");
    check_error("name_mot: [end1_A_frame]\n", 1, "the fixed joint");
    check_error("name_mot: [free_b]\njoint_name: [free_b]\njoint_type: [FIXED]\n", 1, "the fixed joint");
    check_error("name_mot: [free_b]\njoint_name: [free_b]\njoint_type: [UJOINT_XY]\n", 1, "two joints");
    CHECK(accept("name_mot: [free_b_X]\njoint_name: [free_b]\njoint_type: [UJOINT_XY]\n").robot.actuated ==
          std::vector<std::string>{"free_b_X"});
}

TEST_CASE("motors of name_mot stand in place of those of the robot's own file") {
    grbda::Diagnostics diagnostics;
    grbda::RobotDescription robot = grbda::read_urdf(urdf, "robot.urdf", diagnostics);
    robot.actuated = {"free_c"};
    diagnostics.clear();
    grbda::apply_extended_urdf("name_mot: [motor_a]\n", "robot.yaml", robot, diagnostics);
    CHECK(robot.actuated == std::vector<std::string>{"motor_a"});
    REQUIRE(diagnostics.size() == 1);
    CHECK(to_string(diagnostics[0]).find("'free_c'") != std::string::npos);
}

TEST_CASE("joint_type replaces joints in their places") {
    const Reading reading = accept(
        "joint_name: [motor_a, free_b, free_c]\n"
        "joint_type: [SPHERICAL, FIXED, UJOINT_ZX]\n");
    CHECK(reading.diagnostics.empty());
    const JointDescription& spherical = reading.joint("motor_a");
    CHECK(spherical.type == JointType::spherical);
    CHECK(std::isinf(spherical.limits.upper));
    CHECK(spherical.limits.effort == 5);
    CHECK(reading.joint("free_b").type == JointType::fixed);
    const JointDescription& first = reading.joint("free_c_Z");
    const JointDescription& second = reading.joint("free_c_X");
    CHECK(first.type == JointType::continuous);
    CHECK(second.type == JointType::continuous);
    CHECK(first.parent == "b");
    CHECK(first.child == second.parent);
    CHECK(second.child == "c");
    CHECK(first.axis == Eigen::Vector3d::UnitZ());
    CHECK(second.axis == Eigen::Vector3d::UnitX());
    CHECK(first.origin.translation == Eigen::Vector3d::UnitY());
    CHECK(second.origin.translation.isZero());
    CHECK(reading.robot.joints.size() == 7);
    grbda::Diagnostics diagnostics;
    const grbda::Mechanism mechanism = grbda::make_mechanism(reading.robot, {}, diagnostics);
    CHECK_FALSE(has_errors(diagnostics));
    CHECK(mechanism.bodies.size() == 4);  // a with b, the massless link, c, side
}

TEST_CASE("springs of joints that are replaced are left out with a warning, but for those that are locked") {
    Reading reading;
    grbda::Diagnostics of_robot;
    reading.robot = grbda::read_urdf(urdf, "robot.urdf", of_robot);
    for (JointDescription& joint : reading.robot.joints) {
        joint.stiffness = 2;
        joint.rest = {0.5};
        joint.damping = 3;
    }
    grbda::apply_extended_urdf(
        "joint_name: [motor_a, free_b, free_c]\njoint_type: [SPHERICAL, FIXED, UJOINT_ZX]\n", "robot.yaml",
        reading.robot, reading.diagnostics);
    CHECK(reading.count(Severity::warning) == 2);
    CHECK(reading.has(Severity::warning, 2, "joint 'motor_a' without a spring"));
    CHECK(reading.has(Severity::warning, 2, "joint 'free_c' without a spring"));
    for (const Diagnostic& entry : reading.diagnostics)
        CHECK(entry.strict == (entry.severity == Severity::warning));
    for (const char* name : {"motor_a", "free_c_Z", "free_c_X"}) {
        CHECK(reading.joint(name).stiffness == 0);
        CHECK(reading.joint(name).rest.empty());
        CHECK(reading.joint(name).damping == 3);
    }
    CHECK(reading.joint("motor_side").stiffness == 2);
    grbda::Diagnostics findings;
    grbda::make_mechanism(reading.robot, {}, findings);
    CHECK_FALSE(has_errors(findings));
}

TEST_CASE("a replacement in Extended URDF that cannot be made is an error at its place") {
    check_error("joint_name: [free_b]\n", 1, "no joint_type");
    check_error("joint_type: [FIXED]\n", 1, "no joint_name");
    check_error("joint_name: [free_b, free_c]\njoint_type: [FIXED]\n", 2,
                "2 types, one for each joint in "
                "joint_name, found 1");
    check_error("joint_name: [free_b]\njoint_type: [FIXED, FIXED]\n", 2, "found 2");
    check_error("joint_name: [free_d]\njoint_type: [FIXED]\n", 1, "did you mean 'free_b' or 'free_c'");
    check_error("joint_name: [free_b, free_b]\njoint_type: [FIXED, FIXED]\n", 1, "each joint once");
    check_error("joint_name: [free_b]\njoint_type: [CARDAN]\n", 2, "UJOINT_XY");
    check_error("joint_name: [free_b]\njoint_type: [SPHERIAL]\n", 2, "did you mean 'SPHERICAL'");
    check_error("joint_name: [free_b]\njoint_type: [UJOINT_XX]\n", 2, "'UJOINT_XX'");
    check_error("joint_name: [free_b]\njoint_type: [UJOINT_XW]\n", 2, "'UJOINT_XW'");
    check_error("joint_name: [end1_A_frame]\njoint_type: [SPHERICAL]\n", 1, "the fixed joint");
    check_error("joint_name: free_b\njoint_type: [FIXED]\n", 1, "a list");
    accept("joint_name: [end1_A_frame]\njoint_type: [FIXED]\n");
    accept("joint_name: []\njoint_type: []\n");
}

TEST_CASE("older files of Extended URDF are read as the newer ones, with a note for each key") {
    const std::string rest = "closed_loop_number: 1\ntype: 6D\nname_mot: motor\nrotule_name: free_c\n";
    const Reading reading = accept("name_closedloop: end\n" + rest);
    CHECK(has_loop(reading, LoopType::fixed, "end1_A", "end1_B"));
    CHECK(reading.robot.actuated == std::vector<std::string>{"motor_a", "motor_side"});
    CHECK(reading.joint("free_c").type == JointType::spherical);
    for (int line = 1; line <= 5; ++line) CHECK(reading.has(Severity::note, line, "older files"));
    CHECK(reading.count(Severity::note) == 5);
    CHECK(has_loop(accept("name_closedloop: end\nclosed_loop_number: -1\ntype: 3d\n"), LoopType::spherical,
                   "end1_A", "end1_B"));
    check_error("name_closedloop: start\ntype: 6D\n", 1, "which no link has");
    check_error("name_closedloop: end\nclosed_loop_number: 2\ntype: 6D\n", 2, "named for 1: '1'");
    check_error("name_closedloop: end\ntype: planar\n", 2, "'planar'");
    check_error("name_mot: engine\n", 1, "'engine', which no such joint has");
    check_error("name_mot: frame\n", 1, "which no such joint has");  // fixed joints have no motor
    check_error("rotule_name: ball\n", 1, "which no such joint has");
}

TEST_CASE("the number of an older loop is all of its digits") {
    grbda::Diagnostics diagnostics;
    grbda::RobotDescription robot = grbda::read_urdf(urdf, "robot.urdf", diagnostics);
    robot.links.push_back({"end12_A", std::nullopt, {}});
    robot.links.push_back({"end12_B", std::nullopt, {}});
    diagnostics.clear();
    grbda::apply_extended_urdf("name_closedloop: end\ntype: 6D\n", "robot.yaml", robot, diagnostics);
    CHECK_FALSE(has_errors(diagnostics));
    REQUIRE(robot.loops.size() == 2);
    CHECK(robot.loops[1].name == "end12_A to end12_B");
    robot.links.pop_back();
    robot.loops.clear();
    grbda::apply_extended_urdf("name_closedloop: end\ntype: 6D\n", "robot.yaml", robot, diagnostics);
    REQUIRE(has_errors(diagnostics));
    CHECK(robot.loops.size() == 1);
}

TEST_CASE("keys that Extended URDF does not have are one note") {
    const Reading reading = accept("name_mot: [motor_a]\nLidmot: [0]\nLidvmot: [0]\n");
    CHECK(reading.count(Severity::note) == 1);
    CHECK(reading.has(Severity::note, 2, "'Lidmot', 'Lidvmot'"));
}

TEST_CASE("a robot of two files loads by their names, in any order") {
    for (const std::string name : {"digit_leg", "cassie_like"}) {
        const std::string base = std::string(GRBDA_ROBOTS) + "/" + name + "/" + name;
        const grbda::Model model = grbda::load({base + ".yaml", base + ".urdf"});
        const bool digit = name == "digit_leg";
        CHECK(model.nv == (digit ? 6 : 5));
        CHECK(model.nv_tree == (digit ? 9 : 7));
        CHECK(model.loops.size() == (digit ? 3 : 2));
        CHECK_FALSE(has_errors(model.diagnostics));
    }
}
