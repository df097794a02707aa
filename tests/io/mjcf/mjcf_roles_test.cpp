#include <algorithm>
#include <string>

#include "grbda/compile/build.hpp"
#include "io/mjcf/mjcf_fixture.hpp"

// The MJCF reader: motors, keyframes, sites and gravity.

using namespace mjcf_test;
using Eigen::Vector3d;
using grbda::Severity;

namespace {

/// Joints x (slide), h (hinge) and, on a second body, f (free) and on a third w (ball); sections from line 3
/// on.
std::string machine(const std::string& sections) {
    return world(
        "<body>" + ball_of_one +
            "<joint name=\"x\" type=\"slide\" ref=\"0.5\"/><joint name=\"h\"/></body><body pos=\"1 2 3\">" +
            ball_of_one + "<freejoint name=\"f\"/><body>" + ball_of_one +
            "<joint name=\"w\" type=\"ball\"/></body></body>",
        sections);
}

/// A fixed body, without findings.
std::string still(const std::string& sections) { return world("<body/>", sections); }

}  // namespace

TEST_CASE("mjcf actuators make motors of their joints, each once and in the order of the file") {
    const Reading reading =
        accept(machine("<actuator><motor joint=\"h\" gear=\"50\"/><damper joint=\"x\"/>"
                       "<cylinder joint=\"h\"/><general jointinparent=\"w\"/></actuator>"));
    CHECK(reading.robot.actuated == std::vector<std::string>{"h", "x", "w"});
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::note, reading.diagnostics.front().where.line, "cylinder",
              "others: 'cylinder'"));
    check_error(machine("<actuator>\n<motor joint=\"h\" ctrlrange=\"1 -1\"/></actuator>"), 4, "<motor>",
                "in this order");
    check_error(machine("<actuator>\n<motor joint=\"hh\"/></actuator>"), 4, "<motor>", "did you mean");
}

TEST_CASE("mjcf actuators of other things are noted once") {
    const Reading reading =
        accept(machine("<actuator><motor joint=\"h\"/>\n<general name=\"g\" tendon=\"t\"/>"
                       "<motor site=\"s\"/></actuator>"));
    CHECK(reading.robot.actuated == std::vector<std::string>{"h"});
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::note, 4, "general 'g'", "others: 'g', 'motor'"));
}

TEST_CASE("mjcf actuators add their inertia to their joint through the gear squared") {
    const Reading reading = accept(machine(
        "<default><joint armature=\"0.5\"/><motor armature=\"2\"/><default class=\"g\"><position gear=\"3 1 "
        "1\"/>"
        "</default></default><actuator><motor joint=\"h\" class=\"g\"/><motor joint=\"x\"/></actuator>"));
    CHECK(reading.joint("h").armature == 18.5);
    CHECK(reading.joint("x").armature == 2.5);
    check_error(machine("<actuator>\n<motor joint=\"w\" armature=\"1\"/></actuator>"), 4, "<motor>",
                "hinge or slide");
    check_error(machine("<actuator>\n<motor tendon=\"t\" armature=\"1\"/></actuator>"), 4, "<motor>",
                "hinge or slide");
}

TEST_CASE("mjcf keyframes are states by joint, their quaternions with w last") {
    const Reading reading =
        accept(machine("<keyframe><key name=\"up\" qpos=\"1 2 3 4 5 .6 .8 0 0 0 0 1 0\" qvel=\"1\" "
                       "ctrl=\"1\"/><key/></keyframe>"));
    REQUIRE(reading.robot.states.size() == 2);
    const grbda::StateDescription& up = reading.robot.states[0];
    CHECK(up.name == "up");
    CHECK(up.where.line == 3);
    REQUIRE(up.positions.size() == 4);
    CHECK(up.positions.at("x") == std::vector<double>{1});
    CHECK(up.positions.at("h") == std::vector<double>{2});
    CHECK(up.positions.at("f") == std::vector<double>{3, 4, 5, 0.8, 0, 0, 0.6});
    CHECK(up.positions.at("w") == std::vector<double>{0, 1, 0, 0});
    const grbda::StateDescription& reference = reading.robot.states[1];
    CHECK(reference.name == "key_1");
    CHECK(reference.positions.at("x") == std::vector<double>{0.5});
    CHECK(reference.positions.at("f") == std::vector<double>{1, 2, 3, 0, 0, 0, 1});
}

TEST_CASE("mjcf keyframes with a quaternion of length zero have no rotation there, as in MuJoCo") {
    const Reading reading =
        accept(machine("<keyframe>\n<key name=\"k\" qpos=\"1 2 3 4 5 .6 .8 0 0 0 0 0 0\"/></keyframe>"));
    CHECK(has(reading, Severity::note, 4, "key 'k'", "length zero"));
    CHECK(reading.robot.states.at(0).positions.at("w") == std::vector<double>{0, 0, 0, 1});
    CHECK(reading.robot.states.at(0).positions.at("f") == std::vector<double>{3, 4, 5, .8, 0, 0, .6});
}

TEST_CASE("mjcf keyframes may say other things than positions") {
    const Reading reading = accept(machine(
        "<keyframe><key name=\"k\" time=\"1\" mpos=\"0 0 1\" mquat=\"1 0 0 0\" act=\"1\"/></keyframe>"));
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.states.at(0).name == "k");
}

TEST_CASE("mjcf refuses keyframes of another length and of one name") {
    check_error(machine("<keyframe>\n<key name=\"k\" qpos=\"1 2 3\"/></keyframe>"), 4, "key 'k'",
                "13 finite numbers in 'qpos', found 3");
    check_error(machine("<keyframe><key name=\"k\"/>\n<key name=\"k\"/></keyframe>"), 4, "key 'k'",
                "first in line 3");
}

TEST_CASE("mjcf sites are frames of their links") {
    const Reading reading =
        accept(world("<site name=\"floor\"/><body name=\"b\"><site name=\"tip\" pos=\"1 2 3\"/><site/></body>"
                     "<site name=\"rod\" fromto=\"0 0 2 0 0 4\"/>"));
    REQUIRE(reading.robot.frames.size() == 3);
    CHECK(reading.robot.frames[0].name == "floor");
    CHECK(reading.robot.frames[0].link == "world");
    CHECK(reading.robot.frames[1].name == "rod");
    CHECK(reading.robot.frames[1].origin.translation == Vector3d(0, 0, 3));
    CHECK(reading.robot.frames[2].link == "b");
    CHECK(reading.robot.frames[2].origin.translation == Vector3d(1, 2, 3));
    check_error(world("<site name=\"s\"/>\n<body><site name=\"s\"/></body>"), 3, "site 's'",
                "first in line 2");
}

TEST_CASE("mjcf options set gravity, and the last of them counts") {
    CHECK_FALSE(accept(still("<option timestep=\"1\"/>")).robot.gravity);
    CHECK(accept(still("<option gravity=\"1 2 3\"/>")).robot.gravity == Vector3d(1, 2, 3));
    CHECK(accept(still("<option gravity=\"1 2 3\"/><option gravity=\"4 5 6\"/>")).robot.gravity ==
          Vector3d(4, 5, 6));
    CHECK(accept(still("<option gravity=\"1 2 3\"><flag gravity=\"disable\"/></option>")).robot.gravity ==
          Vector3d(0, 0, 0));
    check_error(model("<option gravity=\"-9.81\"/>"), 2, "<option>", "3 finite numbers");
    const Reading fluid = read(model("<option density=\"1.2\"/>"));
    CHECK(has(fluid, Severity::warning, 2, "<option>", "fluid"));
}

TEST_CASE("mjcf models have a name") {
    CHECK(accept("<mujoco model=\"m\"><worldbody><body/></worldbody></mujoco>").robot.name == "m");
    CHECK_FALSE(accept(still("")).robot.name.empty());
}

TEST_CASE(
    "mjcf mocap bodies stay where they are, and what holds the robot to them is a warning or left out") {
    const Reading reading = accept(world("<body name=\"m\" mocap=\"true\" pos=\"1 0 0\"/>"));
    CHECK(has(reading, Severity::note, 2, "body 'm'", "mocap"));
    CHECK(reading.joint("m_fixed").origin.translation == Vector3d(1, 0, 0));

    const std::string arm =
        "<body name=\"m\" mocap=\"true\" pos=\"0 0 -.3\"><site name=\"s\"/><body name=\"n\"/></body>"
        "<body name=\"b\">" +
        ball_of_one +
        "<joint axis=\"0 1 0\"/><joint axis=\"1 0 0\"/>"
        "<site name=\"t\" pos=\"0 0 -.3\"/></body>";
    const auto mobility = [&](const std::string& equality, bool ignore_mocap) {
        const Reading read = accept(world(arm, "<equality>" + equality + "</equality>"));
        grbda::LoadOptions options;
        options.ignore_mocap = ignore_mocap;
        const grbda::Model model = grbda::build_model(read.robot, options);
        const auto warned =
            std::any_of(model.diagnostics.begin(), model.diagnostics.end(), [](const auto& each) {
                return each.severity == Severity::warning && contains(each.found, "mocap");
            });
        CHECK(warned == !ignore_mocap);
        return model.nv;
    };
    for (const char* equality :
         {"<weld body1=\"m\" body2=\"b\"/>", "<weld body1=\"b\" body2=\"n\"/>",
          "<weld site1=\"s\" site2=\"t\"/>", "<connect body1=\"b\" body2=\"m\" anchor=\"0 0 -.3\"/>",
          "<connect site1=\"t\" site2=\"s\"/>"}) {
        INFO(equality);
        CHECK(mobility(equality, false) == 0);
        CHECK(mobility(equality, true) == 2);
    }
}
