#include <urdf_parser/urdf_parser.h>

#include "grbda/io/urdf.hpp"
#include "support/baselines_fixture.hpp"
#include "support/random_shapes.hpp"
#include "support/written_joints.hpp"

// Output of write_urdf as read by the parser of URDF that most programs use.

using grbda::JointType;
using grbda::Mechanism;
using test_robots::Robot;
using written_joints::mechanism_of;

namespace {

constexpr double kSame = 1e-14;  // its angles and quaternions

grbda::Pose pose_of(const urdf::Pose& pose) {
    grbda::Pose result;
    double x, y, z, w;
    pose.rotation.getQuaternion(x, y, z, w);
    result.rotation = Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
    result.translation << pose.position.x, pose.position.y, pose.position.z;
    return result;
}

void check_same(const grbda::Pose& a, const grbda::Pose& b) {
    CHECK((a.rotation - b.rotation).cwiseAbs().maxCoeff() < kSame);
    CHECK((a.translation - b.translation).cwiseAbs().maxCoeff() <= kSame * (1 + b.translation.norm()));
}

void check_joint(const grbda::MechanismBody& body, const urdf::Joint& joint) {
    check_same(pose_of(joint.parent_to_joint_origin_transform), body.placement);
    if (grbda::facts(body.type).axes > 0) {
        const Eigen::Vector3d axis(joint.axis.x, joint.axis.y, joint.axis.z);
        CHECK((axis - body.axis).norm() < kSame);
    }
    if (grbda::facts(body.type).has_range && body.bounded) {
        REQUIRE(joint.limits);
        const auto check = [](double found, double expected) {
            CHECK((std::isfinite(expected) ? found == expected : std::abs(found) >= 1e16));
        };
        check(joint.limits->lower, body.limits.lower);
        check(joint.limits->upper, body.limits.upper);
        check(joint.limits->effort, body.limits.effort);
        check(joint.limits->velocity, body.limits.velocity);
    }
    if (joint.dynamics) {
        CHECK(joint.dynamics->damping == body.damping[0]);
        CHECK(joint.dynamics->friction == body.friction[0]);
    }
}

void check_link(const grbda::MechanismBody& body, const urdf::Link& link) {
    const grbda::Inertial& own = body.inertia;
    if (own.mass == 0 && own.inertia.isZero(0)) {
        CHECK_FALSE(link.inertial);
        return;
    }
    REQUIRE(link.inertial);
    const urdf::Inertial& found = *link.inertial;
    CHECK(found.mass == own.mass);
    CHECK((pose_of(found.origin).translation - own.com).norm() == 0);
    Eigen::Matrix3d I;
    I << found.ixx, found.ixy, found.ixz, found.ixy, found.iyy, found.iyz, found.ixz, found.iyz, found.izz;
    CHECK(I == Eigen::Matrix3d(own.inertia.selfadjointView<Eigen::Upper>()));
}

bool is_of_urdf(JointType type) {
    return type == JointType::revolute || type == JointType::continuous || type == JointType::prismatic ||
           type == JointType::planar || type == JointType::floating;
}

/// The robot has no loops, and all couplings are mimics in their joints.
bool is_plain(const Mechanism& mechanism, const std::string& text) {
    return mechanism.loops.empty() && text.find("<coupling") == std::string::npos &&
           std::all_of(mechanism.bodies.begin(), mechanism.bodies.end(),
                       [](const grbda::MechanismBody& body) { return is_of_urdf(body.type); });
}

void check(const Mechanism& mechanism, int& read) {
    const std::string text = grbda::write_urdf(mechanism);
    INFO(text);
    const bool plain = is_plain(mechanism, text);
    CHECK((text.find("version=\"1.2\"") == std::string::npos) == plain);
    const urdf::ModelInterfaceSharedPtr model = urdf::parseURDF(text);
    CHECK((model != nullptr) == plain);
    if (!plain || !model) return;
    ++read;
    CHECK(model->getName() == (mechanism.name.empty() ? "robot" : mechanism.name));
    for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
        const grbda::MechanismBody& body = mechanism.bodies[i];
        INFO(body.joint);
        const urdf::JointConstSharedPtr joint = model->getJoint(body.joint);
        REQUIRE(joint);
        check_joint(body, *joint);
        check_link(body, *model->getLink(joint->child_link_name));
    }
}

/// The tree of a mechanism, its joints of types that URDF has not made ones that it has.
grbda::RobotDescription as_plain(grbda::RobotDescription robot) {
    robot.loops.clear();
    robot.couplings.clear();
    for (grbda::JointDescription& joint : robot.joints)
        if (grbda::facts(joint.type).freedoms.size() > 0 && !is_of_urdf(joint.type))
            joint.type = JointType::revolute;
    robot.start.clear();
    return robot;
}

}  // namespace

TEST_CASE("urdfdom reads a robot without loops unchanged, and refuses URDF+") {
    int read = 0;
    for (const Robot* const robot : test_robots::all()) {
        INFO(robot->name);
        check(mechanism_of(robot->description, robot->options), read);
        check(mechanism_of(as_plain(robot->description)), read);
    }
    CHECK(static_cast<std::size_t>(read) > test_robots::mechanisms().robots.size());
}

TEST_CASE("urdfdom reads mimics, limits, and passes over what it does not know") {
    test_robots::Random random(3);
    int read = 0;
    for (const Robot& robot : test_robots::mechanisms().robots) {
        grbda::RobotDescription more = as_plain(robot.description);
        std::string leader;
        for (grbda::JointDescription& joint : more.joints) {
            if (velocity_size(joint.type) != 1) continue;
            joint.limits.lower = -1;
            joint.damping = 0.25;
            joint.stiffness = 2;
            joint.armature = 0.5;
            more.start[joint.name] = {0.1};
            if (!leader.empty() && more.couplings.empty()) {
                grbda::LinearRelation follows{{{joint.name, 1, {}}, {leader, -2, {}}}, -0.5, true};
                more.couplings.push_back({"mimic of " + joint.name, follows, {}});
            }
            leader = joint.name;
        }
        random_shapes::add(more, random);
        more.tool_frames = {more.links.back().name};
        more.gravity = Eigen::Vector3d(0, 0, -1);
        check(mechanism_of(more), read);
    }
    CHECK(static_cast<std::size_t>(read) == test_robots::mechanisms().robots.size());
}
