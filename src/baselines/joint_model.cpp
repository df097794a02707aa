#include "joint_model.hpp"

#include <Eigen/Geometry>

namespace grbda::baselines {
namespace {

Eigen::Matrix3d turn(const Eigen::Vector3d& axis, double angle) {
    return Eigen::AngleAxisd(angle, axis).toRotationMatrix();
}

/// Quaternion stored as x y z w.
Eigen::Matrix3d orientation(const double* q) {
    return Eigen::Quaterniond(q[3], q[0], q[1], q[2]).normalized().toRotationMatrix();
}

}  // namespace

void set_joint(const Body& body, const double* q, JointState& joint) {
    const Eigen::Matrix3d T = to_eigen(body.rotation);
    const Eigen::Vector3d axis = to_eigen(body.axis);       // parent coordinates
    const Eigen::Vector3d own_axis = T.transpose() * axis;  // joint frame; also child if it turns about it
    joint.position = to_eigen(body.position);
    joint.rotation = T;
    switch (body.joint) {
        case JointType::fixed: joint.s.setZero(6, 0); break;
        case JointType::revolute:
        case JointType::continuous:
            joint.rotation = T * turn(own_axis, q[0]);
            joint.s.setZero(6, 1);
            joint.s.col(0).head<3>() = own_axis;
            break;
        case JointType::prismatic:
            joint.position += axis * q[0];
            joint.s.setZero(6, 1);
            joint.s.col(0).tail<3>() = own_axis;
            break;
        case JointType::helical: {
            const Eigen::Vector3d way = to_eigen(body.axis2);  // parent coordinates, per radian
            joint.rotation = T * turn(own_axis, q[0]);
            joint.position += way * q[0];
            joint.s.setZero(6, 1);
            joint.s.col(0) << own_axis, T.transpose() * way;
            break;
        }
        case JointType::cylindrical:
            joint.rotation = T * turn(own_axis, q[0]);
            joint.position += axis * q[1];
            joint.s.setZero(6, 2);
            joint.s.col(0).head<3>() = own_axis;
            joint.s.col(1).tail<3>() = own_axis;
            break;
        case JointType::universal: {
            const Eigen::Vector3d second = to_eigen(body.axis2);
            joint.rotation = T * turn(own_axis, q[0]) * turn(second, q[1]);
            joint.s.setZero(6, 2);
            joint.s.col(0).head<3>() = turn(second, -q[1]) * own_axis;
            joint.s.col(1).head<3>() = second;
            break;
        }
        case JointType::planar: {
            const Eigen::Vector3d x = to_eigen(body.axis2), y = to_eigen(body.axis3);
            joint.rotation = T * turn(own_axis, q[2]);
            joint.position += x * q[0] + y * q[1];
            joint.s.setZero(6, 3);
            joint.s.col(0).tail<3>() = joint.rotation.transpose() * x;
            joint.s.col(1).tail<3>() = joint.rotation.transpose() * y;
            joint.s.col(2).head<3>() = own_axis;
            break;
        }
        case JointType::spherical:
            joint.rotation = T * orientation(q);
            joint.s.setZero(6, 3);
            joint.s.topRows<3>().setIdentity();
            break;
        case JointType::floating:
            joint.rotation = T * orientation(q + 3);
            joint.position += T * Eigen::Vector3d(q[0], q[1], q[2]);
            joint.s.setZero(6, 6);  // public twists have the linear part first
            joint.s.topRightCorner<3, 3>().setIdentity();
            joint.s.bottomLeftCorner<3, 3>().setIdentity();
            break;
    }
}

Vector6 joint_bias(const Body& body, const JointState& joint, const double* qd) {
    Vector6 bias = Vector6::Zero();
    if (body.joint == JointType::universal) {
        const Eigen::Vector3d first = joint.s.col(0).head<3>(), second = joint.s.col(1).head<3>();
        bias.head<3>() = -qd[1] * second.cross(first) * qd[0];
    } else if (body.joint == JointType::planar) {
        const Eigen::Vector3d slide = joint.s.col(0).tail<3>() * qd[0] + joint.s.col(1).tail<3>() * qd[1];
        bias.tail<3>() = -qd[2] * joint.s.col(2).head<3>().cross(slide);
    }
    return bias;
}

}  // namespace grbda::baselines
