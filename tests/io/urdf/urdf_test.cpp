#include "io/urdf/urdf_fixture.hpp"

#include <clocale>
#include <cmath>
#include <limits>
#include <string>

// The URDF reader: text, links and joints. Loops and couplings: urdf_constraints_test.cpp.

using namespace urdf_test;
using grbda::JointType;
using grbda::Severity;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// A few roundings of sines, cosines and products of them.
constexpr double rounding = 1e-15;

}  // namespace

TEST_CASE("urdf keeps links and joints in document order with their places") {
    const Reading reading = accept(
        "<?xml version=\"1.0\"?>\n"
        "<robot name=\"two links\">\n"
        "  <link name=\"z\"/>\n"
        "  <joint name=\"b\" type=\"continuous\"><parent link=\"z\"/><child name=\"a\"/></joint>\n"
        "  <link name=\"a\"/>\n"
        "</robot>\n");
    REQUIRE(reading.diagnostics.empty());
    CHECK(reading.robot.name == "two links");
    CHECK(reading.robot.where.line == 2);
    REQUIRE(reading.robot.links.size() == 2);
    CHECK(reading.robot.links[0].name == "z");
    CHECK(reading.robot.links[1].name == "a");
    CHECK(reading.robot.links[1].where.line == 5);
    CHECK(reading.robot.links[1].where.column == 3);
    CHECK_FALSE(reading.robot.links[0].inertial);
    REQUIRE(reading.robot.joints.size() == 1);
    CHECK(reading.robot.joints[0].parent == "z");
    CHECK(reading.robot.joints[0].child == "a");
    CHECK(reading.robot.joints[0].where.file == "robot.urdf");
    CHECK(reading.robot.joints[0].where.line == 4);
    CHECK_FALSE(reading.robot.joints[0].independent);
    CHECK_FALSE(reading.robot.coupling_ratio);
}

TEST_CASE("urdf knows every joint type") {
    for (const grbda::JointFacts& facts : grbda::joint_facts) {
        const JointType type = facts.type;
        const std::string attribute = std::string("type=\"") + facts.name + "\"";
        const Reading reading =
            accept(joint(attribute, type == JointType::helical ? "<pitch value=\"1\"/>" : ""));
        REQUIRE(reading.robot.joints.size() == 1);
        CHECK(reading.robot.joints[0].type == type);
        CHECK(reading.robot.joints[0].axis == Eigen::Vector3d(1, 0, 0));
        CHECK(reading.robot.joints[0].axis2 == Eigen::Vector3d(0, 1, 0));
    }
}

TEST_CASE("urdf refuses an unknown joint type and names the nearest") {
    check_error(joint("type=\"revolut\""), 2, "joint 'j'", "did you mean 'revolute'");
    check_error(joint("type=\"Prismatic\""), 2, "joint 'j'", "did you mean 'prismatic'");
    check_error(joint("type=\"gear\""), 2, "joint 'j'", "one of fixed, revolute, continuous");
    check_error(joint(""), 2, "joint 'j'", "'type', found none");
}

TEST_CASE("urdf turns the inertia and the centre of mass into link axes") {
    const Reading reading =
        accept(inertial("<origin xyz=\"1 2 3\" rpy=\"0 0 1.5707963267948966\"/><mass value=\"2\"/>"
                        "<inertia ixx=\"1\" iyy=\"1.5\" izz=\"2\" ixy=\"0.1\" ixz=\"0.2\" iyz=\"0.3\"/>"));
    REQUIRE(reading.robot.links.at(0).inertial);
    const grbda::Inertial& inertial = *reading.robot.links[0].inertial;
    CHECK(inertial.mass == 2);
    CHECK(inertial.com == Eigen::Vector3d(1, 2, 3));
    Eigen::Matrix3d turned;  // x of the inertial frame is y of the link, y is -x
    turned << 1.5, -0.1, -0.3, -0.1, 1, 0.2, -0.3, 0.2, 2;
    CHECK((inertial.inertia - turned).norm() < 4 * rounding);
}

TEST_CASE("urdf angles turn about the fixed x, then y, then z axis") {
    const Reading reading = accept(joint("type=\"fixed\"", "<origin xyz=\".5 0 -1\" rpy=\"0.3 -0.7 1.1\"/>"));
    const Eigen::Matrix3d& rotation = reading.robot.joints.at(0).origin.rotation;
    const double cx = std::cos(0.3), sx = std::sin(0.3);
    const double cy = std::cos(-0.7), sy = std::sin(-0.7);
    const double cz = std::cos(1.1), sz = std::sin(1.1);
    Eigen::Matrix3d expected;
    expected << cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx, sz * cy, sz * sy * sx + cz * cx,
        sz * sy * cx - cz * sx, -sy, cy * sx, cy * cx;
    CHECK((rotation - expected).norm() < 4 * rounding);
    CHECK(reading.robot.joints[0].origin.translation == Eigen::Vector3d(0.5, 0, -1));
}

TEST_CASE("urdf warns of angles beyond a whole turn, which are probably degrees") {
    const Reading degrees = read(joint("type=\"fixed\"", "<origin rpy=\"0 0 90\"/>"));
    CHECK(degrees.count(Severity::error) == 0);
    CHECK(has(degrees, Severity::warning, 3, "<origin> of joint 'j'", "angles in rad"));
    CHECK(accept(joint("type=\"fixed\"", "<origin rpy=\"0 0 6.2832\"/>")).diagnostics.empty());
}

TEST_CASE("urdf reads a quaternion as x y z w and any length of it") {
    const std::string inside =
        "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/>\n"
        "<origin quat_xyzw=\"0 0 0.70710678 0.70710678\"/></joint></robot>";
    const Reading reading = accept("<robot name=\"r\" version=\"1.1\">" + inside);
    CHECK(reading.diagnostics.empty());
    Eigen::Matrix3d quarter_turn;
    quarter_turn << 0, -1, 0, 1, 0, 0, 0, 0, 1;
    CHECK((reading.robot.joints.at(0).origin.rotation - quarter_turn).norm() < 4 * rounding);

    const Reading old = read("<robot name=\"r\">" + inside);
    CHECK(has(old, Severity::warning, 2, "<origin> of joint 'j'", "version 1.1"));
    CHECK((old.robot.joints.at(0).origin.rotation - quarter_turn).norm() < 4 * rounding);
}

TEST_CASE("urdf refuses a quaternion that is zero or has another rotation beside it") {
    const auto origin = [](const std::string& attributes) {
        return "<robot name=\"r\" version=\"1.2\"><joint name=\"j\" type=\"fixed\"><parent link=\"a\"/>"
               "<child link=\"b\"/>\n<origin " +
               attributes + "/></joint></robot>";
    };
    check_error(origin("quat_xyzw=\"0 0 0 0\""), 2, "<origin> of joint 'j'", "zero");
    check_error(origin("quat_xyzw=\"0 0 0 1\" rpy=\"0 0 0\""), 2, "<origin> of joint 'j'", "both");
    check_error(origin("quat_xyzw=\"0 0 1\""), 2, "<origin> of joint 'j'", "4 finite numbers");
    const Reading doubled = read(origin("quat_xyzw=\"0 0 0 2\""));
    CHECK(doubled.count(Severity::error) == 0);
    CHECK(has(doubled, Severity::warning, 2, "<origin> of joint 'j'", "length 2"));
    CHECK(doubled.robot.joints.at(0).origin.rotation == Eigen::Matrix3d::Identity());
}

TEST_CASE("urdf accepts massless links and products of inertia left out") {
    const Reading reading = accept(inertial("<mass value=\" 0 \"/><inertia ixx=\"0\" iyy=\"0\" izz=\"0\"/>"));
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.links.at(0).inertial->mass == 0);
}

TEST_CASE("urdf refuses impossible inertias") {
    const std::string fine = "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>";
    check_figure(inertial("<mass value=\"-1\"/>" + fine), 3, "link 'a'", "zero or more, found -1");
    check_error(inertial("<mass value=\"nan\"/>" + fine), 3, "<mass> of link 'a'", "finite number");
    check_error(inertial("<mass value=\"inf\"/>" + fine), 3, "<mass> of link 'a'", "finite number");
    check_error(inertial("<mass/>" + fine), 3, "<mass> of link 'a'", "'value', found none");
    check_error(inertial(fine), 2, "<inertial> of link 'a'", "<mass>, found none");
    check_error(inertial("<mass value=\"1\"/>\n<inertia ixx=\"1\" izz=\"1\"/>"), 4, "<inertia> of link 'a'",
                "'iyy', found none");
}

TEST_CASE("urdf says where a link's mass and moments of inertia stand") {
    const Reading reading = accept(inertial("<mass value=\"1\"/>\n<inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/>"));
    CHECK(reading.robot.links.at(0).places.at(grbda::Figure::mass).line == 3);
    CHECK(reading.robot.links.at(0).places.at(grbda::Figure::inertia).line == 4);
}

TEST_CASE("urdf accepts rounded rods") {
    // Along x + y: exactly singular.
    CHECK(accept(inertial("<mass value=\"1\"/><inertia ixx=\"0.333333\" iyy=\"0.333333\" izz=\"0.666666\" "
                          "ixy=\"-0.333333\"/>"))
              .diagnostics.empty());
}

TEST_CASE("urdf reads numbers in every usual spelling") {
    const Reading reading =
        accept(joint("type=\"revolute\"",
                     "<origin xyz=\"\t+1.5e0\n  -.25\r\n+.5E+1 \"/><axis xyz=\" 0 0\t2. \"/>"
                     "<limit lower=\" -inf \" upper=\"+1e3\" effort=\"INF\" velocity=\" 2 \"/>"
                     "<dynamics damping=\"1e-400\"/>"));
    CHECK(reading.diagnostics.empty());
    const grbda::JointDescription& joint = reading.robot.joints.at(0);
    CHECK(joint.origin.translation == Eigen::Vector3d(1.5, -0.25, 5));
    CHECK(joint.axis == Eigen::Vector3d(0, 0, 2));
    CHECK(joint.limits.lower == -infinity);
    CHECK(joint.limits.upper == 1000);
    CHECK(joint.limits.effort == infinity);
    CHECK(joint.limits.velocity == 2);
    CHECK(joint.damping == 0);
}

TEST_CASE("urdf reads the same numbers where the locale has a decimal comma") {
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE.utf8", "fr_FR.utf8", "C"}) {
        if (std::setlocale(LC_ALL, name) == nullptr) continue;
        const Reading reading = accept(joint("type=\"fixed\"", "<origin xyz=\"0.5 1.25 -2.5e-1\"/>"));
        CHECK(reading.robot.joints.at(0).origin.translation == Eigen::Vector3d(0.5, 1.25, -0.25));
    }
    std::setlocale(LC_ALL, before.c_str());
}

TEST_CASE("urdf refuses what is not a finite number") {
    for (const char* bad : {"1 2", "1 2 3 4", "1 2 x", "1 2 nan", "1 2 inf", "1 2 1e999", "1 2 0x10",
                            "1 2 +-3", "1 2 3m", "", "1,2,3", "0,5 0 0"}) {
        check_error(joint("type=\"fixed\"", "<origin xyz=\"" + std::string(bad) + "\"/>"), 3,
                    "<origin> of joint 'j'", "3 finite numbers in 'xyz'");
    }
    check_error(joint("type=\"fixed\"", "<origin xyz=\"0,5 0 0\"/>"), 3, "<origin> of joint 'j'",
                "decimal point");
    check_error(joint("type=\"revolute\"", "<limit lower=\"nan\" upper=\"1\"/>"), 3, "<limit> of joint 'j'",
                "a number or inf in 'lower', found 'nan'");
    check_error(joint("type=\"continuous\"", "<dynamics damping=\"inf\"/>"), 3, "<dynamics> of joint 'j'",
                "finite number");
}

TEST_CASE("urdf joints without position limits are unbounded and a note says so") {
    for (const char* type : {"revolute", "prismatic"}) {
        const std::string attribute = "type=\"" + std::string(type) + "\"";
        for (const char* inside : {"", "<limit effort=\"3\" velocity=\"4\"/>"}) {
            const Reading reading = accept(joint(attribute, inside));
            REQUIRE(reading.diagnostics.size() == 1);
            CHECK(has(reading, Severity::note, 2, "joint 'j'", "unbounded"));
            CHECK(reading.robot.joints.at(0).limits.lower == -infinity);
            CHECK(reading.robot.joints.at(0).limits.upper == infinity);
        }
    }
    CHECK(accept(joint("type=\"continuous\"")).diagnostics.empty());
}

TEST_CASE("urdf limits default to zero where the other one is given") {
    const Reading upper = accept(joint("type=\"revolute\"", "<limit upper=\"2\"/>"));
    CHECK(upper.diagnostics.empty());
    CHECK(upper.robot.joints.at(0).limits.lower == 0);
    CHECK(upper.robot.joints.at(0).limits.upper == 2);
    const Reading lower = accept(joint("type=\"prismatic\"", "<limit lower=\"-2\"/>"));
    CHECK(lower.robot.joints.at(0).limits.lower == -2);
    CHECK(lower.robot.joints.at(0).limits.upper == 0);
}

TEST_CASE("urdf refuses limits with no position between them") {
    const std::pair<const char*, const char*> crossed[] = {
        {"lower=\"1\" upper=\"-1\"", "lower 1, upper -1"},
        {"lower=\"1\"", "lower 1, upper 0 (the default)"},
        {"upper=\"-1\"", "lower 0 (the default), upper -1"},
        {"lower=\"inf\" upper=\"inf\"", "room for a finite position, found lower inf, upper inf"}};
    for (const auto& [limits, words] : crossed)
        check_figure(joint("type=\"prismatic\"", "<limit " + std::string(limits) + "/>"), 3, "joint 'j'",
                     words);
}

TEST_CASE("urdf says that position limits of other joint types are not used") {
    const Reading planar = accept(joint("type=\"planar\"", "<limit lower=\"-1\" upper=\"1\" effort=\"5\"/>"));
    CHECK(has(planar, Severity::note, 3, "<limit> of joint 'j'", "planar"));
    CHECK(planar.robot.joints.at(0).limits.upper == infinity);
    CHECK(planar.robot.joints.at(0).limits.effort == 5);
    const Reading wheel = accept(joint("type=\"continuous\"", "<limit lower=\"0\" upper=\"0\"/>"));
    CHECK(wheel.diagnostics.empty());
    CHECK(wheel.robot.joints.at(0).limits.upper == infinity);
}

TEST_CASE("urdf refuses a zero axis only where an axis is needed") {
    for (const char* type : {"revolute", "continuous", "prismatic", "cylindrical", "universal", "planar"})
        check_figure(joint("type=\"" + std::string(type) + "\"", "<axis xyz=\"0 0 0\"/>"), 3, "joint 'j'",
                     "an axis that is not zero, found 0 0 0");
    for (const char* type : {"fixed", "floating", "spherical"}) {
        const Reading reading = accept(joint("type=\"" + std::string(type) + "\"", "<axis xyz=\"0 0 0\"/>"));
        CHECK(reading.diagnostics.empty());
    }
    check_figure(joint("type=\"continuous\"", "<axis xyz=\"0 0 1e-12\"/>"), 3, "joint 'j'",
                 "not zero, found 0 0 1e-12");
    check_figure(joint("type=\"universal\"", "\n<axis2 xyz=\"0 0 0\"/>"), 4, "joint 'j'",
                 "an axis2 that is not zero");
}

TEST_CASE("urdf universal joints take two axes that are not parallel") {
    const Reading reading =
        accept(joint("type=\"universal\"", "<axis xyz=\"0 0 3\"/><axis2 xyz=\"1 1 0\"/>"));
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.joints.at(0).axis == Eigen::Vector3d(0, 0, 3));
    CHECK(reading.robot.joints.at(0).axis2 == Eigen::Vector3d(1, 1, 0));
    check_figure(joint("type=\"universal\"", "<axis xyz=\"0 5 0\"/>"), 2, "joint 'j'", "parallel");
    check_figure(joint("type=\"universal\"", "<axis xyz=\"0 0 5\"/><axis2 xyz=\"0 0 -1\"/>"), 2, "joint 'j'",
                 "parallel");
}

TEST_CASE("urdf reads independent in any case and spelling") {
    for (const char* yes : {"true", "True", "TRUE", "1", " true "}) {
        const Reading reading = accept(joint("type=\"continuous\" independent=\"" + std::string(yes) + "\""));
        CHECK(reading.robot.joints.at(0).independent == true);
    }
    for (const char* no : {"false", "False", "FALSE", "0"}) {
        const Reading reading = accept(joint("type=\"continuous\" independent=\"" + std::string(no) + "\""));
        CHECK(reading.robot.joints.at(0).independent == false);
    }
    for (const char* bad : {"yes", "2", "", "ture"}) {
        check_error(joint("type=\"continuous\" independent=\"" + std::string(bad) + "\""), 2, "joint 'j'",
                    "true, false, 1 or 0");
    }
    check_error(joint("type=\"continuous\" independent=\"fals\""), 2, "joint 'j'", "did you mean 'false'");
}

TEST_CASE("urdf refuses elements without their names and ends") {
    check_error(robot("<link/>"), 2, "<link> of robot 'r'", "'name', found none");
    check_error(robot("<link name=\"\"/>"), 2, "<link> of robot 'r'", "an empty one");
    check_error(robot("\n<joint type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>"), 3,
                "<joint> of robot 'r'", "'name', found none");
    check_error(robot("<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>"), 2, "joint 'j'",
                "<parent>, found none");
    check_error(robot("<joint name=\"j\" type=\"fixed\"><parent link=\"b\"/></joint>"), 2, "joint 'j'",
                "<child>, found none");
    check_error(robot("<joint name=\"j\" type=\"fixed\">\n<parent/><child link=\"b\"/></joint>"), 3,
                "<parent> of joint 'j'", "'link', found none");
    check_error(robot("<joint name=\"j\" type=\"fixed\">\n<parent link=\"a\" name=\"c\"/>"
                      "<child link=\"b\"/></joint>"),
                3, "parent", "'a' and 'c'");
}

TEST_CASE("urdf calls a robot without a name 'robot'") {
    for (const char* start : {"<robot>", "<robot name=\"\">"}) {
        const Reading reading = accept(std::string(start) + "\n<link name=\"a\"/></robot>");
        CHECK(reading.robot.name == "robot");
        CHECK(reading.diagnostics.size() == 1);
        CHECK(has(reading, Severity::note, 1, "<robot>", "called 'robot', it has no name"));
    }
    const Reading misspelt = read("<robot nam=\"r\"><link name=\"a\"/></robot>");
    CHECK(has(misspelt, Severity::error, 1, "<robot>", "name"));
}

TEST_CASE("urdf reads an inertial without moments as a point mass") {
    const Reading reading = read(inertial("<origin xyz=\"1 2 3\"/><mass value=\"2\"/>"));
    REQUIRE(reading.robot.links.at(0).inertial);
    CHECK(reading.robot.links[0].inertial->mass == 2);
    CHECK(reading.robot.links[0].inertial->com == Eigen::Vector3d(1, 2, 3));
    CHECK(reading.robot.links[0].inertial->inertia == Eigen::Matrix3d::Zero());
    CHECK(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::warning, 2, "<inertial> of link 'a'",
              "<inertia>, found none (read as a point"));
}

TEST_CASE("urdf refuses names that occur twice") {
    check_taken_name(robot("<link name=\"a\"/>\n<link name=\"b\"/>\n<link name=\"a\"/>"), 4, "link 'a'",
                     "first in line 2");
    const std::string joint =
        "<joint name=\"a\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n";
    check_taken_name(robot(joint + joint), 3, "joint 'a'", "first in line 2");
    accept(robot("<link name=\"a\"/>" + joint));
}

TEST_CASE("urdf collects all errors of a file") {
    const Reading reading =
        read(robot("<link name=\"a\"><inertial><mass value=\"x\"/></inertial></link><joint name=\"k\" "
                   "type=\"floating\"><parent link=\"b\"/><child link=\"a\"/></joint>\n"
                   "<joint name=\"j\" type=\"foo\"><parent link=\"a\"/></joint>\n"
                   "<link/>"));
    CHECK(reading.count(Severity::error) == 4);
    CHECK(has(reading, Severity::error, 2, "<mass> of link 'a'", "'x'"));
    CHECK(has(reading, Severity::warning, 2, "<inertial> of link 'a'", "<inertia>"));
    CHECK(has(reading, Severity::error, 3, "joint 'j'", "type"));
    CHECK(has(reading, Severity::error, 3, "joint 'j'", "<child>"));
    CHECK(has(reading, Severity::error, 4, "<link>", "'name'"));
}

TEST_CASE("urdf warns of a second element where one is read, and refuses one that says something else") {
    const std::string origin = "<origin xyz=\"1 0 0\"/>\n";
    const Reading reading = read(joint("type=\"fixed\"", origin + origin));
    CHECK(reading.count(Severity::error) == 0);
    CHECK(has(reading, Severity::warning, 4, "<origin> of joint 'j'", "the first is used"));
    CHECK(reading.robot.joints.at(0).origin.translation.x() == 1);
    check_error(joint("type=\"fixed\"", origin + "<origin xyz=\"2 0 0\"/>"), 4, "<origin> of joint 'j'",
                "another");
}

TEST_CASE("urdf refuses attributes and elements that are misspelt") {
    check_error(joint("type=\"revolute\"", "<axis xzy=\"0 0 1\"/>"), 3, "<axis> of joint 'j'",
                "did you mean 'xyz'?");
    check_error(joint("type=\"revolute\"", "<limit lowr=\"-2\" upper=\"2\"/>"), 3, "<limit>",
                "did you mean 'lower'?");
    check_error(joint("type=\"fixed\" indepedent=\"true\""), 2, "joint 'j'", "did you mean 'independent'?");
    check_error(joint("type=\"revolute\"", "<mimic joint=\"a\" multipler=\"2\"/>"), 3, "<mimic>",
                "'multiplier'");
    check_error(joint("type=\"fixed\"", "<orgin xyz=\"1 0 0\"/>"), 3, "<orgin>", "did you mean <origin>?");
    check_error(robot("<lop name=\"l\"/>"), 2, "lop 'l'", "did you mean <loop>?");
    CHECK(
        read(joint("type=\"revolute\"", "<axis xyz=\"0 0 1\" note=\"\"/><axis3/>")).count(Severity::error) ==
        0);
}

TEST_CASE("urdf stores damping and friction") {
    const std::string rest = "type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>";
    const Reading reading =
        accept(robot("<joint name=\"i\" " + rest + "<dynamics/></joint>\n<joint name=\"j\" " + rest +
                     "<dynamics damping=\"0.5\"/></joint>\n<joint name=\"k\" " + rest +
                     "<dynamics friction=\"0.25\"/></joint>"));
    CHECK(reading.diagnostics.empty());
    CHECK(reading.robot.joints.at(1).damping == 0.5);
    CHECK(reading.robot.joints.at(2).friction == 0.25);
}
