#include <Eigen/Geometry>
#include <catch2/catch.hpp>

#include "folder_fixture.hpp"
#include "grbda/algorithms/aba.hpp"
#include "grbda/algorithms/kinematics.hpp"
#include "grbda/compile/build.hpp"
#include "grbda/compose.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/urdf.hpp"
#include "must.hpp"

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
    Data<double> data(model), other(expected);
    for (int i = 0; i < 20; ++i) {
        const VectorX<double> q = 2 * VectorX<double>::Random(6), yd = VectorX<double>::Random(6),
                              tau = VectorX<double>::Random(6);
        must(aba<double>(model, data, q, yd, tau));
        must(aba<double>(expected, other, q, yd, tau));
        CHECK((data.ydd - other.ydd).norm() < 1e-12 * (1 + other.ydd.norm()));
    }
    must(forward_kinematics<double>(model, data, VectorX<double>::Zero(6)));
    const auto at = [&](const char* frame) {
        const auto p = frame_position(model, data, frame_index(model, frame));
        return Vector3d(p[0], p[1], p[2]);
    };
    CHECK((at("left_tool") - Vector3d(0, 0.5, 0.6)).norm() < 1e-12);
    CHECK((at("finger") - Vector3d(0, -0.5, 0.8)).norm() < 1e-12);
}

TEST_CASE("What is wrong in a world file is said with its line") {
    const Folder folder;
    folder.write("parts/arm.urdf", arm);
    folder.write("parts/hook.urdf", hook);
    folder.write("other.yaml", "robots: [{files: parts/arm.urdf}]");
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
    CHECK(has(refused("robots:\n  - files: other.yaml\n"), "world"));
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
