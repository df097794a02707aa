#pragma once

#include <vector>

#include "support/baselines_fixture.hpp"
#include "support/body_poses.hpp"

// Poses and closure errors by homogeneous transforms, and configurations that close the loops.

namespace baselines_fixture {

using body_poses::eigen;

Eigen::Isometry3d placement(const Eigen::Matrix3d& rotation, const Eigen::Vector3d& position);

/// Motion of the child relative to the joint's parent frame, in parent coordinates: `turns` and `slides`
/// follow the public description of each joint.
Eigen::Isometry3d joint_transform(const grbda::Body& body, const Eigen::VectorXd& q);

std::vector<Eigen::Isometry3d> poses(const grbda::Model& model, const Eigen::VectorXd& q);

/// q ⊕ v: tangent step in the coordinates of q̇, exact on rotations, second order on floating joints.
Eigen::VectorXd step(const grbda::Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v);

double row_error(const grbda::Loop& loop, const grbda::LoopRow& row, const Eigen::Isometry3d& relative);

/// φ; rotations by the sine of the angle, right near closed states.
Eigen::VectorXd closure_error(const grbda::Model& model, const Eigen::VectorXd& q);

/// ∂φ/∂q by central differences along the coordinates of q̇.
Eigen::MatrixXd closure_gradient(const grbda::Model& model, const Eigen::VectorXd& q, double h);

constexpr double kDifferenceStep = 1e-5;  // balances truncation h² and rounding ε/h: both about 1e-10

/// Gauss–Newton with the smallest step, from any q near a closed one.
Eigen::VectorXd close(const grbda::Model& model, Eigen::VectorXd q);

/// A closed configuration some steps away from the neutral one.
Eigen::VectorXd closed_configuration(const grbda::Model& model, Random& random);

}  // namespace baselines_fixture
