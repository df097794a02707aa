#pragma once

#include "placement.hpp"

// Rigid inertias in the common frame, and the forces that accelerate bodies.

namespace grbda::kernels {

/// Computes the rigid inertia of a body, with the rotors that it carries, in the common frame.
template <class S>
[[gnu::always_inline]] inline RigidInertia<S> inertia_of(const Body& body, const Matrix3<S>& R,
                                                         const Vector3<S>& p) {
    return rigid_inertia(S(body.mass), p + R * body.com.cast<S>(), S(body.inertia), R * body.middle.cast<S>(),
                         R * body.largest.cast<S>());
}

template <class S>
[[gnu::always_inline]] inline RigidInertia<S> inertia_of(const Model& model, const Workspace<S>& data,
                                                         int i) {
    const auto at = static_cast<std::size_t>(i);
    return inertia_of(model.bodies[at], data.R[at], data.p[at]);
}

/// Computes the force on a body with its centre of mass at c: Newton's law at c and Euler's law about it.
template <class S>
[[gnu::always_inline]] inline Force<S> newton_euler(const Body& body, const Vector3<S>& c,
                                                    const Vector3<S>& middle, const Vector3<S>& largest,
                                                    const Motion<S>& v, const Motion<S>& a) {
    const Vector3<S>&omega = v.angular, &alpha = a.angular;
    const Vector3<S> force =
        (a.linear + cross(alpha, c) + cross(omega, v.linear + cross(omega, c))) * S(body.mass);
    const Vector3<S> momentum =
        middle * dot(middle, omega) + largest * dot(largest, omega);  // except the term of ω itself
    const Vector3<S> change = alpha * S(body.inertia) + middle * dot(middle, alpha) +
                              largest * dot(largest, alpha) + cross(omega, momentum);
    return {force, change + cross(c, force)};
}
template <class S>
[[gnu::always_inline]] inline Force<S> newton_euler(const Body& body, const Matrix3<S>& R,
                                                    const Vector3<S>& p, const Motion<S>& v,
                                                    const Motion<S>& a) {
    return newton_euler(body, p + R * body.com.cast<S>(), R * body.middle.cast<S>(),
                        R * body.largest.cast<S>(), v, a);
}

/// Computes the force I a + v ×* I v on a body with inertia I.
template <class S>
[[gnu::always_inline]] inline Force<S> moving_force(const RigidInertia<S>& I, const Motion<S>& v,
                                                    const Motion<S>& a) {
    const Vector3<S>&omega = v.angular, &alpha = a.angular;
    const Vector3<S> point = a.linear + cross(omega, v.linear);  // acceleration of the point at the origin
    return {point * I.mass + cross(alpha, I.h) + cross(omega, cross(omega, I.h)),
            I.angular * alpha + cross(omega, I.angular * omega) + cross(I.h, point)};
}

}  // namespace grbda::kernels
