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
RodLine<S> line_of(const Data<S>& data, const Rod& rod, const RodEnds<S>& ends) {
    RodLine<S> line;
    line.s = base_rotation(data, ends.a) * rod.line.template cast<S>();
    line.n = ends.d() * S(1 / rod.length);
    line.weight = S(1) / (S(1) + dot(line.s, line.n));
    return line;
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
        const RodEnds<S> ends = ends_of(model, data, rod);
        const Motion<S> a = velocity_of(data, ends.a);
        const Vector3<S> rate =
            (velocity_between(data, ends) - cross(a.angular, ends.d())) * S(1 / rod.length);
        const Vector3<S> omega = a.angular + line_of(data, rod, ends).turning(rate);
        data.v[model.body_count() + r] = {point_velocity(a, ends.A) - cross(omega, ends.A), omega};
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
        const RodLine<S> line = line_of(data, rod, ends);
        const Vector3<S> d = ends.d(), omega_a = velocity_of(data, ends.a).angular,
                         alpha_a = ends.a == world ? Vector3<S>{} : data.a[ends.a].angular;
        const Vector3<S> moved = velocity_between(data, ends) - cross(omega_a, d);  // as seen from A's body
        const Vector3<S> at_a = acceleration(ends.a, ends.A);
        const Vector3<S> pulled = acceleration(ends.b, ends.B) - at_a - cross(alpha_a, d) -
                                  cross(omega_a, cross(omega_a, d)) - cross(omega_a, moved) * S(2);
        const S inverse = S(1 / rod.length);
        const Motion<S>& v = data.v[model.body_count() + r];
        const Vector3<S> against = v.angular - omega_a;
        const Vector3<S> alpha = alpha_a + cross(omega_a, against) + line.turning(pulled * inverse) -
                                 against * S(dot(line.s, moved) * inverse * line.weight);
        data.a[model.body_count() + r] = {
            at_a - cross(alpha, ends.A) - cross(v.angular, point_velocity(v, ends.A)), alpha};
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
