#pragma once

#include "rods.hpp"

// Kinematics of rods, which the recursions omit. A universal or revolute joint at A determines the rotation
// of a rod about its line. No state determines the rotation of a rod between balls. By convention, its
// orientation follows from that at zero of its joints by the smallest rotation that aligns its line, as seen
// from the body at end A.

namespace grbda::kernels {

/// Returns the data for the motion of a rod, or of the cylinder or piston of a strut, with zero
/// accelerations.
template <class S>
RodCarriers<S> carriers_of(const Model& model, const Workspace<S>& data, int link, const RodEnds<S>& ends) {
    const Rod& rod = model.rod(link);
    RodCarriers<S> c;
    const Motion<S> a = velocity_of(data, ends.a);
    c.A = {ends.A, point_velocity(a, ends.A), {}};
    c.B = {ends.B, point_velocity(velocity_of(data, ends.b), ends.B), {}};
    c.omega = a.angular;
    c.s = base_rotation(data, ends.a) * rod.reference().template cast<S>();
    c.inverse_length = inverse_length(rod, ends);
    c.guided = rod.guided();
    c.stretches = rod.strut >= 0;
    c.at_b = model.is_piston(link);
    return c;
}

/// Returns a unit vector perpendicular to a unit vector.
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

/// The smallest rotation from one unit vector to another. If they are opposite, it is half a turn
/// about the unit vector `across`.
template <class S>
class SmallestTurn {
public:
    SmallestTurn(const Vector3<S>& from, const Vector3<S>& to, const Vector3<S>& across)
        : cosine_(dot(from, to)), v_(cross(from, to)) {
        v_ -= from * dot(from, v_);  // exactly perpendicular, however short
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

/// Returns the orientation of a guided rod. The second axis of a universal joint, which is fixed in the rod,
/// is perpendicular to the line and to the first axis; the axis of a revolute joint does not move.
template <class S>
Matrix3<S> rotation_by_axis(const Rod& rod, const Matrix3<S>& base, const Vector3<S>& n) {
    const Matrix3<double> at_zero = transpose(axes_across(rod.line, rod.axis)) * rod.rotation;
    return axes_across(n, base * rod.axis.template cast<S>()) * at_zero.template cast<S>();
}

/// Returns the orientation of a rod between balls, by the smallest rotation.
template <class S>
Matrix3<S> rotation_by_turn(const Rod& rod, const Matrix3<S>& base, const Vector3<S>& n) {
    const Matrix3<S> start = base * rod.rotation.template cast<S>();
    const SmallestTurn<S> turn(base * rod.line.template cast<S>(), n,
                               base * perpendicular_to(rod.line).template cast<S>());
    return {turn * start.x, turn * start.y, turn * start.z};
}

/// Computes R and p of rods and pistons, where p is that of end A or of B, after positions().
template <class S>
void place_rods(const Model& model, Workspace<S>& data) {
    for (int link = model.body_count(); link < model.carrier_count(); ++link) {
        const Rod& rod = model.rod(link);
        const RodEnds<S> ends = ends_of(model, data, rod);
        const Vector3<S> d = ends.d(), n = d * (S(1) / scalar::sqrt(dot(d, d)));
        const Matrix3<S> base = base_rotation(data, ends.a);
        data.R[link] = rod.guided() ? rotation_by_axis(rod, base, n) : rotation_by_turn(rod, base, n);
        data.p[link] = model.is_piston(link) ? ends.B : ends.A;
    }
}

/// Computes v of rods and pistons, after velocities().
template <class S>
void move_rods(const Model& model, Workspace<S>& data) {
    for (int link = model.body_count(); link < model.carrier_count(); ++link)
        data.v[link] = carriers_of(model, data, link, ends_of(model, data, model.rod(link))).velocity();
}

/// Computes a of rods and pistons, after move_rods() and the accelerations of the bodies; that of the world
/// is `start`.
template <class S>
void accelerate_rods(const Model& model, Workspace<S>& data, const Motion<S>& start) {
    const auto acceleration = [&](int body, const Vector3<S>& r) {
        return body == world ? start.linear : point_acceleration(data.v[body], data.a[body], r);
    };
    for (int link = model.body_count(); link < model.carrier_count(); ++link) {
        const RodEnds<S> ends = ends_of(model, data, model.rod(link));
        RodCarriers<S> carriers = carriers_of(model, data, link, ends);
        carriers.A.a = acceleration(ends.a, ends.A);
        carriers.B.a = acceleration(ends.b, ends.B);
        if (ends.a != world) carriers.alpha = data.a[ends.a].angular;
        data.a[link] = carriers.acceleration(data.v[link]);
    }
}

/// Calls put(j, J) with the motion of a rod or piston for each velocity of its cluster.
template <class S, class Put>
void each_rod_column(const Model& model, const Workspace<S>& data, int link, const Put& put) {
    const Rod& rod = model.rod(link);
    const Cluster& c = model.clusters[rod.cluster];
    const RodEnds<S> ends = ends_of(model, data, rod);
    const RodLine<S> line = line_of(data, rod, ends);
    const S inverse = inverse_length(rod, ends);
    const Motion<S>*const J_a = end_jacobian(model, data, c, ends.a), *const J_b = end_jacobian(model, data,
                                                                                                c, ends.b);
    const bool piston = model.is_piston(link);
    const Vector3<S>& origin = piston ? ends.B : ends.A;
    for (int j = 0; j < c.m; ++j) {
        const Motion<S> a = J_a ? J_a[j] : Motion<S>{}, b = J_b ? J_b[j] : Motion<S>{};
        const Vector3<S> moved = displacement_between(ends, J_a, J_b, j) - cross(a.angular, ends.d());
        const Vector3<S> omega = a.angular + line.turning(moved * inverse);
        put(j, Motion<S>{point_velocity(piston ? b : a, origin) - cross(omega, origin), omega});
    }
}

}  // namespace grbda::kernels
