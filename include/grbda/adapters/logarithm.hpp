#pragma once

#include <cmath>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "grbda/model/arguments.hpp"

// Logarithms of placements and their derivatives, for residuals of the adapters.

namespace grbda::adapters {

namespace detail {

inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& w) {
    Eigen::Matrix3d W;
    W << 0, -w[2], w[1], w[2], 0, -w[0], -w[1], w[0], 0;
    return W;
}

/// Twist that leads from the identity to (R, p) in one unit of time.
inline Vector6d logarithm(const Eigen::Matrix3d& R, const Eigen::Vector3d& p) {
    const Eigen::AngleAxisd turn(R);
    const double angle = turn.angle();
    const Eigen::Vector3d w = angle * turn.axis();
    const double beta = angle < 1e-2 ? 1. / 12 + angle * angle / 720
                                     : (1 - 0.5 * angle / std::tan(0.5 * angle)) / (angle * angle);
    const Eigen::Vector3d wp = w.cross(p);
    Vector6d twist;
    twist << p - 0.5 * wp + beta * w.cross(wp), w;
    return twist;
}

/// Derivative of logarithm() by a displacement of (R, p) in its own axes: 1 + A/2 + a A² + b A⁴ with the
/// matrix A of the cross product of twists. a and b interpolate g(θ) = θ/2 cot θ/2 − 1 and its derivative,
/// since A (A² + θ²)² = 0.
inline Eigen::Matrix<double, 6, 6> jacobian_of_logarithm(const Vector6d& twist) {
    Eigen::Matrix<double, 6, 6> A = Eigen::Matrix<double, 6, 6>::Zero();
    A.topLeftCorner<3, 3>() = A.bottomRightCorner<3, 3>() = cross_matrix(twist.tail<3>());
    A.topRightCorner<3, 3>() = cross_matrix(twist.head<3>());
    const double angle = twist.tail<3>().norm(), square = angle * angle, half = 0.5 * angle;
    double a = 1. / 12 - square * square / 30240, b = -1. / 720 - square / 15120;
    if (angle >= 0.05) {
        const double g = half / std::tan(half) - 1, sine = std::sin(half);
        const double slope = -(0.5 / std::tan(half) - 0.5 * half / (sine * sine)) / (2 * angle);
        b = -(g + square * slope) / (square * square);
        a = slope + 2 * b * square;
    }
    const Eigen::Matrix<double, 6, 6> A2 = A * A;
    return Eigen::Matrix<double, 6, 6>::Identity() + 0.5 * A + a * A2 + b * A2 * A2;
}

}  // namespace detail

}  // namespace grbda::adapters
