#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "grbda/compose.hpp"
#include "dynamics/aba.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "kinematics/kinematics.hpp"
#include "io/folder_fixture.hpp"
#include "support/require_ok.hpp"

// A world file is compose(), written down.

using namespace grbda;
using Eigen::Vector3d;
using folder_test::Folder;

namespace {

const std::string arm = R"(<robot name="arm"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0 0 0.2"/><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tool"><inertial><origin xyz="0 0 0.1"/><mass value="1"/><inertia ixx="0.05" iyy="0.04" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="tool"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/></joint>
</robot>)";
const std::string hook =
    R"(<robot name="hook"><link name="palm"><inertial><mass value="0.3"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="finger"><inertial><origin xyz="0.1 0 0"/><mass value="0.2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="grip" type="prismatic"><parent link="palm"/><child link="finger"/><axis xyz="1 0 0"/><limit lower="0" upper="0.1" effort="9" velocity="1"/></joint>
</robot>)";
const std::string cell = R"(world: cell
robots:
  - files: parts/arm.urdf
    prefix: left_
    xyz: [0, 0.5, 0.1]
  - files: [parts/arm.urdf]
    prefix: right_
    xyz: [0, -0.5, 0]
    rpy: [0, 0, 1.5]
  - files: parts/hook.urdf
    parent: right_tool
    joint: revolute
    axis: [0, 0, 1]
    xyz: [0, 0, 0.3]
)";

RobotDescription read(const std::string& text) {
    Diagnostics diagnostics;
    return read_urdf(text, "robot.urdf", diagnostics);
}

Model composed() {
    std::vector<RobotPart> parts(3);
    parts[0].robot = read(arm);
    parts[0].prefix = "left_";
    parts[0].base.translation = {0, 0.5, 0.1};
    parts[1].robot = read(arm);
    parts[1].prefix = "right_";
    parts[1].base.translation = {0, -0.5, 0};
    parts[1].base.rotation = Eigen::AngleAxisd(1.5, Vector3d::UnitZ()).toRotationMatrix();
    parts[2].robot = read(hook);
    parts[2].parent = "right_tool";
    parts[2].joint = JointType::revolute;
    parts[2].axis = Vector3d::UnitZ();
    parts[2].base.translation = {0, 0, 0.3};
    Diagnostics diagnostics;
    return build_model(compose("cell", parts, diagnostics));
}

std::string refusal(const std::string& file) {
    try {
        load(file);
    } catch (const LoadError& error) {
        return error.what();
    }
    return "";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("A world is what compose() makes of its robots") {
    const Folder folder;
    folder.write("parts/arm.urdf", arm);
    folder.write("parts/hook.urdf", hook);
    const Model model = load(folder.write("cell.yaml", cell)), expected = composed();
    CHECK(model.names.robot == "cell");
    CHECK(model.files.size() == 4);
    REQUIRE(model.nv == 6);
    REQUIRE(model.layout == expected.layout);
    Workspace<double> data(model), other(expected);
    for (int i = 0; i < 20; ++i) {
        const VectorX<double> q = 2 * VectorX<double>::Random(6), yd = VectorX<double>::Random(6),
                              tau = VectorX<double>::Random(6);
        must(aba<double>(model, data, q, yd, tau));
        must(aba<double>(expected, other, q, yd, tau));
        CHECK((data.ydd - other.ydd).norm() < 1e-12 * (1 + other.ydd.norm()));
    }
    must(forward_kinematics<double>(model, data, VectorX<double>::Zero(6)));
    const auto at = [&](const char* frame) {
        const auto p = frame_position(model, data, model.frame(frame).index);
        return Vector3d(p[0], p[1], p[2]);
    };
    CHECK((at("left_tool") - Vector3d(0, 0.5, 0.6)).norm() < 1e-12);
    CHECK((at("finger") - Vector3d(0, -0.5, 0.8)).norm() < 1e-12);
}

TEST_CASE("Errors in a world file are reported with their lines") {
    const Folder folder;
    folder.write("parts/arm.urdf", arm);
    folder.write("parts/hook.urdf", hook);
    const auto refused = [&](const std::string& text) { return refusal(folder.write("world.yaml", text)); };
    CHECK(has(refused("robots: []"), "world.yaml:1"));
    CHECK(has(refused("world: empty"), "robots"));
    CHECK(has(refused("robots:\n  - prefix: a_\n"), "files"));
    CHECK(has(refused("robots:\n  - files: arm.urdf\n"), "world.yaml:2"));
    const std::string misspelled = refused("robots:\n  - files: parts/arm.urdf\n    xzy: [0, 0, 1]\n");
    CHECK(has(misspelled, "world.yaml:3"));
    CHECK(has(misspelled, "xyz"));
    CHECK(has(refused("robots:\n  - {files: parts/arm.urdf, joint: hinge}\n"), "'hinge'"));
    CHECK(has(refused("robots:\n  - {files: parts/arm.urdf, xyz: [0, 1]}\n"), "world.yaml:2"));
    CHECK(has(refused("robots:\n  - {files: parts/arm.urdf, parent: nowhere}\n"), "'nowhere'"));
    CHECK(has(refused("robots:\n  - {files: parts/arm.urdf, joint: revolute, axis: [0, 0, 0]}\n"), "axis"));
    CHECK(has(refused("robots:\n  - files: world.yaml\n"), "world files that are not in themselves"));
    CHECK(has(refused("gravity: [0, 1]\nrobots: [{files: parts/arm.urdf}]"), "world.yaml:1"));
    CHECK(has(refused("states: {up: {elbow: high}}\nrobots: [{files: parts/arm.urdf}]"), "states.up.elbow"));
    CHECK(has(refused("states: {up: {elbo: 1}}\nrobots: [{files: parts/arm.urdf}]"), "'elbow'"));
    CHECK(has(refused("robots:\n  - files: parts\n"), "folder"));
    CHECK(has(refused("robots:\n  - files: []\n"), "files"));
    // the same names twice
    CHECK(has(refused("robots:\n  - files: parts/arm.urdf\n  - files: parts/arm.urdf\n"), "prefix"));
    // not below its folder
    const std::string outside = folder.write("inside/world.yaml", "robots:\n  - files: ../parts/arm.urdf\n");
    CHECK(has(refusal(outside), "inside/world.yaml:2"));
    LoadOptions options;
    options.paths = {std::filesystem::path(outside).parent_path().parent_path().string()};
    CHECK(load(outside, options).nv == 2);
}

TEST_CASE("A robot whose root is called world stands in a world without a prefix, as the page has it") {
    const Folder folder;
    folder.write("arm.urdf", arm);
    folder.write(
        "hand.sdf",
        R"(<sdf version="1.9"><model name="hand"><frame name="grip"/><link name="palm"><inertial><mass>1</mass>
<inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial></link>
<joint name="mount" type="fixed"><parent>world</parent><child>palm</child></joint></model></sdf>)");
    const Model model = load(folder.write(
        "cell.yaml",
        "robots:\n  - {files: arm.urdf, prefix: left_}\n"
        "  - {files: hand.sdf, parent: left_tool, joint: revolute, axis: [0, 0, 1], xyz: [0, 0, 1]}\n"));
    CHECK(model.nv == 3);
    CHECK(model.frame("world").index >= 0);
    CHECK(model.frame("grip").index >= 0);
    Workspace<double> data(model);
    must(forward_kinematics<double>(model, data, VectorX<double>::Zero(3)));
    const auto palm = frame_position(model, data, model.frame("palm").index);
    const auto hand = frame_position(model, data, model.frame("hand_world").index);
    CHECK(std::abs(palm[2] - 1.5) < 1e-12);
    CHECK(std::abs(hand[2] - 1.5) < 1e-12);
    CHECK(load(folder.write("alone.yaml", "robots: [{files: hand.sdf}]")).nv == 0);
}

TEST_CASE("A world has a gravity and states") {
    const Folder folder;
    folder.write("arm.urdf", arm);
    const std::string robots =
        "robots:\n  - {files: arm.urdf, prefix: a_}\n  - {files: arm.urdf, prefix: b_}\n";
    const Model model = load(
        folder.write("moon.yaml", robots + "gravity: [0, 0, -1.62]\n"
                                           "states: {up: {a_elbow: 0.5, b_shoulder: [-1]}, down: {}}\n"));
    CHECK(model.gravity.z == -1.62);
    REQUIRE(model.states.size() == 2);
    CHECK(model.states[0].name == "up");
    CHECK(model.states[0].q == std::vector<double>{0, 0.5, -1, 0});
}

TEST_CASE("A world stands in another one, with a prefix before all its names") {
    const Folder folder;
    folder.write("parts/arm.urdf", arm);
    folder.write("pair.yaml",
                 "world: pair\nstates: {up: {right_elbow: 1}}\nrobots:\n"
                 "  - {files: parts/arm.urdf, prefix: left_, xyz: [1, 0, 0]}\n"
                 "  - {files: parts/arm.urdf, prefix: right_}\n");
    const Model model = load(folder.write(
        "cell.yaml",
        "robots:\n  - {files: pair.yaml, prefix: one_, xyz: [0, 2, 0]}\n  - files: pair.yaml\n"));
    CHECK(model.nv == 8);
    CHECK(model.states.size() == 2);
    Workspace<double> data(model);
    must(forward_kinematics<double>(model, data, VectorX<double>::Zero(8)));
    const auto tool = frame_position(model, data, model.frame("one_left_tool").index);
    CHECK((Vector3d(tool[0], tool[1], tool[2]) - Vector3d(1, 2, 0.5)).norm() < 1e-12);
    CHECK(model.frame("one_world").index >= 0);
    CHECK(model.frame("pair_world").index >= 0);
    // each holds ten of the next: too many in the end, and told before all are read
    std::string ten = "robots:\n";
    for (int i = 0; i < 10; ++i) ten += "  - {files: NEXT, prefix: p" + std::to_string(i) + "_}\n";
    for (int level = 0; level < 8; ++level) {
        std::string text = ten;
        const std::string next = level == 7 ? "parts/arm.urdf" : "w" + std::to_string(level + 1) + ".yaml";
        for (std::size_t at = text.find("NEXT"); at != std::string::npos; at = text.find("NEXT"))
            text.replace(at, 4, next);
        folder.write("w" + std::to_string(level) + ".yaml", text);
    }
    CHECK(has(refusal(folder.at("w0.yaml")), "at most 1000 robots"));
}
