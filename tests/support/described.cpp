#include "support/described.hpp"

namespace described {

Eigen::Matrix3d plane_axes(const Eigen::Vector3d& normal) {
    Eigen::Index largest = 0;
    normal.cwiseAbs().maxCoeff(&largest);
    const Eigen::Vector3d next = Eigen::Vector3d::Unit((largest + 1) % 3);
    const Eigen::Vector3d x = (next - normal * normal.dot(next)).normalized();
    Eigen::Matrix3d axes;
    axes << x, normal.cross(x), normal;
    return axes;
}

grbda::Pose motion(grbda::JointType type, const Eigen::Vector3d& axis, const Eigen::Vector3d& axis2,
                   const Eigen::VectorXd& q, double pitch) {
    using baselines_fixture::exponential;
    using grbda::JointType;
    const Eigen::Vector3d a = axis.normalized();
    const auto quaternion = [&](Eigen::Index i) {
        return Eigen::Quaterniond(q[i + 3], q[i], q[i + 1], q[i + 2]).normalized().toRotationMatrix();
    };
    grbda::Pose result;
    switch (type) {
        case JointType::revolute:
        case JointType::continuous: result.rotation = exponential(a * q[0]); break;
        case JointType::prismatic: result.translation = a * q[0]; break;
        case JointType::helical: result = {exponential(a * q[0]), a * (pitch * q[0])}; break;
        case JointType::cylindrical: result = {exponential(a * q[0]), a * q[1]}; break;
        case JointType::universal:
            result.rotation = exponential(a * q[0]) * exponential(axis2.normalized() * q[1]);
            break;
        case JointType::planar:
            result = {exponential(a * q[2]), plane_axes(a) * Eigen::Vector3d(q[0], q[1], 0)};
            break;
        case JointType::spherical: result.rotation = quaternion(0); break;
        case JointType::floating: result = {quaternion(3), q.head<3>()}; break;
        case JointType::fixed: break;
    }
    return result;
}

Eigen::VectorXd position(const grbda::Model& model, const Eigen::VectorXd& q, const std::string& joint) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
        if (model.names.joints[i] == joint)
            return q.segment(model.bodies[i].q, grbda::position_size(model.bodies[i].joint));
    return {};
}

bool in_tree(const grbda::Model& model, const grbda::JointDescription& joint) {
    const std::vector<std::string>& names = model.names.joints;
    return joint.type == grbda::JointType::fixed ||
           std::find(names.begin(), names.end(), joint.name) != names.end();
}

std::map<std::string, grbda::Pose> poses(const grbda::RobotDescription& robot, const grbda::Model& model,
                                         const Eigen::VectorXd& q) {
    std::map<std::string, grbda::Pose> result;
    std::map<std::string, const grbda::JointDescription*> above;
    for (const grbda::JointDescription& joint : robot.joints)
        if (in_tree(model, joint)) above[joint.child] = &joint;
    for (const grbda::LinkDescription& link : robot.links) {
        grbda::Pose pose;
        std::string name = link.name;
        for (; above.count(name); name = above[name]->parent) {
            const grbda::JointDescription& joint = *above[name];
            pose = joint.origin *
                   motion(joint.type, joint.axis, joint.axis2, position(model, q, joint.name), joint.pitch) *
                   grbda::inverse(joint.child_origin) * pose;
        }
        result[link.name] = pose;
    }
    for (const grbda::FrameDescription& frame : robot.frames)
        result[frame.name] = result.at(frame.link) * frame.origin;
    return result;
}

std::vector<grbda::LoopDescription> loops(const grbda::RobotDescription& robot, const grbda::Model& model) {
    std::vector<grbda::LoopDescription> result = robot.loops;
    for (const grbda::JointDescription& joint : robot.joints) {
        if (in_tree(model, joint)) continue;
        REQUIRE((joint.type == grbda::JointType::revolute || joint.type == grbda::JointType::continuous));
        grbda::LoopDescription loop;
        loop.name = joint.name;
        loop.predecessor = joint.parent;
        loop.successor = joint.child;
        loop.predecessor_origin = joint.origin;
        loop.successor_origin = joint.child_origin;
        loop.axis = joint.axis;
        result.push_back(loop);
    }
    return result;
}

double loop_error(const grbda::RobotDescription& robot, const grbda::Model& model,
                  const grbda::LoopDescription& loop, const std::map<std::string, grbda::Pose>& poses) {
    using grbda::LoopType;
    const auto relative_pose = [&](const std::map<std::string, grbda::Pose>& links) {
        const grbda::Pose P = links.at(loop.predecessor) * loop.predecessor_origin;
        return grbda::inverse(P) * (links.at(loop.successor) * loop.successor_origin);
    };
    const grbda::Pose relative = relative_pose(poses);
    const Eigen::Vector3d d = relative.translation, a = loop.axis.normalized(), b = loop.axis2.normalized();
    const double turned = (relative.rotation - Eigen::Matrix3d::Identity()).norm();
    const double tilted = (relative.rotation * a - a).norm();
    const double across = a.cross(d).norm();
    switch (loop.type) {
        case LoopType::fixed: return d.norm() + turned;
        case LoopType::prismatic: return across + turned;
        case LoopType::helical: {
            const double angle = a.dot(d) / loop.pitch;
            return across + (relative.rotation - baselines_fixture::exponential(a * angle)).norm();
        }
        case LoopType::cylindrical: return across + tilted;
        case LoopType::planar: return std::abs(a.dot(d)) + tilted;
        case LoopType::spherical: return d.norm();
        case LoopType::point_on_line: return across;
        case LoopType::universal: return d.norm() + std::abs(a.dot(relative.rotation * b) - a.dot(b));
        case LoopType::floating: return 0;
        case LoopType::revolute:
        case LoopType::continuous: return d.norm() + tilted;
        case LoopType::distance: break;
    }
    if (loop.length) return std::abs(d.norm() - *loop.length);
    Eigen::VectorXd zero = Eigen::VectorXd::Zero(model.nq);
    for (const grbda::Body& body : model.bodies)  // identities
        if (grbda::position_size(body.joint) != grbda::velocity_size(body.joint))
            zero[body.q + grbda::position_size(body.joint) - 1] = 1;
    return std::abs(d.norm() - relative_pose(described::poses(robot, model, zero)).translation.norm());
}

}  // namespace described
