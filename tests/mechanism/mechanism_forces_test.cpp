#include <limits>

#include <catch2/catch.hpp>

#include "grbda/compile/build.hpp"
#include "mechanism/mechanism_fixture.hpp"

// Springs, dampers, dry friction and gravity compensation on their way into the mechanism and the model.

using namespace mechanism_fixture;

namespace {

Robot arm() {
    Robot robot({"base", "upper", "lower", "hand"});
    robot.joint("shoulder", "base", "upper");
    robot.joint("elbow", "upper", "lower", JointType::prismatic);
    robot.joint("wrist", "lower", "hand", JointType::spherical);
    return robot;
}

TendonDescription& tendon(Robot& robot, const std::vector<LinearTerm>& terms) {
    robot.tendons.push_back({"t", terms, 1, 0, 0, 0, 0, {"robot.urdf", 600, 1}});
    return robot.tendons.back();
}

constexpr double bads[] = {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity()};

}  // namespace

TEST_CASE("figures of joint forces must be finite and as many as coordinates") {
    for (const double bad : bads) {
        Robot robot = arm();
        robot.joints[0].friction = bad;
        CHECK(make(robot).only_error({"joint 'shoulder'", "finite friction"}));
        robot = arm();
        robot.joints[0].stiffness = bad;
        CHECK(make(robot).only_error({"joint 'shoulder'", "finite stiffness"}));
        robot = arm();
        robot.joints[0].rest = {bad};
        CHECK(make(robot).only_error({"joint 'shoulder'", "rest position", "finite numbers"}));
        robot = arm();
        robot.links[1].gravity_compensation = {{bad, Eigen::Vector3d::Zero()}};
        CHECK(make(robot).only_error({"link 'upper'", "finite numbers in its gravity compensation"}));
        robot = arm();
        robot.links[1].gravity_compensation = {{1, Eigen::Vector3d(0, bad, 0)}};
        CHECK(make(robot).only_error({"link 'upper'", "finite numbers in its gravity compensation"}));
    }
    Robot robot = arm();
    robot.joints[2].damping = std::vector<double>{1, 2};
    CHECK(make(robot).only_error({"joint 'wrist'", "one number as damping, or 3", "found 2"}));
    robot = arm();
    robot.joints[0].rest = {1, 2};
    CHECK(make(robot).only_error({"joint 'shoulder'", "1 numbers for a revolute joint", "found 2"}));
    robot = arm();
    robot.joints[2].rest = {0, 0, 0, 0};
    CHECK(make(robot).only_error({"joint 'wrist'", "a quaternion other than zero"}));
}

TEST_CASE("springs about three axes are as stiff about all of them") {
    Robot robot = arm();
    robot.joints[2].stiffness = std::vector<double>{1, 1, 2};
    CHECK(make(robot).only_error({"joint 'wrist'", "the same stiffness in all directions", "1, 1, 2"}));
    robot.joints[2].stiffness = std::vector<double>{2, 2, 2};
    robot.joints[2].damping = std::vector<double>{1, 2, 3};
    CHECK(make(robot).count(Severity::error) == 0);
    robot = Robot({"base", "body"});
    robot.joint("free", "base", "body", JointType::floating).stiffness =
        std::vector<double>{1, 1, 1, 2, 2, 2};
    CHECK(make(robot).count(Severity::error) == 0);
}

TEST_CASE("losses below zero are warnings, errors under strict") {
    Robot robot = arm();
    robot.joints[0].damping = -1;
    robot.joints[2].friction = std::vector<double>{1, 2, -3};
    LoadOptions strict;
    strict.strict = true;
    for (const Severity severity : {Severity::warning, Severity::error}) {
        const Result result = make(robot, severity == Severity::error ? strict : LoadOptions());
        CHECK(result.count(severity, {"joint 'shoulder'", "damping of zero or more", "found -1"}) == 1);
        CHECK(result.count(severity, {"joint 'wrist'", "friction of zero or more", "found -3"}) == 1);
        CHECK(result.count(severity) == 2);
    }
}

TEST_CASE("invalid tendons are errors") {
    Robot robot = arm();
    tendon(robot, {});
    CHECK(make(robot).only_error({"tendon 't'", "at least one term"}));
    robot = arm();
    tendon(robot, {{"sholder", 1, {}}});
    CHECK(make(robot).only_error({"tendon 't'", "'sholder'", "did you mean 'shoulder'"}));
    robot = arm();
    tendon(robot, {{"wrist", 1, {}}});
    CHECK(make(robot).only_error({"tendon 't'", "one degree of freedom", "'wrist'"}));
    robot = arm();
    tendon(robot, {{"elbow", 1, {}}, {"elbow", 2, {}}});
    CHECK(make(robot).only_error({"tendon 't'", "one term only"}));
    robot = arm();
    tendon(robot, {{"elbow", 0, {}}});
    CHECK(make(robot).only_error({"tendon 't'", "other than zero"}));
    robot = arm();
    tendon(robot, {{"elbow", 1, {}}}).rest_lower = 1;
    CHECK(make(robot).only_error({"tendon 't'", "rising order", "1, 0"}));
    robot = arm();
    tendon(robot, {{"elbow", 1, {}}});
    tendon(robot, {{"shoulder", 1, {}}});
    CHECK(make(robot).only_error({"tendon 't'", "unique name among the tendons"}));
    robot = arm();
    tendon(robot, {{"elbow", 1, {}}}).name = "";
    CHECK(make(robot).only_error({"tendon without a name"}));
    for (const double bad : bads) {
        robot = arm();
        tendon(robot, {{"elbow", 1, {}}}).stiffness = bad;
        CHECK(make(robot).only_error({"tendon 't'", "finite stiffness"}));
        robot = arm();
        tendon(robot, {{"elbow", bad, {}}});
        CHECK(make(robot).only_error({"tendon 't'", "finite coefficient"}));
    }
    robot = arm();
    robot.joints[0].type = JointType::fixed;
    tendon(robot, {{"shoulder", 1, {}}});
    CHECK(make(robot).only_error({"tendon 't'", "'shoulder', which is fixed"}));
}

TEST_CASE("weights of fused links are carried in the frame of their body") {
    Robot robot({"base", "upper", "plate"});
    robot.joint("shoulder", "base", "upper");
    JointDescription& bolt = robot.joint("bolt", "upper", "plate", JointType::fixed);
    bolt.origin = turned(1.5707963267948966, Eigen::Vector3d::UnitZ(), {1, 2, 3});
    robot.links[0].gravity_compensation = {{7, Eigen::Vector3d::Zero()}};  // it stands still
    robot.links[1].gravity_compensation = {{2, Eigen::Vector3d(1, 0, 0)}};
    robot.links[2].gravity_compensation = {{3, Eigen::Vector3d(1, 0, 0)}};
    const Result result = make(robot);
    const std::vector<GravityCompensation>& carried = result.mechanism.bodies[0].gravity_compensation;
    REQUIRE(carried.size() == 2);
    CHECK(carried[0].point == Eigen::Vector3d(1, 0, 0));
    CHECK(carried[1].mass == 3);
    CHECK((carried[1].point - Eigen::Vector3d(1, 3, 3)).norm() < 1e-15);
    const Model model = build_model(robot);
    REQUIRE(model.passive.weights.size() == 1);
    CHECK(model.passive.weights[0].mass == 5);
    CHECK(model.passive.weights[0].moment.x == Approx(2 * 1 + 3 * 1));
    CHECK(model.passive.weights[0].moment.y == Approx(3 * 3));
}

TEST_CASE("the model has damping, friction and springs in the order of q and its velocity") {
    Robot robot = arm();
    robot.joints[0].stiffness = 3;
    robot.joints[0].rest = {0.5};
    robot.joints[1].friction = 4;
    robot.joints[2].damping = std::vector<double>{1, 2, 3};
    robot.joints[2].rest = {0, 0, 2, 0};
    tendon(robot, {{"elbow", -2, {}}, {"shoulder", 1, {}}}).rest_upper = 9;
    const Model model = build_model(robot);
    const PassiveForces& passive = model.passive;
    CHECK(passive.stiffness == std::vector<double>{3, 0, 0, 0, 0});
    CHECK(passive.friction == std::vector<double>{0, 4, 0, 0, 0});
    CHECK(passive.damping == std::vector<double>{0, 0, 1, 2, 3});
    CHECK(passive.rest == std::vector<double>{0.5, 0, 0, 0, 1, 0});
    REQUIRE(passive.terms.size() == 2);
    CHECK(passive.terms[0].q == 1);
    CHECK(passive.terms[0].v == 1);
    CHECK(passive.terms[0].coefficient == -2);
    CHECK(passive.terms[1].v == 0);
    CHECK(passive.tendons[0].rest_upper == 9);
    CHECK(build_model(arm()).passive.rest == std::vector<double>{0, 0, 0, 0, 0, 1});
}

TEST_CASE("one note lists all that is kept as joint forces") {
    Robot robot = arm();
    CHECK(make(robot).count(Severity::note, {"joint forces"}) == 0);
    robot.joints[0].stiffness = 1;
    robot.joints[1].friction = 1;
    robot.links[3].gravity_compensation = {{1, Eigen::Vector3d::Zero()}};
    const Result result = make(robot);
    CHECK(result.count(Severity::note,
                       {"kept as joint forces: dry friction of joints 'elbow'; springs of joints 'shoulder'; "
                        "gravity compensation of bodies 'hand'",
                        "--joint-forces"}) == 1);
}

TEST_CASE("damping of joints that become one spherical joint is a warning, an error under strict") {
    Robot robot;
    robot.link("base", solid(1));
    robot.link("one", std::nullopt);
    robot.link("two", std::nullopt);
    robot.link("hand", solid(1));
    const char* const names[] = {"base", "one", "two", "hand"};
    for (int i = 0; i < 3; ++i) {
        JointDescription& joint = robot.joint(std::string("j") + names[i], names[i], names[i + 1]);
        joint.origin = Pose();
        joint.axis = Eigen::Vector3d::Unit(i);
    }
    LoadOptions options;
    options.spherical_joints = true;
    CHECK(make(robot, options).count(Severity::warning) == 0);
    for (JointDescription& joint : robot.joints) joint.damping = 0.5;
    CHECK(make(robot, options).count(Severity::warning, {"'jbase'", "axes of the ball"}) == 1);
    options.strict = true;
    CHECK(make(robot, options).count(Severity::error, {"'jbase'", "axes of the ball"}) == 1);
}
