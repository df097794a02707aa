#include <string>
#include <vector>

#include "io/urdf/urdf_fixture.hpp"

// The URDF reader: springs, tendons and gravity compensation.

using namespace urdf_test;
using grbda::Severity;

TEST_CASE("urdf+ reads springs, and figures of each coordinate") {
    const auto read_joint = [](const std::string& type, const std::string& dynamics) {
        return accept(joint("type=\"" + type + "\"", "<dynamics " + dynamics + "/>")).robot.joints.at(0);
    };
    const grbda::JointDescription hinge = read_joint("continuous", "stiffness=\"3\" rest_position=\"-0.5\"");
    CHECK(hinge.stiffness == 3);
    CHECK(hinge.rest == std::vector<double>{-0.5});
    const grbda::JointDescription plane =
        read_joint("planar", "damping=\"1 2 3\" friction=\"4\" rest_position=\"5 6 7\"");
    CHECK(plane.damping.values() == std::vector<double>{1, 2, 3});
    CHECK(plane.friction.values() == std::vector<double>{4});
    CHECK(plane.rest == std::vector<double>{5, 6, 7});
    check_error(joint("type=\"continuous\"", "<dynamics stiffness=\"1 x\"/>"), 3, "<dynamics>", "1 x");
    check_error(joint("type=\"continuous\"", "<dynamics damping=\"1 inf\"/>"), 3, "<dynamics>", "1 inf");
    check_error(joint("type=\"continuous\"", "<dynamics rest_position=\"\"/>"), 3, "<dynamics>",
                "rest_position");
    check_error(joint("type=\"continuous\"", "<dynamics stifness=\"1\"/>"), 3, "<dynamics>",
                "did you mean 'stiffness'");
}

TEST_CASE("urdf+ reads tendons") {
    const Reading reading =
        accept(robot("<tendon name=\"t\" stiffness=\"1\" damping=\"2\" friction=\"3\" rest_length=\"4 5\">"
                     "<term joint=\"a\" coefficient=\"-2\"/><term joint=\"b\"/></tendon>"
                     "<tendon name=\"u\" rest_length=\"6\"><term joint=\"a\"/></tendon>"));
    CHECK(reading.diagnostics.empty());
    REQUIRE(reading.robot.tendons.size() == 2);
    const grbda::TendonDescription& tendon = reading.robot.tendons[0];
    CHECK(tendon.name == "t");
    CHECK(tendon.stiffness == 1);
    CHECK(tendon.damping == 2);
    CHECK(tendon.friction == 3);
    CHECK(tendon.rest_lower == 4);
    CHECK(tendon.rest_upper == 5);
    REQUIRE(tendon.terms.size() == 2);
    CHECK(tendon.terms[0].joint == "a");
    CHECK(tendon.terms[0].coefficient == -2);
    CHECK(tendon.terms[1].coefficient == 1);
    CHECK(reading.robot.tendons[1].rest_lower == 6);
    CHECK(reading.robot.tendons[1].rest_upper == 6);
    check_error(robot("<tendon><term joint=\"a\"/></tendon>"), 2, "<tendon>", "attribute 'name'");
    check_error(robot("<tendon name=\"t\" rest_length=\"1 2 3\"/>"), 2, "tendon 't'", "two to be slack");
    check_error(robot("<tendon name=\"t\" stiffnes=\"1\"/>"), 2, "tendon 't'", "did you mean 'stiffness'");
    check_error(robot("<tendn name=\"t\"/>"), 2, "tendn 't'", "did you mean <tendon>");
}

TEST_CASE("urdf+ reads what carries a link's weight") {
    const Reading reading =
        accept(robot("<link name=\"a\"><gravity_compensation mass=\"2\" xyz=\"1 2 3\"/>"
                     "<gravity_compensation mass=\"-1\"/></link>"));
    CHECK(reading.diagnostics.empty());
    const auto& carried = reading.robot.links.at(0).gravity_compensation;
    REQUIRE(carried.size() == 2);
    CHECK(carried[0].mass == 2);
    CHECK(carried[0].point == Eigen::Vector3d(1, 2, 3));
    CHECK(carried[1].mass == -1);
    CHECK(carried[1].point == Eigen::Vector3d(0, 0, 0));
    check_error(robot("<link name=\"a\">\n<gravity_compensation xyz=\"0 0 0\"/></link>"), 3,
                "<gravity_compensation> of link 'a'", "attribute 'mass'");
    check_error(robot("<link name=\"a\">\n<gravity_compensation mass=\"1\" xyz=\"0 0\"/></link>"), 3,
                "<gravity_compensation> of link 'a'", "3 finite numbers");
}

TEST_CASE("urdf forces in elements of other programs are warnings, errors if strict") {
    const auto check_left_out = [](const std::string& text, int line, const std::string& words) {
        INFO(text);
        const Reading reading = read(text);
        CHECK(reading.count(Severity::error) == 0);
        CHECK(reading.count(Severity::warning) == 1);
        for (const grbda::Diagnostic& entry : reading.diagnostics) {
            if (entry.severity != Severity::warning) continue;
            CHECK(entry.strict);
            CHECK(entry.where.line == line);
            CHECK(to_string(entry).find(words) != std::string::npos);
        }
    };
    const auto gazebo = [](const std::string& inside) {
        return robot("<gazebo reference=\"a\">\n" + inside + "</gazebo>");
    };
    check_left_out(gazebo("<turnGravityOff>true</turnGravityOff>"), 3,
                   "<turnGravityOff> in <gazebo> for 'a'");
    check_left_out(gazebo("<gravity> 0 </gravity>"), 3, "<gravity>");
    check_left_out(gazebo("<springStiffness>2</springStiffness>"), 3, "<springStiffness>");
    check_left_out(gazebo("<dampingFactor>0.1</dampingFactor>"), 3, "<dampingFactor>");
    check_left_out(joint("type=\"continuous\"", "<joint_properties damping=\"1\" friction=\"0.0\"/>"), 3,
                   "damping in <joint_properties>");
    for (const char* idle : {"<turnGravityOff>false</turnGravityOff>", "<gravity>true</gravity>",
                             "<springStiffness>0.0</springStiffness>", "<mu1>0.5</mu1>"})
        CHECK(read(gazebo(idle)).count(Severity::warning) == 0);
    CHECK(read(robot("<gazebo><springStiffness>2</springStiffness></gazebo>")).count(Severity::warning) == 0);
}

TEST_CASE("urdf refuses constraints of other programs and parts of the mechanism in the wrong place") {
    for (const char* name : {"drake:joint", "drake:ball_constraint"}) {
        check_error(robot("\n<" + std::string(name) + " name=\"x\"/>"), 3, name, "as URDF+ has them");
    }
    for (const char* name : {"include", "xi:include"}) {
        check_error(robot("\n<" + std::string(name) + " filename=\"x\"/>"), 3, name, "in one file");
        CHECK(read(robot("<" + std::string(name) + " filename=\"x\"/>")).diagnostics.size() == 1);
    }
    for (const char* name : {"link", "joint", "loop", "coupling"}) {
        const std::string element = "\n<" + std::string(name) + " name=\"x\"/>";
        check_error(robot("<link name=\"a\">" + element + "</link>"), 3, name, "it in <link>");
    }
    check_error(joint("type=\"fixed\"", "<link name=\"x\"/>"), 3, "link 'x'", "it in <joint>");
    accept(robot("<link name=\"a\"/><drake:collision_filter_group name=\"g\"/>"));
}

TEST_CASE("urdf parts of the mechanism that other programs pass over too are warnings, errors if strict") {
    const auto check_left_out = [](const std::string& text, int line, const std::string& words) {
        INFO(text);
        const Reading reading = read(text);
        CHECK(reading.count(Severity::error) == 0);
        REQUIRE(reading.count(Severity::warning) == 1);
        for (const grbda::Diagnostic& entry : reading.diagnostics) {
            if (entry.severity != Severity::warning) continue;
            CHECK(entry.strict);
            CHECK(entry.where.line == line);
            CHECK(to_string(entry).find(words) != std::string::npos);
        }
    };
    check_left_out(robot("<inertial><mass value=\"1\"/></inertial>"), 2, "<inertial> in a <link>");
    check_left_out(robot("<mimic joint=\"a\"/>"), 2, "<mimic> in a <joint>");
    check_left_out(robot("<link name=\"a\">\n<mimic joint=\"j\"/></link>"), 3, "found it in <link>");
    check_left_out(robot("<force_element/>"), 2, "joint forces");
    check_left_out(robot("<deformable name=\"d\"/>"), 2, "rigid links");
    check_left_out(robot("<gazebo>\n<joint name=\"x\" type=\"ball\"/></gazebo>"), 3, "<joint> in it");
    check_left_out(robot("<gazebo>\n<joint:hinge name=\"x\"/></gazebo>"), 3, "<joint:hinge> in it");
    check_left_out(robot("<gazebo>\n<link name=\"x\"/></gazebo>"), 3, "a <loop> closes a loop");
    CHECK(read(robot("<gazebo reference=\"j\"><joint/></gazebo>")).count(Severity::warning) == 0);
    const auto rotor = [](const std::string& inside) {
        return robot("<transmission name=\"t\">\n<actuator name=\"m\">" + inside +
                     "</actuator></transmission>");
    };
    check_left_out(rotor("<drake:rotor_inertia value=\"1e-4\"/>"), 3, "<dynamics armature");
    check_left_out(rotor("<motorInertia>1e-4</motorInertia><motorInertia>1</motorInertia>"), 3, "2 times");
    CHECK(read(rotor("<drake:rotor_inertia value=\"0\"/>")).count(Severity::warning) == 0);
}
