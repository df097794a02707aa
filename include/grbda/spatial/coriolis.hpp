#pragma once

#include "grbda/spatial/spatial.hpp"

namespace grbda {

/// Change of the force v ×* I v + I a of a rigid body by a change e of its velocity, with which it all turns
/// and moves: B e, 12 numbers, for only the turning of e counts. Adds over bodies as inertias do.
///   B e = [2 e_ω × p; Γ e_ω], p the linear momentum, Γ = 2 (tr N · 1 − N), N = v hᵀ + ω× Σ,
///   Σ = ½ tr(J) · 1 − J the second moment about the frame's origin
template <class S>
struct Coriolis {
    Vector3<S> p;
    Matrix3<S> gamma;

    Coriolis& operator+=(const Coriolis& b) {
        p += b.p;
        gamma += b.gamma;
        return *this;
    }
};

template <class S>
[[gnu::always_inline]] inline Coriolis<S> coriolis(const RigidInertia<S>& I, const Motion<S>& v) {
    const Vector3<S>& omega = v.angular;
    const Symmetric3<S>& J = I.angular;
    const S half = (J.xx + J.yy + J.zz) * S(0.5);
    const Vector3<S> x = v.linear * I.h.x + cross(omega, Vector3<S>{half - J.xx, -J.xy, -J.xz});
    const Vector3<S> y = v.linear * I.h.y + cross(omega, Vector3<S>{-J.xy, half - J.yy, -J.yz});
    const Vector3<S> z = v.linear * I.h.z + cross(omega, Vector3<S>{-J.xz, -J.yz, half - J.zz});
    const S two(2);
    return {v.linear * I.mass + cross(omega, I.h),
            {{(y.y + z.z) * two, x.y * -two, x.z * -two},
             {y.x * -two, (x.x + z.z) * two, y.z * -two},
             {z.x * -two, z.y * -two, (x.x + y.y) * two}}};
}

/// B e of a change of velocity.
template <class S>
[[gnu::always_inline]] inline Force<S> operator*(const Coriolis<S>& B, const Motion<S>& e) {
    return {cross(e.angular, B.p) * S(2), B.gamma * e.angular};
}

/// Bᵀ x, of which only the angular part is not zero.
template <class S>
[[gnu::always_inline]] inline Vector3<S> transpose_times(const Coriolis<S>& B, const Motion<S>& x) {
    return cross(B.p, x.linear) * S(2) + transpose_times(B.gamma, x.angular);
}

}  // namespace grbda
