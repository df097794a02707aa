#pragma once

#include "grbda/kernels/rods.hpp"

// Kinematics of rods, which the recursions leave out. A rod turns about its line as no state tells. By
// convention it comes from its orientation at zero of its joints by the smallest turn that takes its line
// there, as seen from the body at end A; its angular velocity is that of this orientation:
//   ω = ω_a + (s + n) × ṅ / (1 + s·n)      s: the line at zero, n: now, ṅ as seen from the body at A

namespace grbda::kernels {

/// A rod's line, seen from the body at its end A.
template <class S>
struct RodLine {
    Vector3<S> s, n;  ///< unit: where it is at zero of the joints, and now
    S weight;         ///< 1/(1 + s·n)

    /// Angular velocity of the rod against the body at A, of a rate of n; or its change without that of s +
    /// n.
    Vector3<S> turning(const Vector3<S>& rate) const { return cross(s + n, rate) * weight; }
};

/// Orientation of the body at end A.
template <class S>
Matrix3<S> base_rotation(const Data<S>& data, int body) {
    return body == world ? Matrix3<S>::identity() : data.R[body];
}

template <class S>
RodLine<S> line_between(const Vector3<S>& s, const Vector3<S>& d, const S& inverse_length) {
    RodLine<S> line{s, d * inverse_length, S(0)};
    line.weight = S(1) / (S(1) + dot(line.s, line.n));
    return line;
}
template <class S>
RodLine<S> line_of(const Data<S>& data, const Rod& rod, const RodEnds<S>& ends) {
    return line_between(base_rotation(data, ends.a) * rod.line.template cast<S>(), ends.d(),
                        S(1 / rod.length));
}

/// A point of a body: its place, velocity and acceleration.
template <class S>
struct MovingPoint {
    Vector3<S> r, v, a;
};

/// All that the motion of a rod follows from: its ends, and the body at A.
template <class S>
struct RodCarriers {
    MovingPoint<S> A, B;
    Vector3<S> omega, alpha;  ///< of the body at A
    Vector3<S> s;             ///< line at zero, as RodLine::s
    S inverse_length;

    Vector3<S> d() const { return B.r - A.r; }
    /// Rate of d as seen from the body at A.
    Vector3<S> moved() const { return B.v - A.v - cross(omega, d()); }

    Motion<S> velocity() const {
        const Vector3<S> turned =
            omega + line_between(s, d(), inverse_length).turning(moved() * inverse_length);
        return {A.v - cross(turned, A.r), turned};
    }
    /// v: the rod's velocity.
    Motion<S> acceleration(const Motion<S>& v) const {
        const RodLine<S> line = line_between(s, d(), inverse_length);
        const Vector3<S> pulled =
            B.a - A.a - cross(alpha, d()) - cross(omega, cross(omega, d())) - cross(omega, moved()) * S(2);
        const Vector3<S> against = v.angular - omega;
        const Vector3<S> turned = alpha + cross(omega, against) + line.turning(pulled * inverse_length) -
                                  against * (dot(line.s, moved()) * inverse_length * line.weight);
        return {A.a - cross(turned, A.r) - cross(v.angular, A.v), turned};
    }
};

/// With accelerations at zero.
template <class S>
RodCarriers<S> carriers_of(const Data<S>& data, const Rod& rod, const RodEnds<S>& ends) {
    RodCarriers<S> c;
    const Motion<S> a = velocity_of(data, ends.a);
    c.A = {ends.A, point_velocity(a, ends.A), {}};
    c.B = {ends.B, point_velocity(velocity_of(data, ends.b), ends.B), {}};
    c.omega = a.angular;
    c.s = base_rotation(data, ends.a) * rod.line.template cast<S>();
    c.inverse_length = S(1 / rod.length);
    return c;
}

/// R and p of rods, p that of end A; after positions().
template <class S>
void place_rods(const Model& model, Data<S>& data) {
    for (int r = 0; r < static_cast<int>(model.rods.size()); ++r) {
        const Rod& rod = model.rods[r];
        const RodEnds<S> ends = ends_of(model, data, rod);
        const RodLine<S> line = line_of(data, rod, ends);
        const Vector3<S> v = cross(line.s, line.n);
        const Matrix3<S> start = base_rotation(data, ends.a) * rod.rotation.template cast<S>();
        const auto swung = [&](const Vector3<S>& x) {
            const Vector3<S> moved = cross(v, x);
            return x + moved + cross(v, moved) * line.weight;
        };
        data.R[model.body_count() + r] = {swung(start.x), swung(start.y), swung(start.z)};
        data.p[model.body_count() + r] = ends.A;
    }
}

/// v of rods, after velocities().
template <class S>
void move_rods(const Model& model, Data<S>& data) {
    for (int r = 0; r < static_cast<int>(model.rods.size()); ++r) {
        const Rod& rod = model.rods[r];
        data.v[model.body_count() + r] = carriers_of(data, rod, ends_of(model, data, rod)).velocity();
    }
}

/// a of rods, after move_rods() and those of the bodies; the world's is `start`.
template <class S>
void accelerate_rods(const Model& model, Data<S>& data, const Motion<S>& start) {
    const auto acceleration = [&](int body, const Vector3<S>& r) {
        return body == world ? start.linear : point_acceleration(data.v[body], data.a[body], r);
    };
    for (int r = 0; r < static_cast<int>(model.rods.size()); ++r) {
        const Rod& rod = model.rods[r];
        const RodEnds<S> ends = ends_of(model, data, rod);
        RodCarriers<S> carriers = carriers_of(data, rod, ends);
        carriers.A.a = acceleration(ends.a, ends.A);
        carriers.B.a = acceleration(ends.b, ends.B);
        if (ends.a != world) carriers.alpha = data.a[ends.a].angular;
        data.a[model.body_count() + r] = carriers.acceleration(data.v[model.body_count() + r]);
    }
}

/// Calls put(j, J) with the motion of a rod for each velocity of its cluster.
template <class S, class Put>
void each_rod_column(const Model& model, const Data<S>& data, const Rod& rod, const Put& put) {
    const Cluster& c = model.clusters[rod.cluster];
    const RodEnds<S> ends = ends_of(model, data, rod);
    const RodLine<S> line = line_of(data, rod, ends);
    const Motion<S>*const J_a = end_jacobian(model, data, c, ends.a), *const J_b = end_jacobian(model, data,
                                                                                                c, ends.b);
    for (int j = 0; j < c.m; ++j) {
        const Motion<S> a = J_a ? J_a[j] : Motion<S>{};
        const Vector3<S> moved = displacement_between(ends, J_a, J_b, j) - cross(a.angular, ends.d());
        const Vector3<S> omega = a.angular + line.turning(moved * S(1 / rod.length));
        put(j, Motion<S>{point_velocity(a, ends.A) - cross(omega, ends.A), omega});
    }
}

}  // namespace grbda::kernels
