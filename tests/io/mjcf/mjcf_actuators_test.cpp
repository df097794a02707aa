#include <cmath>
#include <string>

#include "grbda/compile/build.hpp"
#include "grbda/io/urdf.hpp"
#include "io/mjcf/mjcf_fixture.hpp"

// The MJCF reader: efforts of motors, and servos. Gains are those that MuJoCo 3.17.0 compiles:
// actuator_gear, actuator_gainprm, actuator_biasprm, actuator_ctrlrange.

using namespace mjcf_test;
using grbda::ServoDescription;
using grbda::Severity;

namespace {

/// A hinge h and, on a second body, a slide s.
std::string arm(const std::string& actuators, const std::string& before = "") {
    return model(
        before +
        "<worldbody><body pos=\"0 0 1\" euler=\"0 30 0\"><joint name=\"h\" axis=\"0 1 0\" range=\"-60 90\" "
        "armature=\"0.05\" ref=\"10\"/><geom type=\"box\" size=\".1 .05 .03\" pos=\".1 0 0\" mass=\"2\"/>"
        "<body pos=\".2 0 0\"><joint name=\"s\" type=\"slide\" axis=\"1 0 0\" range=\"-.1 .3\"/>"
        "<geom size=\".05\" mass=\"1\"/></body></body></worldbody><tendon><fixed name=\"t\"><joint "
        "joint=\"h\" coef=\"-2\"/></fixed><fixed name=\"both\"><joint joint=\"h\" coef=\"1\"/><joint "
        "joint=\"s\" coef=\"1\"/></fixed></tendon>\n<actuator>" +
        actuators + "</actuator>");
}

std::optional<ServoDescription> servo(const std::string& actuators, const std::string& before = "",
                                      const char* joint = "h") {
    return accept(arm(actuators, before)).joint(joint).servo;
}

/// Stiffness, damping, and the target at zero control with its range.
void check(const std::optional<ServoDescription>& servo, double stiffness, double damping, double target = 0,
           double lower = -INFINITY, double upper = INFINITY) {
    REQUIRE(servo);
    const auto same = [](double a, double b) { return a == b || std::abs(a - b) < 1e-8 * (1 + std::abs(b)); };
    CHECK(same(servo->stiffness, stiffness));
    CHECK(same(servo->damping, damping));
    CHECK(same(servo->target, target));
    CHECK(same(servo->lower, lower));
    CHECK(same(servo->upper, upper));
}

double effort(const std::string& motors, const std::string& joint = "", const std::string& before = "") {
    return accept(
               model(before + "<worldbody><body>" + ball_of_one + "<joint name=\"h\" " + joint +
                     "/></body></worldbody><tendon><fixed name=\"t\"><joint joint=\"h\" coef=\"-2\"/></fixed>"
                     "</tendon><actuator>" +
                     motors + "</actuator>"))
        .joint("h")
        .limits.effort;
}

const std::string classes =
    "<default><position kp=\"40\"/><default class=\"stiff\"><position kp=\"100\" kv=\"3\"/><default "
    "class=\"wide\">"
    "<general biasprm=\"2 -50\" gear=\"2\"/></default></default></default>";

}  // namespace

TEST_CASE("mjcf forceranges and controls of motors limit the effort of their joint, with its own limit") {
    const std::string one = "<motor joint=\"h\" gear=\"-3 9\" forcerange=\"-2 1\"/>";
    CHECK(effort(one) == 6);
    CHECK(effort(one + one) == 12);
    CHECK(std::isinf(effort(one + "<motor joint=\"h\"/>")));
    CHECK(std::isinf(effort("<motor joint=\"h\" forcelimited=\"false\" forcerange=\"-2 1\"/>")));
    CHECK(effort("<motor joint=\"h\" gear=\"50\" ctrlrange=\"-2 1\" ctrllimited=\"true\"/>") == 100);
    CHECK(effort("<motor joint=\"h\" gear=\"50\" ctrlrange=\"-2 1\"/>") == 100);
    CHECK(effort("<motor tendon=\"t\" gear=\"50\" ctrlrange=\"-2 1\"/>") == 200);
    CHECK(std::isinf(effort("<motor joint=\"h\" ctrlrange=\"-2 1\" ctrllimited=\"false\"/>")));
    CHECK(std::isinf(
        effort("<motor joint=\"h\" ctrlrange=\"-2 1\"/>", "", "<compiler autolimits=\"false\"/>")));
    CHECK(
        effort("<motor joint=\"h\" class=\"c\"/>", "",
               "<default><default class=\"c\"><motor ctrlrange=\"-2 1\" gear=\"4\"/></default></default>") ==
        8);
    CHECK(effort("<general joint=\"h\" gainprm=\"-7\" ctrlrange=\"-2 1\"/>") == 14);
    CHECK(effort("<motor joint=\"h\" ctrlrange=\"-2 1\" forcerange=\"-1 1\" gear=\"3\"/>") == 3);
    CHECK(effort("<motor joint=\"h\" ctrlrange=\"-2 1\"/>", "actuatorfrcrange=\"-1.5 1\"") == 1.5);
    CHECK(effort("<motor joint=\"h\" ctrlrange=\"-2 1\"/>", "actuatorfrcrange=\"-5 1\"") == 2);
    CHECK(effort("<motor joint=\"h\" ctrlrange=\"-2 1\"/>",
                 "actuatorfrcrange=\"-1.5 1\" actuatorfrclimited=\"false\"") == 2);
    CHECK(std::isinf(effort("<position joint=\"h\" ctrlrange=\"-2 1\"/>")));
    CHECK(effort("<position joint=\"h\" ctrlrange=\"-2 1\" forcerange=\"-4 4\" gear=\"2\"/>") == 8);
    CHECK(accept(body("<joint name=\"w\" type=\"ball\"/>",
                      "<actuator><motor joint=\"w\" gear=\"0 2 0\" forcerange=\"-2 1\"/></actuator>"))
              .joint("w")
              .limits.effort == 4);
}

TEST_CASE("mjcf servos of hinges and slides have the gains that MuJoCo compiles") {
    check(servo("<position joint=\"h\"/>"), 1, 0);
    check(servo("<position joint=\"h\"/>", classes), 40, 0);
    check(servo("<position joint=\"h\" class=\"stiff\" gear=\"5\" ctrlrange=\"-1 2\"/>", classes), 2500, 75,
          0, -.2, .4);
    check(servo("<position joint=\"h\" gear=\"-5\" ctrlrange=\"1 2\"/>"), 25, 0, -.2, -.4,
          -.2);  // clamped control
    check(servo("<position tendon=\"t\" kp=\"3\" kv=\"1\"/>"), 12, 4);
    check(servo("<position jointinparent=\"h\" kp=\"3\"/>"), 3, 0);
    check(servo("<velocity joint=\"h\" kv=\"4\" gear=\"-2\"/>"), 0, 16);
    check(servo("<velocity joint=\"h\" class=\"stiff\"/>", classes), 0, 1);
    check(servo("<general joint=\"h\" class=\"wide\"/>", classes), 200, 12, 2. * 2 / 200);
    check(
        servo("<general joint=\"h\" class=\"wide\" gainprm=\"20\" biasprm=\"1 -10 -2\" ctrlrange=\"-1 3\"/>",
              classes),
        40, 8, .05, -.95, 3.05);
    check(servo("<intvelocity joint=\"h\" kp=\"9\" actrange=\"-1 1\"/>"), 9, 0, 0, -1, 1);
    check(servo("<cylinder joint=\"s\" area=\"2\" bias=\"1 -5 -2\"/>", "", "s"), 5, 2, .2);
    check(servo("<position joint=\"h\" kp=\"30\"/><velocity joint=\"h\" kv=\"2\" ctrlrange=\"-1 1\"/>"), 30,
          2);
    CHECK_FALSE(servo("<motor joint=\"h\" class=\"wide\"/>", classes));
    CHECK_FALSE(servo("<damper joint=\"h\" kv=\"2\" ctrlrange=\"0 1\"/>"));
    CHECK_FALSE(servo("<position joint=\"h\"/>", "<option><flag actuation=\"disable\"/></option>"));
    const auto noted = accept(arm("<position name=\"p\" joint=\"h\" timeconst=\".1\"/>"));
    CHECK(has(noted, Severity::note, 3, "position 'p'", "activation dynamics"));
}

TEST_CASE("mjcf damping ratios refer to the inertia at the reference pose, ranges to those of joints") {
    check(servo("<position joint=\"h\" dampratio=\"1\" gear=\"3\"/>", classes), 360, 9 * 1.45000639);
    check(servo("<position joint=\"s\" kp=\"70\" dampratio=\".5\"/>", "", "s"), 70, 8.36660027);
    check(servo("<position joint=\"h\" inheritrange=\"1\"/>", classes), 40, 0, 0, -1.04719755, 1.57079633);
    check(servo("<position joint=\"h\" gear=\"2\" inheritrange=\"0.5\"/>", classes), 160, 0, 0,
          -0.39269908 / 2, 0.91629786 / 2);
}

TEST_CASE("mjcf gains of default classes reach the actuators that MuJoCo gives them to") {
    const std::string position = "<default><position kp=\"40\" kv=\"3\"/><default class=\"c\">";
    const auto nested = [&](const std::string& inner, const std::string& kind = "position") {
        return servo("<" + kind + " joint=\"h\" class=\"c\"/>", position + inner + "</default></default>");
    };
    check(nested(""), 40, 3);
    check(nested("<general gear=\"2\"/>"), 160, 12);
    check(nested("<general gainprm=\"7\"/>"), 7, 3);
    check(nested("<motor gear=\"2\"/>"), 160, 12);
    check(nested("<velocity kv=\"4\"/>"), 40, 3);
    check(nested("<velocity kv=\"4\"/>", "general"), 0, 4);
    check(nested("<muscle/>"), 40, 3);
    check(servo("<position joint=\"h\"/>", "<default><velocity kv=\"4\"/></default>"), 1, 0);
    check(servo("<position joint=\"h\"/>",
                "<default><general gainprm=\"7\" biasprm=\"0 0 -3\" biastype=\"affine\"/></default>"),
          7, 3);
    check(servo("<position joint=\"h\"/>",
                "<default><general gainprm=\"7\" gaintype=\"affine\" biasprm=\"0 -7 -3\"/></default>"),
          1, 0);
}

TEST_CASE("mjcf controls of keys are targets of servos") {
    const Reading reading =
        read(arm("<motor joint=\"s\"/><position joint=\"h\" gear=\"2\" ctrlrange=\"-1 1\"/>",
                 "<keyframe>\n<key name=\"a\" ctrl=\"5 .4\"/>\n<key name=\"b\" ctrl=\"0 3\"/>"
                 "<key name=\"c\"/><key name=\"d\" ctrl=\"1\"/></keyframe>"));
    REQUIRE(reading.robot.states.size() == 4);
    CHECK(reading.robot.states[0].targets == std::map<std::string, double>{{"h", .2}});
    CHECK(reading.robot.states[1].targets.at("h") == .5);
    CHECK(reading.robot.states[2].targets.empty());
    CHECK(reading.robot.states[3].targets.empty());
    CHECK(has(reading, Severity::warning, 4, "key 'd'", "2 numbers in 'ctrl'"));
    const grbda::Model model = grbda::build_model(reading.robot);
    CHECK(model.states[1].targets.at("h") == .5);
    CHECK(model.servos[model.joint("h").index]->stiffness == 4);
    CHECK_FALSE(model.servos[model.joint("s").index]);
}

TEST_CASE("servos and their targets are the same in files that are written") {
    for (const char* actuators :
         {"<position joint=\"h\" kp=\"30\" kv=\"2\" gear=\"-3\" ctrlrange=\"-1 2\" forcerange=\"-5 5\"/>",
          "<position joint=\"h\" ctrlrange=\".5 2\"/>", "<velocity joint=\"h\" kv=\"4\" gear=\"2\"/>",
          "<general joint=\"h\" gainprm=\"20\" biastype=\"affine\" biasprm=\"1 -10 -2\" ctrlrange=\"-1 3\"/>",
          "<general joint=\"h\" gainprm=\"20\" biastype=\"affine\" biasprm=\"1 0 -2\"/>"}) {
        INFO(actuators);
        const Reading reading = accept(arm(actuators, "<keyframe><key name=\"k\" ctrl=\"1.5\"/></keyframe>"));
        grbda::Diagnostics findings;
        const grbda::Mechanism mechanism = grbda::make_mechanism(reading.robot, {}, findings);
        const std::string mjcf = grbda::write_mjcf(mechanism, findings), urdf = grbda::write_urdf(mechanism);
        INFO(mjcf << urdf);
        REQUIRE_FALSE(has_errors(findings));
        const grbda::RobotDescription written[] = {grbda::read_mjcf(mjcf, "written.xml", findings),
                                                   grbda::read_urdf(urdf, "written.urdf", findings)};
        REQUIRE_FALSE(has_errors(findings));
        const grbda::Model original = grbda::build_model(reading.robot);
        for (const grbda::RobotDescription& each : written) {
            const grbda::Model model = grbda::build_model(each);
            const int h = model.joint("h").index;
            const ServoDescription& expected = *original.servos[original.joint("h").index];
            check(model.servos[h], expected.stiffness, expected.damping, expected.target, expected.lower,
                  expected.upper);
            CHECK(model.limits[h].effort == original.limits[original.joint("h").index].effort);
            REQUIRE(model.states.back().name == "k");  // after the start, in MJCF
            CHECK(std::abs(model.states.back().targets.at("h") - original.states[0].targets.at("h")) < 1e-12);
        }
    }
}
