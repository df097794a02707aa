#pragma once

#include "grbda/spatial/vector3.hpp"

// Spatial algebra (Featherstone 2008, ch. 2) with the linear part first, as in
// the public twists and wrenches. Inside one evaluation every quantity is
// expressed in one common frame, world-aligned, so there are no transforms:
// velocities, forces and inertias of different bodies simply add.

namespace grbda {

/// Spatial motion: velocity of the body point at the frame's origin, and angular velocity.
template <class S>
struct Motion {
    Vector3<S> linear, angular;

    Motion& operator+=(const Motion& b) {
        linear += b.linear;
        angular += b.angular;
        return *this;
    }
    Motion& operator-=(const Motion& b) {
        linear -= b.linear;
        angular -= b.angular;
        return *this;
    }
};

/// Spatial force: force, and moment about the frame's origin.
template <class S>
struct Force {
    Vector3<S> linear, angular;

    Force& operator+=(const Force& b) {
        linear += b.linear;
        angular += b.angular;
        return *this;
    }
    Force& operator-=(const Force& b) {
        linear -= b.linear;
        angular -= b.angular;
        return *this;
    }
};

template <class S>
[[gnu::always_inline]] inline Motion<S> operator+(const Motion<S>& a, const Motion<S>& b) {
    return {a.linear + b.linear, a.angular + b.angular};
}
template <class S>
[[gnu::always_inline]] inline Motion<S> operator-(const Motion<S>& a, const Motion<S>& b) {
    return {a.linear - b.linear, a.angular - b.angular};
}
template <class S>
[[gnu::always_inline]] inline Motion<S> operator*(const Motion<S>& a, const S& s) {
    return {a.linear * s, a.angular * s};
}
template <class S>
[[gnu::always_inline]] inline Force<S> operator+(const Force<S>& a, const Force<S>& b) {
    return {a.linear + b.linear, a.angular + b.angular};
}
template <class S>
[[gnu::always_inline]] inline Force<S> operator-(const Force<S>& a, const Force<S>& b) {
    return {a.linear - b.linear, a.angular - b.angular};
}
template <class S>
[[gnu::always_inline]] inline Force<S> operator*(const Force<S>& a, const S& s) {
    return {a.linear * s, a.angular * s};
}

/// Power of a force on a motion.
template <class S>
[[gnu::always_inline]] inline S dot(const Motion<S>& m, const Force<S>& f) {
    return dot(m.linear, f.linear) + dot(m.angular, f.angular);
}

/// v × m
template <class S>
[[gnu::always_inline]] inline Motion<S> cross(const Motion<S>& v, const Motion<S>& m) {
    return {cross(v.angular, m.linear) + cross(v.linear, m.angular), cross(v.angular, m.angular)};
}
/// v ×* f
template <class S>
[[gnu::always_inline]] inline Force<S> cross(const Motion<S>& v, const Force<S>& f) {
    return {cross(v.angular, f.linear), cross(v.angular, f.angular) + cross(v.linear, f.linear)};
}

/// Velocity of the point at `r` that moves with v.
template <class S>
[[gnu::always_inline]] inline Vector3<S> point_velocity(const Motion<S>& v, const Vector3<S>& r) {
    return v.linear + cross(v.angular, r);
}

/// Rotation about the unit axis `a` through the point `p`.
template <class S>
[[gnu::always_inline]] inline Motion<S> rotation_about(const Vector3<S>& a, const Vector3<S>& p) {
    return {cross(p, a), a};
}

/// Inertia of a rigid body: 10 numbers.
template <class S>
struct RigidInertia {
    S mass{};
    Vector3<S> h;           ///< first moment, mass · centre of mass
    Symmetric3<S> angular;  ///< rotational inertia about the frame's origin

    RigidInertia& operator+=(const RigidInertia& b) {
        mass += b.mass;
        h += b.h;
        angular += b.angular;
        return *this;
    }
};

template <class S>
[[gnu::always_inline]] inline Force<S> operator*(const RigidInertia<S>& I, const Motion<S>& v) {
    return {v.linear * I.mass + cross(v.angular, I.h), cross(I.h, v.linear) + I.angular * v.angular};
}

/// Rigid inertia from mass, centre of mass c and about_com · 1 + a aᵀ + b bᵀ about it.
template <class S>
[[gnu::always_inline]] inline RigidInertia<S> rigid_inertia(const S& mass, const Vector3<S>& c,
                                                            const S& about_com, const Vector3<S>& a,
                                                            const Vector3<S>& b) {
    const Vector3<S> h = c * mass;
    const S xx = h.x * c.x, yy = h.y * c.y, zz = h.z * c.z;
    return {mass,
            h,
            {(about_com + yy + zz) + a.x * a.x + b.x * b.x, (about_com + xx + zz) + a.y * a.y + b.y * b.y,
             (about_com + xx + yy) + a.z * a.z + b.z * b.z, a.x * a.y + b.x * b.y - h.x * c.y,
             a.x * a.z + b.x * b.z - h.x * c.z, a.y * a.z + b.y * b.z - h.y * c.z}};
}

/// Symmetric 6×6 articulated inertia, 21 numbers: force = M·linear + H·angular, moment = Hᵀ·linear +
/// J·angular.
template <class S>
struct ArticulatedInertia {
    Symmetric3<S> M;
    Matrix3<S> H;
    Symmetric3<S> J;

    ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
        M += b.M;
        H += b.H;
        J += b.J;
        return *this;
    }
    ArticulatedInertia& operator+=(const RigidInertia<S>& b) {
        M.xx += b.mass;
        M.yy += b.mass;
        M.zz += b.mass;
        H.x.y -= b.h.z;
        H.x.z += b.h.y;
        H.y.x += b.h.z;
        H.y.z -= b.h.x;
        H.z.x -= b.h.y;
        H.z.y += b.h.x;
        J += b.angular;
        return *this;
    }
    /// A += B − w wᵀ s
    void add_minus_outer(const ArticulatedInertia& B, const Force<S>& w, const S& s) {
        const Vector3<S> l = w.linear * s, a = w.angular * s;
        M.add_minus_outer(B.M, w.linear, l);
        H.x += B.H.x - w.linear * a.x;
        H.y += B.H.y - w.linear * a.y;
        H.z += B.H.z - w.linear * a.z;
        J.add_minus_outer(B.J, w.angular, a);
    }
    /// A −= w wᵀ s
    void subtract_outer(const Force<S>& w, const S& s) {
        M.subtract_outer(w.linear, s);
        const Vector3<S> a = w.angular * s;
        H.x -= w.linear * a.x;
        H.y -= w.linear * a.y;
        H.z -= w.linear * a.z;
        J.subtract_outer(w.angular, s);
    }
};

/// The same inertia about an origin from which its own is at r.
template <class S>
[[gnu::always_inline]] inline ArticulatedInertia<S> about(const ArticulatedInertia<S>& I,
                                                          const Vector3<S>& r) {
    const S zero(0);
    const Symmetric3<S>& M = I.M;
    const Matrix3<S>& H = I.H;
    const Matrix3<S> to{H.x - M * Vector3<S>{zero, r.z, -r.y}, H.y - M * Vector3<S>{-r.z, zero, r.x},
                        H.z - M * Vector3<S>{r.y, -r.x, zero}};  // H − M [r]×
    const Vector3<S> x = cross(r, H.x), y = cross(r, H.y), to_x = cross(r, to.x), to_y = cross(r, to.y),
                     to_z = cross(r, to.z);
    // J − Hᵀ [r]× + [r]× (H − M [r]×)
    return {M,
            to,
            {I.J.xx + x.x + to_x.x, I.J.yy + y.y + to_y.y, I.J.zz + cross(r, H.z).z + to_z.z,
             I.J.xy + x.y + to_y.x, I.J.xz + x.z + to_z.x, I.J.yz + y.z + to_z.y}};
}

template <class S>
[[gnu::always_inline]] inline ArticulatedInertia<S> articulated(const RigidInertia<S>& I) {
    const S zero(0);
    return {{I.mass, I.mass, I.mass, zero, zero, zero},
            {{zero, -I.h.z, I.h.y}, {I.h.z, zero, -I.h.x}, {-I.h.y, I.h.x, zero}},
            I.angular};
}

template <class S>
[[gnu::always_inline]] inline Force<S> operator*(const ArticulatedInertia<S>& A, const Motion<S>& v) {
    return {A.M * v.linear + A.H * v.angular, transpose_times(A.H, v.linear) + A.J * v.angular};
}

}  // namespace grbda
