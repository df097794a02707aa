#include <limits>

#include <catch2/catch.hpp>

#include "mechanism/mechanism_fixture.hpp"

using namespace mechanism_fixture;

// Roles of joints and frames, and joint frames inside the child.

namespace {

constexpr double rounding = 1e-14;

Robot arm() {
    Robot robot({"base", "a", "b", "c"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "a", "b", JointType::spherical);
    robot.joint("jc", "b", "c", JointType::prismatic);
    return robot;
}

bool same(const Pose& a, const Pose& b) {
    return (a.rotation - b.rotation).cwiseAbs().maxCoeff() < rounding &&
           (a.translation - b.translation).cwiseAbs().maxCoeff() < rounding;
}

}  // namespace

TEST_CASE("a file that names passive joints gives all others a motor but followers and the floating base") {
    Robot robot = arm();
    robot.passive = {"jb"};
    LoadOptions options;
    options.floating_base = true;
    const Mechanism m = make(robot, options).mechanism;
    REQUIRE(m.bodies.size() == 4);
    CHECK_FALSE(m.bodies[0].actuated);
    CHECK(m.bodies[1].actuated);
    CHECK_FALSE(m.bodies[2].actuated);
    CHECK(m.bodies[3].actuated);
    robot.mimic("jc", "ja", 2);
    CHECK_FALSE(make(robot).mechanism.bodies[2].actuated);
}

TEST_CASE("a joint named as motor and as passive is passive, with a warning") {
    Robot robot = arm();
    robot.actuated = {"ja", "jc"};
    robot.passive = {"jc"};
    const Result result = make(robot);
    CHECK(result.mechanism.bodies[0].actuated);
    CHECK_FALSE(result.mechanism.bodies[2].actuated);
    CHECK(result.count(Severity::warning, {"joint 'jc'", "passive"}) == 1);
}

TEST_CASE("saved states are carried with unit quaternions") {
    Robot robot = arm();
    robot.states = {{"home", "", {{"ja", {0.5}}, {"jb", {0, 3, 0, 4}}}, {"robot.srdf", 7, 3}}};
    const Result result = make(robot);
    REQUIRE(result.mechanism.states.size() == 1);
    const MechanismState& home = result.mechanism.states[0];
    CHECK(home.name == "home");
    CHECK(home.positions.at("ja") == std::vector<double>{0.5});
    CHECK(home.positions.at("jb") == std::vector<double>{0, 0.6, 0, 0.8});
    CHECK(home.where.line == 7);
}

TEST_CASE("positions of saved states must fit their joints") {
    Robot robot = arm();
    robot.states = {{"home", "", {{"jx", {0.5}}}, {}}};
    CHECK(make(robot).only_error({"state 'home': position of joint 'jx'", "did you mean 'ja'"}));
    robot.states = {{"home", "", {{"jb", {0.5}}}, {}}};
    CHECK(make(robot).only_error({"state 'home': position of joint 'jb'", "4 numbers", "found 1"}));
    robot.states = {{"home", "", {{"ja", {std::numeric_limits<double>::quiet_NaN()}}}, {}}};
    CHECK(make(robot).only_error({"state 'home'", "finite numbers"}));
    robot.states = {{"home", "", {}, {}}, {"home", "", {}, {}}};
    CHECK(make(robot).only_error({"state 'home'", "no other has"}));
}

TEST_CASE("the order of coordinates names each joint once") {
    Robot robot = arm();
    robot.coordinates = {"jc", "ja"};
    CHECK(make(robot).mechanism.coordinates == std::vector<int>{2, 0});
    robot.coordinates = {"jc", "jc"};
    CHECK(make(robot).only_error({"coordinate 'jc'", "each joint once"}));
    robot.coordinates = {"jd"};
    CHECK(make(robot).only_error({"coordinate 'jd'", "did you mean"}));
}

TEST_CASE("tool frames are links or frames") {
    Robot robot = arm();
    robot.frames = {{"tip", "c", Pose(), {}}};
    robot.tool_frames = {"tip", "b"};
    CHECK(make(robot).mechanism.tool_frames == robot.tool_frames);
    robot.tool_frames = {"tipp"};
    CHECK(make(robot).only_error({"tool frame 'tipp'", "did you mean 'tip'?"}));
}

TEST_CASE("a joint frame inside the child equals a massless link fixed to the child") {
    const Pose inside = turned(0.7, {1, 2, 3}, {0.1, -0.2, 0.3});
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a").child_origin = inside;
    robot.joint("jb", "a", "b", JointType::fixed).child_origin = inside;

    Robot same_robot({"base"});
    same_robot.link("a_joint", std::nullopt);
    same_robot.link("a", solid(1));
    same_robot.link("b_joint", std::nullopt);
    same_robot.link("b", solid(1));
    same_robot.joint("ja", "base", "a_joint");
    same_robot.joint("fixed_a", "a_joint", "a", JointType::fixed).origin = inverse(inside);
    same_robot.joint("jb", "a", "b_joint", JointType::fixed);
    same_robot.joint("fixed_b", "b_joint", "b", JointType::fixed).origin = inverse(inside);

    const Mechanism m = make(robot).mechanism, expected = make(same_robot).mechanism;
    REQUIRE(m.bodies.size() == 1);
    REQUIRE(expected.bodies.size() == 1);
    const Inertial &i = m.bodies[0].inertia, &j = expected.bodies[0].inertia;
    CHECK(i.mass == j.mass);
    CHECK((i.com - j.com).norm() < rounding);
    CHECK((i.inertia - j.inertia).norm() < rounding);
    CHECK(same(m.bodies[0].placement, expected.bodies[0].placement));
    CHECK(same(m.frames[1].placement, expected.frames[2].placement));
    CHECK(same(m.frames[2].placement, expected.frames[4].placement));
}

TEST_CASE("a joint that closes a loop keeps its frame inside the child") {
    const Pose inside = turned(0.4, {0, 1, 0}, {0.5, 0, 0});
    Robot robot({"base", "a", "b"});
    robot.joint("ja", "base", "a");
    robot.joint("jb", "base", "b");
    robot.joint("second", "a", "b").child_origin = inside;
    const Mechanism m = make(robot).mechanism;
    REQUIRE(m.loops.size() == 1);
    CHECK(same(m.loops[0].successor_placement, inside));
}
