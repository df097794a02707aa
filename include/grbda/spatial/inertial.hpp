#pragma once

#include <Eigen/Core>

#include "grbda/export.hpp"

// Poses and inertias as a file gives them. Algorithms use the types of spatial.hpp.

namespace grbda {

/// Placement of a child frame in a parent frame: x_parent = rotation · x_child + translation.
struct Pose {
    Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
    Eigen::Vector3d translation = Eigen::Vector3d::Zero();
};

GRBDA_EXPORT Pose operator*(const Pose& a, const Pose& b);
GRBDA_EXPORT Pose inverse(const Pose& pose);

/// Mass, centre of mass in link axes, rotational inertia about the centre of mass in link axes.
struct Inertial {
    double mass = 0;
    Eigen::Vector3d com = Eigen::Vector3d::Zero();
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
};

/// Principal moments in ascending order, and their axes as columns.
struct PrincipalInertia {
    Eigen::Vector3d moments;
    Eigen::Matrix3d axes;
};
/// Computes the principal moments of a symmetric 3 × 3 inertia with finite entries.
GRBDA_EXPORT PrincipalInertia principal_inertia(const Eigen::Matrix3d& inertia);

/// A force against gravity on a link: it carries the weight of `mass` at a point of the link.
struct GravityCompensation {
    double mass = 0;
    Eigen::Vector3d point = Eigen::Vector3d::Zero();  ///< in link axes
};

}  // namespace grbda
