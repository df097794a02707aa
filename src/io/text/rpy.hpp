#pragma once

#include <Eigen/Core>

// Roll, pitch and yaw as in URDF: rotations about the fixed axes x, y, z in this order, R = Rz Ry Rx.

namespace grbda {

/// Computes entries of R with relative accuracy, so that
/// angles near pitch ±90° can be recovered from them.
Eigen::Matrix3d rotation_from_rpy(const Eigen::Vector3d& rpy);

/// Angles with rotation_from_rpy(angles) = R to 1e-15, for every pitch, if R is a rotation
/// to rounding. The matrix of the returned angles gives the same angles again, bit by bit.
Eigen::Vector3d rpy_from_rotation(const Eigen::Matrix3d& R);

}  // namespace grbda
