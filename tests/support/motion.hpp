#pragma once

#include <Eigen/Geometry>

#include "kinematics/configuration.hpp"
#include "support/robots.hpp"

// Motion through a state, and rates by differences of configurations, without the engine's algebra of joints.

namespace motion {

/// Configuration and velocity at time t of a motion with the state's velocity and acceleration at t = 0.
struct Instant {
    Eigen::VectorXd q, yd;
};

Instant along(const grbda::Model& model, grbda::Workspace<double>& data, const test_robots::State& state,
              double t);

Eigen::Quaterniond quaternion(const Eigen::VectorXd& q, int first);

/// Rotation vector from one orientation to another, in the axes of the first.
Eigen::Vector3d turn(const Eigen::Quaterniond& from, const Eigen::Quaterniond& to);

/// q̇ midway between two configurations a short time apart, to second order.
Eigen::VectorXd rate(const grbda::Model& model, const Eigen::VectorXd& before, const Eigen::VectorXd& after,
                     double time);

constexpr double kStep = 2e-5;  // of differences

/// Derivative at zero from central differences at h and 2 h: truncation h⁴, rounding ε/h.
template <class Difference>
Eigen::VectorXd extrapolated(Difference&& difference, double h = kStep) {
    return (4 * difference(h) - difference(2 * h)) / 3;
}

/// The same of a function of time.
template <class Function>
Eigen::VectorXd derivative(Function&& function, double h = kStep) {
    return extrapolated([&](double t) -> Eigen::VectorXd { return (function(t) - function(-t)) / (2 * t); },
                        h);
}

constexpr double kDifferences = 2e-7;  // relative: ε/h, times the derivatives of mechanisms near their bounds

}  // namespace motion
