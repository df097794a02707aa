#pragma once

#include "rods.hpp"

// Kinematics of rods, which the recursions leave out. A rod turns about its line as no state tells. By
// convention it comes from its orientation at zero of its joints by the smallest turn that takes its line
// there, as seen from the body at end A; its angular velocity is that of this orientation:
//   ω = ω_a + n × ṅ + n σ/(1 + s·n)     σ = n·(s × ṅ)
//   s: the line at zero, n: now, ṅ as seen from the body at A
// A rod that points opposite to s has made half a turn about a fixed axis of the body at A, and there σ is
// left out: the smallest turn is not unique, and turns about n at any rate nearby.

namespace grbda::kernels {

/// A rod's line, seen from the body at its end A.
template <class S>
struct RodLine {
    Vector3<S> s, n;  ///< unit: where it is at zero of the joints, and now
    S weight;         ///< 1/(1 + s·n); 0: opposite

    S spin(const Vector3<S>& rate) const { return dot(n, cross(s, rate)) * weight; }
    /// Angular velocity of the rod against the body at A, of a rate of n.
    Vector3<S> turning(const Vector3<S>& rate) const { return cross(n, rate) + n * spin(rate); }
    /// Change of turning(rate) because n moves at this rate.
    Vector3<S> turning_change(const Vector3<S>& rate) const {
        return (rate - n * (dot(s, rate) * weight)) * spin(rate);
    }
};

/// Orientation of the body at end A.
template <class S>
Matrix3<S> base_rotation(const Data<S>& data, int body) {
    return body == world ? Matrix3<S>::identity() : data.R[body];
}

/// 1 + s·n below which lines count as opposite: 1.4e-6 rad.
constexpr double opposite_lines = 1e-12;

template <class S>
RodLine<S> line_between(const Vector3<S>& s, const Vector3<S>& d, const S& inverse_length) {
    RodLine<S> line{s, d * inverse_length, S(0)};
    const Vector3<S> sum = line.s + line.n;
    const S size = dot(sum, sum) * S(0.5);  // 1 + s·n, without its cancellation
    const S counts = (S(1) + scalar::copysign(S(1), size - S(opposite_lines))) * S(0.5);
    line.weight = counts / (size + (S(1) - counts));
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
        const Vector3<S> turned = alpha + cross(omega, against) + line.turning(pulled * inverse_length) +
                                  line.turning_change(moved() * inverse_length);
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

/// A unit vector across a unit vector.
inline Vector3<double> perpendicular_to(const Vector3<double>& s) {
    const double x = s.x * s.x, y = s.y * s.y, z = s.z * s.z;
    Vector3<double> axis{0, 0, 1};
    if (x <= y && x <= z)
        axis = {1, 0, 0};
    else if (y <= z)
        axis = {0, 1, 0};
    const Vector3<double> across = cross(s, axis);
    return across * (1 / std::sqrt(dot(across, across)));
}

/// The smallest rotation that takes one unit vector to another; half a turn about the unit vector `across` if
/// they are opposite.
template <class S>
class SmallestTurn {
public:
    SmallestTurn(const Vector3<S>& from, const Vector3<S>& to, const Vector3<S>& across)
        : cosine_(dot(from, to)), v_(cross(from, to)) {
        v_ -= from * dot(from, v_);  // exactly across, however short
        const Vector3<S> k = v_ + across * S(1e-18);
        axis_ = k * (S(1) / scalar::sqrt(dot(k, k)));
    }
    Vector3<S> operator*(const Vector3<S>& x) const {
        return x * cosine_ + cross(v_, x) + axis_ * ((S(1) - cosine_) * dot(axis_, x));
    }

private:
    S cosine_;
    Vector3<S> v_, axis_;
};

/// R and p of rods, p that of end A; after positions().
template <class S>
void place_rods(const Model& model, Data<S>& data) {
    for (int r = 0; r < static_cast<int>(model.rods.size()); ++r) {
        const Rod& rod = model.rods[r];
        const RodEnds<S> ends = ends_of(model, data, rod);
        const Vector3<S> d = ends.d();
        const Matrix3<S> base = base_rotation(data, ends.a);
        const Matrix3<S> start = base * rod.rotation.template cast<S>();
        const SmallestTurn<S> turn(base * rod.line.template cast<S>(), d * (S(1) / scalar::sqrt(dot(d, d))),
                                   base * perpendicular_to(rod.line).template cast<S>());
        data.R[model.body_count() + r] = {turn * start.x, turn * start.y, turn * start.z};
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
