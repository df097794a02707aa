#include "rpy.hpp"

#include <cmath>

namespace grbda {

namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Rounds to the angle that was probably written, or else to a grid. The spacing of the grid exceeds
/// the error of the conversion to a matrix and back; rounding changes an angle by at most half of it.
double tidied(double angle) {
    constexpr double rounding = 2.5e-16, degree = M_PI / 180, decimals = 1e12, grid = 0x1p51;
    for (const double meant :
         {std::round(angle * decimals) / decimals, std::round(angle / degree) * M_PI / 180}) {
        if (std::abs(angle - meant) <= rounding) return meant;
    }
    return std::round(angle * grid) / grid;
}

Vector3d tidied(double roll, double pitch, double yaw) { return {tidied(roll), tidied(pitch), tidied(yaw)}; }

/// Each angle from two entries: as exact as the entries, however small cos(pitch) is.
Vector3d angles_by_entries(const Matrix3d& R) {
    return tidied(std::atan2(R(2, 1), R(2, 2)), std::atan2(-R(2, 0), std::hypot(R(0, 0), R(1, 0))),
                  std::atan2(R(1, 0), R(0, 0)));
}

/// Pitch and yaw for a given roll: near pitch ±90° rounding leaves
/// the roll undetermined, and the yaw compensates its error.
Vector3d angles_by_roll(const Matrix3d& R) {
    const double roll = std::atan2(R(2, 1), R(2, 2));
    const double s = std::sin(roll), c = std::cos(roll);
    return tidied(roll, std::atan2(-R(2, 0), s * R(2, 1) + c * R(2, 2)),
                  std::atan2(s * R(0, 2) - c * R(0, 1), c * R(1, 1) - s * R(1, 2)));
}

}  // namespace

Matrix3d rotation_from_rpy(const Vector3d& rpy) {
    const double sr = std::sin(rpy.x()), cr = std::cos(rpy.x());
    const double sp = std::sin(rpy.y()), cp = std::cos(rpy.y());
    const double sy = std::sin(rpy.z()), cy = std::cos(rpy.z());
    Matrix3d R;
    R << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr,  //
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr,   //
        -sp, cp * sr, cp * cr;
    return R;
}

Vector3d rpy_from_rotation(const Matrix3d& R) {
    constexpr double exact = 1e-15;
    Vector3d angles = angles_by_entries(R);
    if (!((rotation_from_rpy(angles) - R).cwiseAbs().maxCoeff() <= exact)) angles = angles_by_roll(R);
    constexpr int most_steps = 8;
    for (int i = 0; i < most_steps; ++i) {
        const Vector3d again = angles_by_entries(rotation_from_rpy(angles));
        if (again == angles) break;
        angles = again;
    }
    return angles;
}

}  // namespace grbda
