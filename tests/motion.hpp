#pragma once

#include <Eigen/Geometry>

#include "grbda/algorithms/configuration.hpp"
#include "robots.hpp"

// Motion through a state, and rates by differences of configurations, without the engine's algebra of joints.

namespace motion {

/// Configuration and velocity at time t of a motion with the state's velocity and acceleration at t = 0.
struct Instant {
    Eigen::VectorXd q, yd;
};

inline Instant along(const grbda::Model& model, grbda::Data<double>& data, const test_robots::State& state,
                     double t) {
    Instant instant{Eigen::VectorXd(model.nq), state.yd + t * state.ydd};
    const Eigen::VectorXd step = t * state.yd + (0.5 * t * t) * state.ydd;
    REQUIRE(grbda::integrate<double>(model, data, state.q, step, instant.q).ok());
    return instant;
}

inline Eigen::Quaterniond quaternion(const Eigen::VectorXd& q, int first) {
    return Eigen::Quaterniond(q[first + 3], q[first], q[first + 1], q[first + 2]);
}

/// Rotation vector from one orientation to another, in the axes of the first.
inline Eigen::Vector3d turn(const Eigen::Quaterniond& from, const Eigen::Quaterniond& to) {
    Eigen::Quaterniond relative = from.conjugate() * to;
    if (relative.w() < 0) relative.coeffs() *= -1;
    return 2 * relative.vec() * (1 + relative.vec().squaredNorm() / 6);  // 2 asin(s)/s to second order
}

/// q̇ midway between two configurations a short time apart, to second order.
inline Eigen::VectorXd rate(const grbda::Model& model, const Eigen::VectorXd& before,
                            const Eigen::VectorXd& after, double time) {
    Eigen::VectorXd qd(model.nv_tree);
    for (const grbda::Body& body : model.bodies) {
        if (body.joint == grbda::JointType::spherical || body.joint == grbda::JointType::floating) {
            const bool floats = body.joint == grbda::JointType::floating;
            const int first = body.q + (floats ? 3 : 0);
            const Eigen::Quaterniond a = quaternion(before, first), b = quaternion(after, first);
            const Eigen::Vector3d angular = turn(a, b);
            qd.segment<3>(body.v + (floats ? 3 : 0)) = angular / time;
            if (!floats) continue;
            const Eigen::Quaterniond middle = a.slerp(0.5, b);
            qd.segment<3>(body.v) = middle.conjugate() *
                                    Eigen::Vector3d(after.segment<3>(body.q) - before.segment<3>(body.q)) /
                                    time;
        } else {
            const int size = grbda::velocity_size(body.joint);
            qd.segment(body.v, size) = (after.segment(body.q, size) - before.segment(body.q, size)) / time;
        }
    }
    return qd;
}

/// Derivative at zero from central differences at h and 2 h: truncation h⁴, rounding ε/h.
template <class Difference>
Eigen::VectorXd extrapolated(Difference&& difference, double h = 2e-5) {
    return (4 * difference(h) - difference(2 * h)) / 3;
}

/// The same of a function of time.
template <class Function>
Eigen::VectorXd derivative(Function&& function, double h = 2e-5) {
    return extrapolated([&](double t) -> Eigen::VectorXd { return (function(t) - function(-t)) / (2 * t); },
                        h);
}

constexpr double kDifferences = 2e-7;  // relative: ε/h, times the derivatives of mechanisms near their bounds

}  // namespace motion
