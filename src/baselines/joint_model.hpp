#pragma once

#include <Eigen/Core>

#include "grbda/model/model.hpp"

// Joints of the spanning tree in classical body coordinates. Spatial vectors
// of the baselines follow Featherstone (2008): angular part first, expressed
// in the frame of the body that they belong to.

namespace grbda::baselines {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Subspace = Eigen::Matrix<double, 6, Eigen::Dynamic, Eigen::ColMajor, 6, 6>;

inline Eigen::Vector3d to_eigen(const Vector3<double>& a) { return {a.x, a.y, a.z}; }
inline Eigen::Matrix3d to_eigen(const Matrix3<double>& a) {
    Eigen::Matrix3d matrix;
    matrix << to_eigen(a.x), to_eigen(a.y), to_eigen(a.z);
    return matrix;
}

/// Pose of the child in the parent and the motion subspace in child coordinates.
struct JointState {
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
    Eigen::Vector3d position = Eigen::Vector3d::Zero();
    Subspace s;
};

/// q: the joint's own positions.
void set_joint(const Body& body, const double* q, JointState& joint);

/// s̊ q̇: derivative of the subspace in child coordinates (Featherstone 2008, eq. 3.42).
Vector6 joint_bias(const Body& body, const JointState& joint, const double* qd);

}  // namespace grbda::baselines
