#pragma once

#include "grbda/compile/build.hpp"
#include "kinematics/kinematics.hpp"

// Poses of bodies and ends of loops in the world, by the public frame functions.

namespace body_poses {

Eigen::Vector3d eigen(const grbda::Vector3<double>& a);
Eigen::Matrix3d eigen(const grbda::Matrix3<double>& A);

/// The frame that a body's numbers are given in; after forward_kinematics.
grbda::Pose of_body(const grbda::Model& model, const grbda::Workspace<double>& data, int body);

grbda::Pose of_end(const grbda::Model& model, const grbda::Workspace<double>& data,
                   const grbda::LoopEnd& end);

using Wrench = Eigen::Matrix<double, 6, 1>;

/// The same wrench about another point; axes stay.
Wrench about(const Wrench& wrench, const Eigen::Vector3d& from, const Eigen::Vector3d& to);

/// In the axes of R, given in those of the world.
Wrench turned(const Wrench& wrench, const Eigen::Matrix3d& R);

}  // namespace body_poses
