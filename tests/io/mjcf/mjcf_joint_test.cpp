#include <cmath>
#include <limits>
#include <string>

#include <Eigen/Geometry>

#include "io/mjcf/mjcf_fixture.hpp"

// The MJCF reader: joints, their limits, anchors and reference positions.

using namespace mjcf_test;
using Eigen::AngleAxisd;
using Eigen::Vector3d;
using grbda::JointDescription;
using grbda::JointType;
using grbda::Pose;
using grbda::Severity;

namespace {

constexpr double degree = 3.14159265358979323846 / 180;
constexpr double infinity = std::numeric_limits<double>::infinity();

JointDescription joint(const std::string& attributes, const std::string& sections = "") {
    return accept(body("<joint name=\"j\" " + attributes + "/>", sections)).joint("j");
}

/// Child link in the parent link at a position of a hinge or slide joint.
Pose child_pose(const JointDescription& joint, double q) {
    Pose motion;
    if (joint.type == JointType::prismatic) {
        motion.translation = q * joint.axis.normalized();
    } else {
        motion.rotation = AngleAxisd(q, joint.axis.normalized()).toRotationMatrix();
    }
    return joint.origin * motion * grbda::inverse(joint.child_origin);
}

}  // namespace

TEST_CASE("mjcf knows every joint type, hinge without one") {
    CHECK(joint("").type == JointType::continuous);
    CHECK(joint("range=\"-10 10\"").type == JointType::revolute);
    CHECK(joint("type=\"hinge\"").type == JointType::continuous);
    CHECK(joint("type=\"slide\"").type == JointType::prismatic);
    CHECK(joint("type=\"ball\"").type == JointType::spherical);
    CHECK(joint("type=\"free\"").type == JointType::floating);
    CHECK(accept(body("<freejoint name=\"j\"/>")).joint("j").type == JointType::floating);
    check_error(body("<joint name=\"j\" type=\"bal\"/>"), 3, "joint 'j'", "did you mean 'ball'");
}

TEST_CASE("mjcf joints turn about z through the body's origin unless they say otherwise") {
    const JointDescription plain = joint("");
    CHECK(plain.axis == Vector3d(0, 0, 1));
    CHECK(plain.parent == "world");
    CHECK(plain.child == "b");
    CHECK(equal(plain.origin, Pose()));
    CHECK(equal(plain.child_origin, Pose()));
    CHECK(plain.where.line == 3);
    CHECK(equal(joint("axis=\"0 3 4\"").axis, Vector3d(0, 0.6, 0.8)));
    const auto zero = [](const std::string& joints, const std::string& sections, int line, const char* name) {
        Reading reading = accept(body(joints, sections));
        make_mechanism(reading.robot, {}, reading.diagnostics);
        CHECK(reading.count(Severity::error) == 1);
        CHECK(has(reading, Severity::error, line, name, "an axis that is not zero, found 0 0 0"));
    };
    zero("<joint name=\"j\" axis=\"0 0 0\"/>", "", 3, "joint 'j'");
    zero("<joint name=\"j\" axis=\"0 0 0\" ref=\"30\"/>", "", 3, "joint 'j'");
    // A default class has one for all of its joints.
    zero("<joint name=\"i\"/><joint name=\"j\"/>", "<default><joint axis=\"0 0 0\"/></default>", 4,
         "joint 'i'");
    check_error(body("<joint name=\"j\" axis=\"1 0\"/>"), 3, "joint 'j'", "3 finite numbers");
}

TEST_CASE("mjcf joints are at the reference pose if q = ref, and turn about their anchor") {
    const std::string placed = "<body name=\"b\" pos=\"1 2 3\" euler=\"20 30 40\">" + ball_of_one +
                               "<joint name=\"j\" pos=\".4 .5 .6\" ";
    const Pose body =
        accept(world("<body name=\"b\" pos=\"1 2 3\" euler=\"20 30 40\"/>")).joint("b_fixed").origin;
    for (const std::string type : {"hinge", "slide"}) {
        for (const double ref : {0.0, 35.0, -120.0}) {
            const Reading reading = accept(world(placed + "axis=\"1 2 2\" type=\"" + type + "\" ref=\"" +
                                                 std::to_string(ref) + "\"/></body>"));
            const JointDescription read = reading.joint("j");
            const double position = type == "hinge" ? ref * degree : ref;
            CHECK(equal(child_pose(read, position), body));
            // The joint adds a rotation or a translation by the difference, in the body's axes.
            const Pose moved = grbda::inverse(body) * child_pose(read, position + 0.3);
            const Vector3d axis = Vector3d(1, 2, 2) / 3, anchor(0.4, 0.5, 0.6);
            if (type == "slide") {
                CHECK(equal(moved.rotation, Eigen::Matrix3d::Identity()));
                CHECK((moved.translation - 0.3 * axis).norm() < rounding * (1 + std::abs(ref)));
            } else {
                CHECK(equal(moved.rotation, AngleAxisd(0.3, axis).toRotationMatrix()));
                CHECK(equal(moved.rotation * anchor + moved.translation, anchor));
            }
            const auto& start = reading.robot.start;
            CHECK(start.count("j") == (ref != 0 ? 1 : 0));
            if (ref != 0) CHECK(start.at("j") == std::vector<double>{position});
        }
    }
}

TEST_CASE("mjcf balls turn about their anchor from the pose of the body") {
    const JointDescription ball = joint("type=\"ball\" pos=\"1 2 3\" axis=\"0 0 0\"");
    CHECK(equal(ball.origin.translation, Vector3d(1, 2, 3)));
    CHECK(equal(ball.child_origin.translation, Vector3d(1, 2, 3)));
    const Reading limited = accept(body("<joint name=\"j\" type=\"ball\" range=\"0 60\"/>"));
    CHECK(has(limited, Severity::note, 3, "joint 'j'", "limits of a ball joint"));
}

TEST_CASE("mjcf free joints give the pose of the body in the world") {
    const Reading reading = accept(world("<body name=\"b\" pos=\"1 2 3\" quat=\"1 1 0 0\">" + ball_of_one +
                                         "<freejoint name=\"j\"/></body>"));
    CHECK(equal(reading.joint("j").origin, Pose()));
    CHECK(equal(reading.joint("j").child_origin, Pose()));
    const std::vector<double>& start = reading.robot.start.at("j");
    REQUIRE(start.size() == 7);
    CHECK(equal(Eigen::Map<const Eigen::VectorXd>(start.data(), 7),
                (Eigen::VectorXd(7) << 1, 2, 3, std::sqrt(0.5), 0, 0, std::sqrt(0.5)).finished()));
    CHECK(accept(body("<freejoint name=\"j\"/>")).robot.start.empty());
    check_error(body("<freejoint/>\n<joint/>"), 3, "<freejoint>", "found 2 joints");
    check_error(body("<body name=\"c\">" + ball_of_one + "<freejoint/></body>"), 3, "<freejoint>",
                "body 'b'");
    const Reading aligned = read(body("<freejoint align=\"true\"/>"));
    CHECK(has(aligned, Severity::warning, 3, "<freejoint>", "body's frame"));
    CHECK(read(body("<freejoint align=\"false\"/>", "<compiler alignfree=\"true\"/>"))
              .count(Severity::warning) == 0);
}

TEST_CASE("mjcf freejoint elements take no defaults from joints") {
    const std::string defaults = "<default><joint armature=\"1\"/></default>";
    CHECK(accept(body("<freejoint name=\"j\"/>", defaults)).joint("j").armature == 0);
    CHECK(joint("type=\"free\"", defaults).armature == 1);
}

TEST_CASE("mjcf ranges to the largest number have no limit on that side") {
    CHECK(joint("range=\"-1e10 10\"").limits.lower == -std::numeric_limits<double>::infinity());
    CHECK(joint("range=\"-10 1e10\"").limits.upper == std::numeric_limits<double>::infinity());
    CHECK(joint("range=\"-10 1e10\"").type == JointType::revolute);
    CHECK(joint("range=\"-1e10 1e10\"").type == JointType::continuous);
}

TEST_CASE("mjcf ranges are degrees for hinges and lengths for slides") {
    CHECK(joint("range=\"-90 45\"").limits.lower == Approx(-90 * degree).epsilon(rounding));
    CHECK(joint("range=\"-90 45\"").limits.upper == Approx(45 * degree).epsilon(rounding));
    CHECK(joint("range=\"-1 2\"", "<compiler angle=\"radian\"/>").limits.upper == 2);
    CHECK(joint("type=\"slide\" range=\"-1 2\"").limits.lower == -1);
    CHECK(joint("type=\"slide\"").limits.upper == infinity);
}

TEST_CASE("mjcf joints are limited as limited and autolimits say") {
    CHECK(joint("range=\"-1 1\" limited=\"false\"").type == JointType::continuous);
    CHECK(joint("range=\"-1 1\" limited=\"true\"").type == JointType::revolute);
    CHECK(joint("range=\"-1 1\" limited=\"auto\"").type == JointType::revolute);
    CHECK(joint("range=\"0 0\"").type == JointType::continuous);
    const std::string strict = "<compiler autolimits=\"false\"/>";
    CHECK(joint("range=\"-1 1\" limited=\"true\"", strict).type == JointType::revolute);
    check_error(body("<joint name=\"j\" range=\"-1 1\"/>", strict), 3, "joint 'j'", "autolimits");
    check_error(body("<joint name=\"j\" range=\"2 1\"/>"), 3, "joint 'j'", "begins below its end");
    check_error(body("<joint name=\"j\" limited=\"true\"/>"), 3, "joint 'j'", "begins below its end");
    check_error(body("<joint name=\"j\" limited=\"yes\"/>"), 3, "joint 'j'", "limited to be one of");
}

TEST_CASE("mjcf joints keep armature, damping, friction and the force of their actuators") {
    const JointDescription read =
        joint("armature=\"0.1\" damping=\"0.2\" frictionloss=\"0.3\" actuatorfrcrange=\"-4 5\"");
    CHECK(read.armature == 0.1);
    CHECK(read.damping == 0.2);
    CHECK(read.friction == 0.3);
    CHECK(read.limits.effort == 5);
    CHECK(joint("").limits.effort == infinity);
    CHECK(joint("damping=\"0.2 0 0\"").damping == 0.2);
}

TEST_CASE("mjcf joints of one body follow one another through links without mass") {
    const Reading reading = accept(world(
        "<body name=\"b\" pos=\"0 0 1\">" + ball_of_one +
        "<joint name=\"x\" type=\"slide\" axis=\"1 0 0\"/><joint name=\"y\" pos=\"0 0 2\" axis=\"0 1 0\"/>"
        "<joint name=\"z\" pos=\"3 0 0\" ref=\"90\"/><body name=\"c\" pos=\"5 0 0\"/></body>"));
    REQUIRE(reading.robot.joints.size() == 4);
    CHECK(reading.joint("x").parent == "world");
    CHECK(reading.joint("y").parent == reading.joint("x").child);
    CHECK(reading.joint("z").parent == reading.joint("y").child);
    CHECK(reading.joint("z").child == "b");
    CHECK(reading.joint("c_fixed").parent == "b");
    CHECK_FALSE(reading.link(reading.joint("x").child).inertial);
    CHECK(reading.link("b").inertial);
    // At the reference pose all links of the body are at its place.
    CHECK(equal(child_pose(reading.joint("x"), 0).translation, Vector3d(0, 0, 1)));
    CHECK(equal(child_pose(reading.joint("y"), 0), Pose()));
    CHECK(equal(child_pose(reading.joint("z"), 90 * degree), Pose()));
}
