#include "io/urdf/urdf_fixture.hpp"
#include "mechanism/relation.hpp"

using namespace urdf_test;
using grbda::Severity;

// Elements beyond URDF that say what joints and frames are used for, and cams.

namespace {

/// Links a, b, c, d with joints jb (revolute), jc (spherical), jd (fixed) in line 2; `elements` stand from
/// line 3 on.
std::string arm(const std::string& elements) {
    std::string text;
    for (const char* link : {"a", "b", "c", "d"}) text += "<link name=\"" + std::string(link) + "\"/>";
    const auto joint = [](const std::string& parent, const std::string& child, const std::string& type) {
        return "<joint name=\"j" + child + "\" type=\"" + type + "\"><parent link=\"" + parent +
               "\"/><child link=\"" + child + "\"/><limit lower=\"-1\" upper=\"1\"/></joint>";
    };
    return "<robot name=\"r\">\n" + text + joint("a", "b", "revolute") + joint("b", "c", "continuous") +
           joint("c", "d", "fixed") + "<joint name=\"ball\" type=\"spherical\"><parent link=\"a\"/>" +
           "<child link=\"e\"/></joint><link name=\"e\"/>\n" + elements + "</robot>\n";
}

std::string cam(const std::string& inside) {
    return arm("<coupling name=\"cam\" type=\"polynomial\">\n" + inside + "</coupling>");
}

}  // namespace

TEST_CASE("urdf reads armature, acceleration and jerk, and notes a deceleration") {
    const Reading reading =
        accept(joint("type=\"continuous\"",
                     "<limit effort=\"1\" velocity=\"2\" acceleration=\"3\" jerk=\"4e9\"/>"
                     "<dynamics armature=\"0.125\"/>"));
    CHECK(reading.diagnostics.empty());
    const grbda::JointDescription& joint = reading.robot.joints.at(0);
    CHECK(joint.limits.acceleration == 3);
    CHECK(joint.limits.jerk == 4e9);
    CHECK(joint.armature == 0.125);
    CHECK(joint.damping == 0);
    const std::string end = "/>";
    check_error(urdf_test::joint("type=\"continuous\"", "<dynamics armature=\"heavy\"" + end), 3,
                "<dynamics> of joint 'j'", "finite number");
    check_error(urdf_test::joint("type=\"continuous\"", "<limit jerk=\"nan\"" + end), 3,
                "<limit> of joint 'j'", "'jerk'");
    const Reading slow = accept(urdf_test::joint("type=\"continuous\"", "<limit deceleration=\"3\"" + end));
    CHECK(has(slow, Severity::note, 3, "<limit> of joint 'j'", "deceleration not used"));
}

namespace {

const grbda::JointDescription& joint_of(const Reading& reading, const std::string& name) {
    for (const grbda::JointDescription& joint : reading.robot.joints)
        if (joint.name == name) return joint;
    FAIL("no joint " + name);
    return reading.robot.joints.front();
}

}  // namespace

TEST_CASE("urdf transmissions tell which joints have motors") {
    const Reading reading = accept(arm(
        "<transmission name=\"t\"><type>transmission_interface/SimpleTransmission</type>\n"
        "<joint name=\"jc\"><hardwareInterface>hardware_interface/EffortJointInterface</hardwareInterface>"
        "</joint><actuator name=\"m\"><hardwareInterface>x</hardwareInterface>"
        "<mechanicalReduction>1</mechanicalReduction></actuator></transmission>\n"
        "<transmission type=\"SimpleTransmission\" name=\"u\"><joint name=\"jb\"/><joint name=\"jc\"/>"
        "<mechanicalReduction> 1.0 </mechanicalReduction></transmission>"));
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.actuated == std::vector<std::string>{"jc", "jb"});
    CHECK(accept(arm("<transmission name=\"none\"/>")).robot.actuated.empty());
}

TEST_CASE("urdf checks the joints and reductions of transmissions") {
    const auto transmission = [](const std::string& inside) {
        return arm("<transmission name=\"t\">\n" + inside + "</transmission>");
    };
    const Reading unknown = read(transmission("<joint name=\"jcc\"/>\n<joint name=\"jb\"/>"));
    CHECK(unknown.count(Severity::error) == 0);
    CHECK(has(unknown, Severity::warning, 4, "joint 'jcc'", "its motor is left out; did you mean 'jc'"));
    CHECK(unknown.robot.actuated == std::vector<std::string>{"jb"});
    check_error(transmission("<joint/>"), 4, "<joint> of transmission 't'", "'name'");
    for (const char* bad : {"", "0", "nan", "inf", "six", "1 2"}) {
        const std::string reduction = "<mechanicalReduction>" + std::string(bad) + "</mechanicalReduction>";
        const Reading reading =
            accept(transmission("<joint name=\"jb\"/>\n<actuator name=\"m\">\n" + reduction + "</actuator>"));
        CHECK(reading.robot.actuated == std::vector<std::string>{"jb"});
        CHECK(has(reading, Severity::note, 6, "<mechanicalReduction> of actuator 'm'",
                  "not used, as it is no ratio"));
    }
    const Reading geared = accept(transmission(
        "<joint name=\"jb\"/>\n<mechanicalReduction>50</mechanicalReduction><actuator name=\"m\">"
        "<mechanicalReduction>6</mechanicalReduction></actuator>"));
    CHECK(geared.diagnostics.empty());
    CHECK(joint_of(geared, "jb").reduction == 6);  // of the actuator, as in ros_control
    CHECK(joint_of(geared, "jc").reduction == 1);
    const std::string rotor =
        "<joint name=\"jb\"/><mechanicalReduction>-4</mechanicalReduction><actuator name=\"m\">"
        "<rotorInertia>0.5</rotorInertia></actuator>";
    CHECK(joint_of(accept(transmission(rotor)), "jb").armature == 0.5 * 16);
    const std::string drake =
        "<joint name=\"jb\"/><actuator name=\"m\"><drake:rotor_inertia value=\"0.5\"/>"
        "<drake:gear_ratio value=\"3\"/></actuator>";
    CHECK(joint_of(accept(transmission(drake)), "jb").armature == 0.5 * 9);
    CHECK(joint_of(accept(transmission(drake)), "jb").reduction == 3);
    const Reading shared = accept(transmission(
        "<joint name=\"jb\"/><joint name=\"jc\"/><mechanicalReduction>50</mechanicalReduction>"));
    CHECK(has(shared, Severity::note, 3, "transmission 't'", "several joints or actuators are not used"));
    CHECK(joint_of(shared, "jb").reduction == 1);
    const Reading fixed = read(transmission("<joint name=\"jd\"/>"));
    CHECK(fixed.robot.actuated.empty());
    CHECK(has(fixed, Severity::warning, 4, "joint 'jd'", "found a fixed one"));
}

TEST_CASE("urdf+ polynomial couplings keep their joints, references and coefficients") {
    const Reading reading =
        accept(cam("<follower joint=\"jb\" reference=\"0.5\"/><leader joint=\"jc\"/>"
                   "<polynomial coefficients=\"0 1.5\t-2e-3\n4\"/>"));
    CHECK(reading.diagnostics.empty());
    const auto& coupling = relation_of<grbda::PolynomialRelation>(reading.robot);
    CHECK(reading.robot.couplings[0].name == "cam");
    CHECK(coupling.follower == "jb");
    CHECK(coupling.leader == "jc");
    CHECK(coupling.follower_reference == 0.5);
    CHECK(coupling.leader_reference == 0);
    CHECK(coupling.coefficients == std::vector<double>{0, 1.5, -2e-3, 4});
    CHECK(reading.robot.couplings[0].where.line == 3);
}

TEST_CASE("urdf+ refuses polynomial couplings without joints, coefficients or numbers") {
    const std::string follower = "<follower joint=\"jb\"/>", leader = "<leader joint=\"jc\"/>";
    const std::string polynomial = "<polynomial coefficients=\"0 1\"/>";
    check_error(cam(leader + polynomial), 3, "coupling 'cam'", "<follower>, found none");
    check_error(cam(follower + polynomial), 3, "coupling 'cam'", "<leader>, found none");
    check_error(cam(follower + leader), 3, "coupling 'cam'", "<polynomial>, found none");
    check_error(cam(follower + "<leader/>" + polynomial), 4, "<leader> of coupling 'cam'", "'joint'");
    check_error(cam(follower + "<leader joint=\"jc\" reference=\"inf\"/>" + polynomial), 4, "<leader>",
                "finite number");
    for (const char* bad : {"", " ", "0 x", "1,2", "nan", "1 inf"})
        check_error(cam(follower + leader + "<polynomial coefficients=\"" + bad + "\"/>"), 4, "<polynomial>",
                    "coefficients");
    check_error(cam(follower + "<leader joint=\"jc\" referense=\"1\"/>" + polynomial), 4, "<leader>",
                "did you mean 'reference'?");
    check_error(arm("<coupling name=\"c\">" + follower + leader + polynomial + "</coupling>"), 3,
                "coupling 'c'", "type=\"polynomial\"");
    check_taken_name(cam(follower + leader + polynomial +
                         "</coupling>\n<coupling name=\"cam\" type=\"linear\">" + "<term joint=\"jb\"/>"),
                     5, "coupling 'cam'", "first in line 3");
}

TEST_CASE("urdf+ start, states and coordinates name joints of any type") {
    const Reading reading = accept(
        arm("<state name=\"home\" group=\"arm\"><joint name=\"jb\" value=\"-0.5\"/></state>\n"
            "<start><joint name=\"jc\" value=\"1\"/><joint name=\"ball\" value=\"0 0 0 1\"/>"
            "<joint name=\"root_joint\" value=\"0 0 1 0 0 0 1\"/></start>"
            "<state name=\"any\"/><coordinates><joint name=\"jc\"/><joint name=\"jb\"/></coordinates>"));
    CHECK(reading.diagnostics.empty());
    const grbda::RobotDescription& robot = reading.robot;
    CHECK(robot.start.size() == 3);
    CHECK(robot.start.at("ball") == std::vector<double>{0, 0, 0, 1});
    REQUIRE(robot.states.size() == 2);
    CHECK(robot.states[0].name == "home");
    CHECK(robot.states[0].group == "arm");
    CHECK(robot.states[0].positions.at("jb") == std::vector<double>{-0.5});
    CHECK(robot.states[0].where.line == 3);
    CHECK(robot.states[1].positions.empty());
    CHECK(robot.coordinates == std::vector<std::string>{"jc", "jb"});
}

TEST_CASE("urdf+ refuses positions that do not fit their joint") {
    for (const char* owner : {"start", "state"}) {
        const auto positions = [&](const std::string& joints) {
            const std::string name = std::string(owner) == "state" ? " name=\"home\"" : "";
            return arm("<" + std::string(owner) + name + ">\n" + joints + "</" + owner + ">");
        };
        check_error(positions("<joint name=\"jbb\" value=\"1\"/>"), 4, "joint 'jbb'", "did you mean 'jb'");
        check_error(positions("<joint name=\"jb\"/>"), 4, "joint 'jb'", "'value', found none");
        check_error(positions("<joint name=\"jb\" value=\"1 2\"/>"), 4, "joint 'jb'",
                    "1 number for a revolute joint, found 2");
        check_error(positions("<joint name=\"ball\" value=\"1\"/>"), 4, "joint 'ball'", "4 numbers");
        check_error(positions("<joint name=\"jb\" value=\"nan\"/>"), 4, "joint 'jb'", "finite");
        check_error(positions("<joint name=\"jb\" value=\"1\"/>\n<joint name=\"jb\" value=\"1\"/>"), 5,
                    "joint 'jb'", "each joint once");
        const Reading fixed = read(positions("<joint name=\"jd\" value=\"1\"/>"));
        CHECK(has(fixed, Severity::warning, 4, "joint 'jd'", "a fixed one"));
        const Reading other = accept(positions("<link name=\"a\"/>"));
        CHECK(has(other, Severity::note, 4, "robot 'r'", "ignored elements: <link>"));
    }
    check_taken_name(arm("<state name=\"s\"/>\n<state name=\"s\"/>"), 4, "state 's'", "'s' again");
    check_error(arm("<state/>"), 3, "<state> of robot 'r'", "'name'");
    check_error(arm("<coordinates>\n<joint name=\"a\"/></coordinates>"), 4, "joint 'a'", "known joint");
    check_error(arm("<coordinates><joint name=\"jb\"/>\n<joint name=\"jb\"/></coordinates>"), 4, "joint 'jb'",
                "each joint once");
    const Reading twice = read(arm("<start/>\n<start/>"));
    CHECK(has(twice, Severity::warning, 4, "<start>", "the first is used"));
}

TEST_CASE("urdf+ frames, tool frames and gravity") {
    const Reading reading =
        accept(arm("<tool_frame name=\"tip\"/><tool_frame name=\"b\"/><gravity xyz=\"0 0 -1.62\"/>\n"
                   "<frame name=\"tip\" link=\"d\"><origin xyz=\"1 2 3\"/></frame>"));
    CHECK(reading.diagnostics.empty());
    REQUIRE(reading.robot.frames.size() == 1);
    CHECK(reading.robot.frames[0].name == "tip");
    CHECK(reading.robot.frames[0].link == "d");
    CHECK(reading.robot.frames[0].origin.translation == Eigen::Vector3d(1, 2, 3));
    CHECK(reading.robot.frames[0].where.line == 4);
    CHECK(reading.robot.tool_frames == std::vector<std::string>{"tip", "b"});
    REQUIRE(reading.robot.gravity);
    CHECK(*reading.robot.gravity == Eigen::Vector3d(0, 0, -1.62));
    CHECK_FALSE(accept(arm("")).robot.gravity);

    check_error(arm("<frame link=\"a\"/>"), 3, "<frame> of robot 'r'", "'name'");
    check_error(arm("<frame name=\"f\"/>"), 3, "frame 'f'", "'link'");
    check_error(arm("<tool_frame/>"), 3, "<tool_frame> of robot 'r'", "'name'");
    check_error(arm("<frame name=\"tip\" link=\"a\"/>\n<tool_frame name=\"tipp\"/>"), 4, "tool_frame 'tipp'",
                "did you mean 'tip'");
    check_error(arm("<gravity/>"), 3, "<gravity> of robot 'r'", "'xyz'");
    check_error(arm("<gravity xyz=\"0 0\"/>"), 3, "<gravity>", "3 finite numbers");
    check_error(arm("<state name=\"s\" groop=\"g\"/>"), 3, "state 's'", "'groop' (did you mean 'group'?)");
}

TEST_CASE("urdf with many unknown names is read in linear time") {
    std::string text;
    for (int i = 0; i < 20000; ++i) text += "<tool_frame name=\"x" + std::to_string(i) + "\"/>\n";
    for (int i = 0; i < 20000; ++i) text += "<link name=\"link" + std::to_string(i) + "\"/>\n";
    CHECK(read(robot(text)).count(Severity::error) == 20000);
}

TEST_CASE("urdf helical joints take a pitch") {
    const Reading reading =
        accept(joint("type=\"helical\"", "<pitch value=\"-0.002\"/><limit upper=\"9\"/>"));
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.joints.at(0).pitch == -0.002);
    CHECK(reading.robot.joints.at(0).limits.upper == 9);
    check_error(joint("type=\"helical\""), 2, "joint 'j'", "<pitch>, found none");
    check_error(joint("type=\"helical\"", "\n<pitch/>"), 4, "<pitch> of joint 'j'", "'value', found none");
    check_figure(joint("type=\"helical\"", "\n<pitch value=\"0\"/>"), 4, "joint 'j'",
                 "a pitch other than zero, in metres per radian");
    check_figure(joint("type=\"helical\"", "<axis xyz=\"0 0 0\"/><pitch value=\"1\"/>"), 3, "joint 'j'",
                 "an axis that is not zero");
}
