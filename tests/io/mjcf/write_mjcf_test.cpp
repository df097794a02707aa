#include <algorithm>
#include <cmath>
#include <limits>

#include "grbda/io/mjcf.hpp"
#include "mechanism/mechanism_fixture.hpp"
#include "support/written_joints.hpp"

using grbda::LoopType;
using grbda::Mechanism;
using mechanism_fixture::solid;
using test_robots::Robot;
using written_joints::mechanism_of;
using written_joints::model_of;
using written_joints::read_again;
using written_joints::Written;
using written_joints::written;

namespace {

/// Rounding of placements and quaternions, times the conditions of M and K_d at well-conditioned states.
constexpr double kSame = 1e-9;

Written write(const Mechanism& mechanism) { return written(mechanism, grbda::write_mjcf); }

grbda::RobotDescription read(const std::string& text) {
    return read_again(text, "written.xml", grbda::read_mjcf);
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

bool is_of_mjcf(LoopType type) {
    return type == LoopType::fixed || type == LoopType::revolute || type == LoopType::spherical ||
           type == LoopType::distance || type == LoopType::universal;
}

/// The only error, as text.
std::string error_of(const Mechanism& mechanism) {
    std::string all;
    for (const grbda::Diagnostic& finding : write(mechanism).findings)
        if (finding.severity == grbda::Severity::error) all += to_string(finding) + "\n";
    return all;
}

}  // namespace

TEST_CASE("a robot written as MJCF and read again has the same dynamics") {
    int written = 0, refused = 0, checked = 0;
    test_robots::at_random_states(
        test_robots::without_rods(), 1, 91, [&](const Robot& robot, const test_robots::State& state, auto&) {
            const Mechanism mechanism = mechanism_of(robot.description, robot.options);
            const Written file = write(mechanism);
            if (file.text.empty()) {
                ++refused;
                return;
            }
            ++written;
            INFO(file.text);
            const Mechanism again = mechanism_of(read(file.text));
            const grbda::Model model = model_of(again);
            checked += written_joints::check({mechanism, robot.model}, state, {again, model}, kSame);
        });
    CHECK(written > refused);
    CHECK(10 * checked > 9 * written);
}

TEST_CASE("what is not written as MJCF is a loop, a coupling or a body that MuJoCo does not have") {
    for (const Robot* const robot : test_robots::all()) {
        INFO(robot->name);
        const Mechanism mechanism = mechanism_of(robot->description, robot->options);
        const bool has_other_loops =
            std::any_of(mechanism.loops.begin(), mechanism.loops.end(),
                        [](const grbda::MechanismLoop& loop) { return !is_of_mjcf(loop.type); });
        const std::string errors = error_of(mechanism);
        INFO(errors);
        if (has_other_loops) CHECK(contains(errors, "a loop of type fixed"));
        if (!has_other_loops && !errors.empty())
            CHECK((contains(errors, "mass and moments") || contains(errors, "of inertia of which none") ||
                   contains(errors, "degree") || contains(errors, "hinges and slides")));
    }
}

TEST_CASE("robots of the library are written as MJCF, but for bodies that MuJoCo does not move") {
    for (const Robot& robot : test_robots::published()) {
        INFO(robot.name);
        const std::string errors = error_of(mechanism_of(robot.description, robot.options));
        INFO(errors);
        const bool is_odd = robot.name == "planar_leg_linkage" || robot.name == "revolute_rotor_chain" ||
                            robot.name == "mini_cheetah" || robot.name == "tello";
        if (!is_odd) CHECK(errors.empty());
        if (is_odd) CHECK(contains(errors, "MuJoCo"));
    }
}

TEST_CASE("shapes, motors, limits, keys and pairs that do not touch are written as MJCF and read again") {
    mechanism_fixture::Robot robot({"base", "a", "b", "c"});
    robot.joint("ja", "base", "a").limits = {-1, std::numeric_limits<double>::infinity(), 3, 4, {}, {}};
    robot.joint("jb", "a", "b", grbda::JointType::prismatic);
    robot.joint("jc", "b", "c", grbda::JointType::spherical);
    robot.actuated = {"ja", "jc"};
    robot.states.push_back({"up", "", {{"ja", {0.5}}, {"jc", {0, 0.6, 0, 0.8}}}, {}});
    robot.gravity = Eigen::Vector3d(0, 1, -3);
    robot.frames.push_back({"tip", "b", mechanism_fixture::at(0, 0, 1), {}});
    grbda::ShapeDescription box;
    box.name = "foot";
    box.shape = {grbda::ShapeKind::box, {1, 2, 4}, {}};
    box.origin = mechanism_fixture::turned(0.5, Eigen::Vector3d::UnitX(), {1, 2, 3});
    box.visual = true;
    box.surface = grbda::Surface{0.5};
    box.mask = {6, ~0U};
    for (const int link : {1, 2, 3}) robot.links[static_cast<std::size_t>(link)].shapes = {box};
    robot.self_collision.ignore["a"] = {"c"};
    const Mechanism mechanism = mechanism_of(robot);
    const Written file = write(mechanism);
    INFO(file.text);
    const Mechanism again = mechanism_of(read(file.text));
    REQUIRE(again.bodies.size() == 3);
    CHECK(again.bodies[0].limits.lower == -1);
    CHECK(std::isinf(again.bodies[0].limits.upper));
    CHECK(again.bodies[0].limits.effort == 4);
    CHECK(again.bodies[0].actuated);
    CHECK_FALSE(again.bodies[1].actuated);
    CHECK(again.bodies[2].actuated);
    CHECK(again.gravity == mechanism.gravity);
    REQUIRE(again.states.size() == 1);
    CHECK(again.states[0].name == "up");
    CHECK(again.states[0].positions.at("ja") == std::vector<double>{0.5});
    CHECK(again.states[0].positions.at("jb") == std::vector<double>{0});
    CHECK(again.states[0].positions.at("jc") == std::vector<double>{0, 0.6, 0, 0.8});
    REQUIRE(again.shapes.size() == 3);
    CHECK(again.shapes[0].shape.shape.size == box.shape.size);
    CHECK((again.shapes[0].placement.rotation - box.origin.rotation).norm() < kSame);
    CHECK(again.shapes[0].placement.translation == box.origin.translation);
    CHECK(again.shapes[0].shape.surface->friction == 0.5);
    CHECK(again.shapes[0].shape.mask.type == 6);
    CHECK(again.shapes[0].shape.mask.affinity == ~0U);
    REQUIRE(again.self_collision.ignored.size() == 1);
    const auto [a, c] = again.self_collision.ignored[0];
    CHECK(again.frames[a].name == "a");
    CHECK(again.frames[c].name == "c");
    CHECK(std::any_of(again.frames.begin(), again.frames.end(),
                      [](const grbda::MechanismFrame& frame) { return frame.name == "tip"; }));
}

TEST_CASE("what MJCF cannot say is an error that names it") {
    mechanism_fixture::Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "a", "b", grbda::JointType::spherical);
    const mechanism_fixture::Robot plain = robot;
    robot.loop("slot", "base", "b", LoopType::point_on_line);
    CHECK(contains(error_of(mechanism_of(robot)), "loop 'slot': expected a loop of type fixed"));
    robot = plain;
    robot.joints[1].damping = std::vector<double>{1, 2, 3};
    CHECK(contains(error_of(mechanism_of(robot)), "joint 'jb': expected the same damping"));
    robot = plain;
    robot.joints[0].limits.lower = robot.joints[0].limits.upper = 1;
    CHECK(contains(error_of(mechanism_of(robot)), "joint 'ja': expected limits with room between them"));
    robot = plain;
    robot.links[2].gravity_compensation.push_back({1, Eigen::Vector3d(9, 0, 0)});
    CHECK(contains(error_of(mechanism_of(robot)), "link 'b': expected gravity compensation at the centre"));
    robot = plain;
    robot.links[2].inertial->inertia.diagonal() << 1, 1, 3;
    CHECK(contains(error_of(mechanism_of(robot)), "link 'b': expected moments of inertia"));
}
