#include <cmath>
#include <string>

#include <Eigen/Geometry>

#include "io/mjcf/mjcf_fixture.hpp"

// The MJCF reader: bodies, their poses, default classes and refusals.

using namespace mjcf_test;
using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using grbda::JointType;
using grbda::Severity;

namespace {

constexpr double degree = 3.14159265358979323846 / 180;

Matrix3d turn(char axis, double angle) {
    return AngleAxisd(angle, Vector3d::Unit((axis | 0x20) - 'x')).toRotationMatrix();
}

/// Pose of a body with these attributes in the world.
grbda::Pose pose(const std::string& attributes, const std::string& compiler = "") {
    const Reading reading =
        accept(model("<compiler " + compiler + "/><worldbody><body " + attributes + "/></worldbody>"));
    return reading.robot.joints.at(0).origin;
}

}  // namespace

TEST_CASE("mjcf bodies without joints are fixed to their parent, the first ones to the world") {
    const Reading reading = accept(model(
        "<worldbody><body name=\"a\" pos=\"1 2 3\"><body name=\"b\" pos=\"4 5 6\"/></body></worldbody>"));
    CHECK(reading.diagnostics.empty());
    REQUIRE(reading.robot.links.size() == 3);
    CHECK(reading.robot.links[0].name == "world");
    CHECK(reading.robot.links[1].name == "a");
    CHECK(reading.robot.links[1].where.line == 2);
    REQUIRE(reading.robot.joints.size() == 2);
    const grbda::JointDescription& first = reading.robot.joints[0];
    CHECK(first.type == JointType::fixed);
    CHECK(first.parent == "world");
    CHECK(first.child == "a");
    CHECK(first.origin.translation == Vector3d(1, 2, 3));
    CHECK(reading.robot.joints[1].parent == "a");
    CHECK(reading.robot.joints[1].origin.translation == Vector3d(4, 5, 6));
}

TEST_CASE("mjcf quaternions have w first and any length") {
    const Matrix3d expected = Eigen::Quaterniond(1, 2, 3, 4).normalized().toRotationMatrix();
    CHECK(equal(pose("quat=\"1 2 3 4\"").rotation, expected));
    CHECK(equal(pose("quat=\"10 20 30 40\"").rotation, expected));
    check_error(world("<body name=\"a\" quat=\"0 0 0 0\"/>"), 2, "body 'a'", "other than zero");
}

TEST_CASE("mjcf euler angles are products of rotations in the order of eulerseq") {
    const double angles[] = {0.3, -0.5, 0.7};
    const std::string text = "euler=\"0.3 -0.5 0.7\"";
    for (const std::string sequence : {"xyz", "zyx", "zxz", "XYZ", "ZYX", "YXY", "xYz", "XyZ", "xyZ"}) {
        // A letter in lower case turns about an axis that all turns before it have turned already.
        Matrix3d expected = Matrix3d::Identity();
        for (std::size_t i = 0; i < 3; ++i) {
            Vector3d axis = Vector3d::Unit((sequence[i] | 0x20) - 'x');
            if (sequence[i] >= 'x') axis = expected * axis;
            expected = AngleAxisd(angles[i], axis).toRotationMatrix() * expected;
        }
        INFO(sequence);
        CHECK(equal(pose(text, "angle=\"radian\" eulerseq=\"" + sequence + "\"").rotation, expected));
    }
    CHECK(equal(pose(text, "angle=\"radian\"").rotation, turn('x', 0.3) * turn('y', -0.5) * turn('z', 0.7)));
    for (const char* bad : {"xy", "xyzx", "abc", ""}) {
        check_error(model("<compiler eulerseq=\"" + std::string(bad) + "\"/>"), 2, "<compiler>",
                    "three letters");
    }
}

TEST_CASE("mjcf angles are degrees unless the compiler element sets radian") {
    CHECK(equal(pose("euler=\"0 0 30\"").rotation, turn('z', 30 * degree)));
    CHECK(equal(pose("axisangle=\"0 2 0 30\"").rotation, turn('y', 30 * degree)));
    CHECK(equal(pose("axisangle=\"0 2 0 0.5\"", "angle=\"radian\"").rotation, turn('y', 0.5)));
    check_error(world("<body name=\"a\" axisangle=\"0 0 0 1\"/>"), 2, "body 'a'", "not zero");
    check_error(model("<compiler angle=\"degrees\"/>"), 2, "<compiler>", "did you mean 'degree'");
}

TEST_CASE("mjcf xyaxes make y perpendicular to x") {
    const Matrix3d rotation = pose("xyaxes=\"1 1 0 0 3 0\"").rotation;
    const double half = std::sqrt(0.5);
    Matrix3d expected;
    expected << half, -half, 0, half, half, 0, 0, 0, 1;
    CHECK(equal(rotation, expected));
    check_error(world("<body name=\"a\" xyaxes=\"0 0 0 0 1 0\"/>"), 2, "body 'a'", "not zero");
    check_error(world("<body name=\"a\" xyaxes=\"1 1 0 2 2 0\"/>"), 2, "body 'a'", "not zero");
}

TEST_CASE("mjcf zaxis is the shortest turn of z") {
    const Vector3d direction = Vector3d(1, -2, 0.5).normalized();
    const Matrix3d expected =
        Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), direction).toRotationMatrix();
    CHECK(equal(pose("zaxis=\"2 -4 1\"").rotation, expected));
    CHECK(equal(pose("zaxis=\"0 0 3\"").rotation, Matrix3d::Identity()));
    CHECK(equal(pose("zaxis=\"0 0 -3\"").rotation, turn('x', 180 * degree)));
    check_error(world("<body name=\"a\" zaxis=\"0 0 0\"/>"), 2, "body 'a'", "not zero");
}

TEST_CASE("mjcf bodies have one orientation") {
    check_error(world("<body name=\"a\" quat=\"1 0 0 0\" euler=\"0 0 1\"/>"), 2, "body 'a'", "found several");
    check_error(world("<body name=\"a\" pos=\"0 0\"/>"), 2, "body 'a'", "3 finite numbers in 'pos'");
    check_error(world("<body name=\"a\" quat=\"1 0 0 nan\"/>"), 2, "body 'a'", "4 finite numbers");
}

TEST_CASE("mjcf frames place their contents, also when nested") {
    const Reading reading = accept(
        world("<frame pos=\"1 0 0\" euler=\"0 0 90\"><frame pos=\"0 1 0\"><body name=\"a\" pos=\"1 0 0\">\n" +
              ball_of_one +
              "<frame pos=\"0 0 2\" euler=\"90 0 0\"><joint name=\"j\" axis=\"0 0 1\" pos=\"0 1 0\"/>"
              "<site name=\"s\" pos=\"0 0 1\"/></frame></body></frame></frame>"));
    // (1, 0, 0) in the inner frame is (1, 1, 0) in the outer, turned to (−1, 1, 0) and moved by (1, 0, 0).
    const grbda::JointDescription& joint = reading.joint("j");
    CHECK(equal(joint.child_origin.translation, Vector3d(0, 0, 3)));
    CHECK(equal(joint.axis, Vector3d(0, -1, 0)));
    CHECK(equal(joint.origin.translation, Vector3d(0, 1, 3)));
    CHECK(equal(joint.origin.rotation, turn('z', 90 * degree)));
    CHECK(equal(reading.robot.frames.at(0).origin.translation, Vector3d(0, -1, 2)));
    CHECK(equal(reading.robot.frames.at(0).origin.rotation, turn('x', 90 * degree)));
}

TEST_CASE("mjcf bodies keep the order of the file, within frames and in several worlds") {
    const Reading reading =
        accept(model("<worldbody><body name=\"a\"/><frame><body name=\"b\"><body name=\"c\"/></body></frame>"
                     "<body name=\"d\"/></worldbody><worldbody><body name=\"e\"/></worldbody>"));
    std::string order;
    for (const grbda::JointDescription& joint : reading.robot.joints) order += joint.child;
    CHECK(order == "abcde");
    CHECK(reading.joint("c_fixed").parent == "b");
    CHECK(reading.joint("e_fixed").parent == "world");
}

TEST_CASE("mjcf bodies and joints without names get names that no other has") {
    const std::string mass = "<geom size=\"1\"/>";
    const Reading reading = accept(world("<body><joint/>" + mass + "<body name=\"body_1\"><joint/><joint/>" +
                                         mass + "</body></body><body><freejoint/>" + mass + "</body>"));
    CHECK(reading.robot.links.at(1).name == "body_1_2");
    CHECK(reading.joint("body_1_2_joint").child == "body_1_2");
    CHECK(reading.joint("body_1_joint").child == "body_1_behind_body_1_joint");
    CHECK(reading.joint("body_1_joint_2").child == "body_1");
    CHECK(reading.joint("body_3_joint").type == JointType::floating);
}

TEST_CASE("mjcf names occur once in each kind") {
    check_error(world("<body name=\"a\"/>\n<body name=\"a\"/>"), 3, "body 'a'", "first in line 2");
    check_error(body("<joint name=\"j\"/>\n<joint name=\"j\"/>"), 4, "joint 'j'", "first in line 3");
    check_error(world("<body name=\"world\"/>"), 1, "mujoco", "no body called world");
    const Reading reading =
        accept(world("<body name=\"x\">" + ball_of_one + "<joint name=\"x\"/></body><site name=\"x\"/>"));
    CHECK(reading.robot.frames.at(0).name == "x_site");
    CHECK(has(reading, Severity::note, 2, "site 'x'", "x_site"));
}

TEST_CASE("mjcf default classes supply attributes that elements do not set") {
    const std::string defaults =
        "<default><joint armature=\"1\" damping=\"2\"/><default class=\"a\"><joint damping=\"3\"/>"
        "<default class=\"b\"><joint armature=\"4\" type=\"slide\"/></default></default></default>\n";
    const auto joint = [&](const std::string& body_attribute, const std::string& attributes) {
        return accept(model(defaults + "<worldbody><body " + body_attribute + ">" + ball_of_one +
                            "<joint name=\"j\" " + attributes + "/></body></worldbody>"))
            .joint("j");
    };
    CHECK(joint("", "").armature == 1);
    CHECK(joint("", "").damping == 2);
    CHECK(joint("childclass=\"a\"", "").armature == 1);
    CHECK(joint("childclass=\"a\"", "").damping == 3);
    CHECK(joint("childclass=\"a\"", "class=\"b\"").armature == 4);
    CHECK(joint("childclass=\"a\"", "class=\"b\"").type == JointType::prismatic);
    CHECK(joint("childclass=\"b\"", "class=\"main\"").damping == 2);
    CHECK(joint("childclass=\"b\"", "armature=\"5\"").armature == 5);
    const Reading nested =
        accept(model(defaults + "<worldbody><body childclass=\"b\"><body>" + ball_of_one +
                     "<frame childclass=\"a\"><joint name=\"j\"/></frame></body></body></worldbody>"));
    CHECK(nested.joint("j").type == JointType::continuous);
    CHECK(nested.joint("j").damping == 3);
}

TEST_CASE("mjcf default classes have unique names, and classes in use must exist") {
    check_error(model("<default><default/></default>"), 2, "<default>", "'class', found none");
    check_error(model("<default><default class=\"a\"/>\n<default class=\"a\"/></default>"), 3, "<default>",
                "'a' again");
    check_error(body("<joint class=\"wheel\"/>", "<default><default class=\"wheels\"/></default>"), 3,
                "joint", "did you mean 'wheels'");
    check_error(world("<body name=\"a\" childclass=\"x\"/>"), 2, "body 'a'", "default class in childclass");
    std::string deep, end;
    for (int i = 0; i < 40; ++i, end += "</default>")
        deep += "<default class=\"c" + std::to_string(i) + "\">";
    check_error(model("<default>" + deep + end + "</default>"), 2, "<default>", "at most 32");
}

TEST_CASE("mjcf mistakes in a default class are reported once and in its line") {
    check_error(world("<body>" + ball_of_one + "<joint/><joint/></body>",
                      "<default>\n<joint armature=\"x\"/></default>"),
                4, "<joint>", "finite number in 'armature'");
}

TEST_CASE("mjcf lets the orientation of a class count in place of an element's quat, as MuJoCo does") {
    const auto rotation = [](const Reading& reading) { return reading.robot.frames.at(0).origin.rotation; };
    const std::string defaults =
        "<default><site euler=\"0 0 90\"/><default class=\"q\"><site quat=\"0 1 0 0\"/></default></default>";
    CHECK(equal(rotation(accept(world("<body/><site name=\"s\" axisangle=\"1 0 0 90\"/>", defaults))),
                turn('x', 90 * degree)));
    CHECK(equal(rotation(check_warning(world("<body/><site name=\"s\" quat=\"0 1 0 0\"/>", defaults), 2,
                                       "site 's'", "quat, and euler in its default class")),
                turn('z', 90 * degree)));
    CHECK(equal(rotation(read(world("<site name=\"s\" class=\"q\"/>", defaults))), turn('z', 90 * degree)));
    check_error(
        world("<site name=\"s\"/>", "<default><site euler=\"0 0 90\"/><site zaxis=\"0 1 0\"/></default>"), 2,
        "site 's'", "several in its default classes");
}

TEST_CASE("mjcf leaves out deformable bodies, with a warning") {
    const Reading reading = read(body("<flexcomp name=\"cloth\" pos=\"a b\"><edge/></flexcomp>"));
    CHECK(reading.count(Severity::error) == 0);
    CHECK(has(reading, Severity::warning, 3, "flexcomp 'cloth'", "left out"));
    for (const grbda::Diagnostic& entry : reading.diagnostics)
        CHECK(entry.strict == (entry.severity == Severity::warning));
}

TEST_CASE("mjcf refuses elements that only MuJoCo can expand") {
    check_error(body("<composite/>"), 3, "composite", "mj_saveLastXML");
    check_error(model("<include file=\"other.xml\"/>"), 2, "<include>", "not read from a file");
    check_error(model("<compiler coordinate=\"global\"/>"), 2, "<compiler>", "local coordinates");
    check_error(model("<compiler coordinate=\"global\"/>"), 2, "<compiler>",
                "mujoco.mj_saveLastXML('local.xml'");
    check_error("<robot/>", 1, "<robot>", "<mujoco>");
    check_error("<mujoco>", 1, "file", "the end of the file");
    check_error(world("\n<joint/>"), 3, "<joint>", "stands still");
}

TEST_CASE("mjcf lists ignored elements once") {
    const Reading reading =
        accept(world("<light/><body><camera/></body>", "<asset/><visual/><size/><contact/><size/>"));
    REQUIRE(reading.diagnostics.size() == 1);
    CHECK(has(reading, Severity::note, 3, "mujoco", "<size> (2 times)"));
    CHECK(has(reading, Severity::note, 3, "mujoco", "<light>"));
}

TEST_CASE("mjcf refuses bodies, joints and constraints where they have no place") {
    const std::string arm = "<worldbody><body>" + ball_of_one + "<joint/></body></worldbody>";
    const std::string belongs_in_tree = "in <worldbody>, or a <body> in it";
    for (const char* name :
         {"body", "geom", "site", "joint", "freejoint", "inertial", "frame", "composite"}) {
        for (const char* around : {"", "asset", "contact", "actuator"}) {
            const std::string element = "\n<" + std::string(name) + "/>";
            const std::string section = "<" + std::string(around) + ">" + element + "</" + around + ">";
            const Reading reading = read(model(arm + (*around == 0 ? element : section)));
            INFO(section);
            CHECK(has(reading, Severity::error, 3, name, belongs_in_tree));
        }
    }
    for (const char* kind : {"connect", "weld"}) {
        check_error(model(arm + "\n<" + kind + "/>"), 3, kind, "in <equality>");
    }
    check_error(model(arm + "\n<fixed/>"), 3, "<fixed>", "in <tendon>");
    check_error(model(arm + "\n<motor/>"), 3, "<motor>", "in <actuator>");
    check_error(model(arm + "\n<key/>"), 3, "<key>", "in <keyframe>");
    check_error(model("\n<body/>"), 3, "<body>", "a file of such parts is one to <include>");
    const std::string inside = "<worldbody><body><geom size=\"1\">\n<body/></geom></body></worldbody>";
    check_error(model(inside), 3, "<body>", "it in <geom>");
    // these names stand elsewhere too
    accept(world("<frame><body>" + ball_of_one + "<joint name=\"j\"/><site name=\"s\"/></body></frame>",
                 "<default><joint/><geom/><site/></default><equality><joint joint1=\"j\"/></equality><tendon>"
                 "<fixed><joint joint=\"j\" coef=\"1\"/></fixed></tendon>"));
}

TEST_CASE("mjcf files without a body say that nothing can move") {
    for (const char* sections : {"", "<asset/>", "<default><joint damping=\"1\"/></default>"}) {
        const Reading part = read(model(sections));
        CHECK(part.count(Severity::error) == 0);
        CHECK(has(part, Severity::warning, 1, "mujoco", "a part that another file includes?"));
    }
    const Reading scene = read(world("<geom type=\"plane\" size=\"1 1 1\"/>"));
    CHECK(has(scene, Severity::warning, 1, "mujoco", "at least one <body>"));
    CHECK_FALSE(has(scene, Severity::warning, 1, "mujoco", "includes"));
}

TEST_CASE("mjcf refuses placeholders that xacro should have replaced") {
    check_error(body("<xacro:arm name=\"a\"/>\n<xacro:arm/>"), 3, "xacro:arm 'a'", "<xacro:arm> and 1 more");
}

TEST_CASE("mjcf refuses misspelt kinds in default classes and tendons") {
    check_error(model("<worldbody><body/></worldbody><default>\n<jont armature=\"1\"/></default>"), 3,
                "<jont>", "did you mean <joint>");
    const std::string arm = "<joint name=\"j\"/>";
    check_error(body(arm, "<tendon><fixd/></tendon>"), 4, "<fixd>", "did you mean 'fixed'");
    check_error(body(arm, "<tendon><fixed>\n<jont joint=\"j\" coef=\"1\"/></fixed></tendon>"), 5, "<jont>",
                "did you mean 'joint'");
}
