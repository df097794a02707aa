#pragma once

#include <algorithm>

#include "rod_ends.hpp"

// Struts: two links on a slide along the line between the ends of a rod, the cylinder at A and the piston at
// B. Their masses m₁, m₂ are merged into the bodies at A and B. With the length ℓ = |r_B − r_A|, the first
// moments h_A and h_B of cylinder and piston about A and B, and the sum Θ of their inertias about A and B,
//   ṅ = (1 − n nᵀ) u/ℓ     ω = n × ṅ + ω_s n     ω_s as in rod_line.hpp
//   T = ½ m₁ |v_A|² + ½ m₂ |v_B|² + ½ ω·Θ ω + v_A·(ω × h_A) + v_B·(ω × h_B)
// They may have any inertia, because the bodies at the ends determine their rotation. The moment M of the
// forces that accelerate them, about A and B, requires the couple X n·M on the body at A and a pair of forces
// f at B, −f at A:
//   f = (M × n)/ℓ − Y n·M

namespace grbda::kernels {

/// A strut at a configuration, in the common frame.
template <class S>
struct StrutLine {
    RodLine<S> line;
    S inverse;       ///< 1/ℓ
    SpinRow<S> row;  ///< ω_s
    Vector3<S> h_a, h_b;
    Symmetric3<S> theta;
};

/// Returns A θ Aᵀ.
template <class S>
Symmetric3<S> turned(const Matrix3<S>& A, const Symmetric3<S>& t) {
    const Vector3<S> x = A.x * t.xx + A.y * t.xy + A.z * t.xz, y = A.x * t.xy + A.y * t.yy + A.z * t.yz,
                     z = A.x * t.xz + A.y * t.yz + A.z * t.zz;
    return {x.x * A.x.x + y.x * A.y.x + z.x * A.z.x, x.y * A.x.y + y.y * A.y.y + z.y * A.z.y,
            x.z * A.x.z + y.z * A.y.z + z.z * A.z.z, x.x * A.x.y + y.x * A.y.y + z.x * A.z.y,
            x.x * A.x.z + y.x * A.y.z + z.x * A.z.z, x.y * A.x.z + y.y * A.y.z + z.y * A.z.z};
}

/// Returns axes along a line n, perpendicular to it and a vector e, and perpendicular to both.
template <class S>
Matrix3<S> axes_across(const Vector3<S>& n, const Vector3<S>& e) {
    const Vector3<S> across = cross(n, e), unit = across * (S(1) / scalar::sqrt(dot(across, across)));
    return {n, unit, cross(n, unit)};
}

template <class S>
StrutLine<S> strut_line(const Model& model, const Workspace<S>& data, const Rod& rod,
                        const RodEnds<S>& ends) {
    const Strut& strut = model.struts[rod.strut];
    StrutLine<S> out;
    const Vector3<S> d = ends.d();
    out.inverse = S(1) / scalar::sqrt(dot(d, d));
    const Vector3<S> n = d * out.inverse;
    out.line = line_at_universal(Vector3<S>(base_rotation(data, ends.a) * rod.axis.template cast<S>()), n);
    out.row = spin_row(out.line, out.inverse);
    if (strut.symmetric) {
        const Vector3<S> along = n * S(strut.theta.xx - strut.theta.yy);
        const S across = S(strut.theta.yy);
        out.h_a = n * S(strut.h_a.x);
        out.h_b = n * S(strut.h_b.x);
        out.theta = {across + along.x * n.x, across + along.y * n.y, across + along.z * n.z,
                     along.x * n.y,          along.x * n.z,          along.y * n.z};
    } else {
        const Matrix3<S> axes = axes_across(n, out.line.s);
        out.h_a = axes * strut.h_a.template cast<S>();
        out.h_b = axes * strut.h_b.template cast<S>();
        const Symmetric3<double>& t = strut.theta;
        out.theta = turned(axes, Symmetric3<S>{S(t.xx), S(t.yy), S(t.zz), S(t.xy), S(t.xz), S(t.yz)});
    }
    return out;
}

/// Momentum or force of a strut without the masses at its ends: at A, at B, and its moment about both.
template <class S>
struct StrutLoad {
    Vector3<S> a, b, moment;
};

/// Returns the motion of a strut from that of its ends and of the body at A.
template <class S>
StrutMotion<S> strut_motion(const StrutLine<S>& strut, const Vector3<S>& at_a, const Vector3<S>& a,
                            const Vector3<S>& b) {
    const Vector3<S> u = b - a;
    return {cross(strut.line.n, u) * strut.inverse + strut.line.n * strut.row(at_a, u), a, b};
}

/// Computes column j of the Jacobian; null if the cluster does not move that end.
template <class S>
StrutMotion<S> strut_column(const StrutLine<S>& strut, const RodEnds<S>& ends, const Motion<S>* J_a,
                            const Motion<S>* J_b, int j) {
    const Vector3<S> none{S(0), S(0), S(0)};
    return strut_motion(strut, J_a ? J_a[j].angular : none, J_a ? point_velocity(J_a[j], ends.A) : none,
                        J_b ? point_velocity(J_b[j], ends.B) : none);
}

template <class S>
StrutLoad<S> momentum_of(const StrutLine<S>& strut, const StrutMotion<S>& x) {
    return {cross(x.omega, strut.h_a), cross(x.omega, strut.h_b),
            strut.theta * x.omega + cross(strut.h_a, x.a) + cross(strut.h_b, x.b)};
}

template <class S>
S power(const StrutMotion<S>& x, const StrutLoad<S>& load) {
    return dot(x.omega, load.moment) + dot(x.a, load.a) + dot(x.b, load.b);
}

/// Returns the total of a load, about the origin.
template <class S>
Force<S> wrench_of(const RodEnds<S>& ends, const StrutLoad<S>& load) {
    return {load.a + load.b, cross(ends.A, load.a) + cross(ends.B, load.b) + load.moment};
}

/// Loads from the bodies at the ends: forces at A and B, and a couple at A.
template <class S>
struct EndLoads {
    Vector3<S> a, b, couple;
};
template <class S>
EndLoads<S> end_loads(const StrutLine<S>& strut, const StrutLoad<S>& load) {
    const Vector3<S>& n = strut.line.n;
    const S about = dot(n, load.moment);
    const Vector3<S> pair = cross(load.moment, n) * strut.inverse - strut.row.Y * about;
    return {load.a - pair, load.b + pair, strut.row.X * about};
}

/// Returns the inertia of a strut, without the masses at its ends, for a motion as one rigid body.
template <class S>
RigidInertia<S> inertia_of(const StrutLine<S>& strut, const RodEnds<S>& ends) {
    RigidInertia<S> I{S(0), strut.h_a + strut.h_b, strut.theta};
    const auto add = [&I](const Vector3<S>& r, const Vector3<S>& h) {
        const S xx = r.x * h.x, yy = r.y * h.y, zz = r.z * h.z, two(2);
        I.angular +=
            Symmetric3<S>{(yy + zz) * two,          (xx + zz) * two,          (xx + yy) * two,
                          -(r.x * h.y + r.y * h.x), -(r.x * h.z + r.z * h.x), -(r.y * h.z + r.z * h.y)};
    };
    add(ends.A, strut.h_a);
    add(ends.B, strut.h_b);
    return I;
}

/// Rates of the line of a strut, from the motion of its ends.
template <class S>
struct StrutRates {
    Vector3<S> rate, second;  ///< of n; `second` without its component along n
    S stretch;                ///< rate of ℓ
    S spin, spin_rate;
    Vector3<S> omega, alpha;
};

/// Computes the rates from the angular velocity and acceleration of the body at A, u, and a_B − a_A.
template <class S>
StrutRates<S> strut_rates(const StrutLine<S>& strut, const Vector3<S>& omega, const Vector3<S>& u,
                          const Vector3<S>& alpha, const Vector3<S>& apart) {
    const Vector3<S>& n = strut.line.n;
    StrutRates<S> out;
    out.stretch = dot(n, u);
    out.rate = (u - n * out.stretch) * strut.inverse;
    out.second = (apart - out.rate * S(out.stretch * S(2))) * strut.inverse;
    const SpinForces<S> spin = spin_forces(strut.line, S(1), S(1), omega, out.rate, alpha, out.second);
    out.spin = dot(n, spin.momentum);
    out.spin_rate = spin.force;
    out.omega = cross(n, out.rate) + spin.momentum;
    out.alpha = cross(n, out.second) + out.rate * out.spin + n * spin.force;
    return out;
}

/// Returns the force on a strut, from the accelerations of its ends.
template <class S>
StrutLoad<S> force_of(const StrutLine<S>& strut, const StrutRates<S>& rates, const Vector3<S>& a,
                      const Vector3<S>& b) {
    const Vector3<S>&omega = rates.omega, &alpha = rates.alpha;
    const auto at = [&](const Vector3<S>& h) { return cross(alpha, h) + cross(omega, cross(omega, h)); };
    return {
        at(strut.h_a), at(strut.h_b),
        strut.theta * alpha + cross(omega, strut.theta * omega) + cross(strut.h_a, a) + cross(strut.h_b, b)};
}

/// A strut in motion.
template <class S>
struct MovingStrut {
    StrutLine<S> line;
    StrutRates<S> rates;
    StrutLoad<S> force;
};
template <class S>
MovingStrut<S> moving_strut(const Model& model, const Workspace<S>& data, const Rod& rod,
                            const RodEnds<S>& ends, const Vector3<S>& alpha, const Vector3<S>& a,
                            const Vector3<S>& b) {
    MovingStrut<S> out{strut_line(model, data, rod, ends), {}, {}};
    out.rates = strut_rates(out.line, velocity_of(data, ends.a).angular, velocity_between(data, ends), alpha,
                            Vector3<S>(b - a));
    out.force = force_of(out.line, out.rates, a, b);
    return out;
}

/// Accelerations of the ends of a rod, and the angular acceleration of the body at A, from the
/// accelerations in `of`; `base` is that of the parent body of its cluster.
template <class S>
struct EndAccelerations {
    Vector3<S> alpha, a, b;
};
template <class S>
EndAccelerations<S> end_accelerations(const Workspace<S>& data, const Cluster& c, const RodEnds<S>& ends,
                                      const Motion<S>& base, const Table<Motion<S>>& of) {
    const auto acceleration = [&](int body) -> const Motion<S>& {
        return body == world || body == c.parent_body ? base : of[body];
    };
    const auto at = [&](int body, const Vector3<S>& r) {
        return body == world ? base.linear : point_acceleration(data.v[body], acceleration(body), r);
    };
    return {acceleration(ends.a).angular, at(ends.a, ends.A), at(ends.b, ends.B)};
}

/// Adds the forces on a strut to those of the bodies at its ends.
template <class S>
void add_strut_forces(const Model& model, Workspace<S>& data, const Cluster& c, const Rod& rod,
                      const RodEnds<S>& ends, const Motion<S>& base, const Table<Motion<S>>& of) {
    const EndAccelerations<S> x = end_accelerations(data, c, ends, base, of);
    const MovingStrut<S> strut = moving_strut(model, data, rod, ends, x.alpha, x.a, x.b);
    const EndLoads<S> f = end_loads(strut.line, strut.force);
    if (ends.a != world) data.pA[ends.a] += Force<S>{f.a, cross(ends.A, f.a) + f.couple};
    if (ends.b != world) data.pA[ends.b] += Force<S>{f.b, cross(ends.B, f.b)};
}

/// Returns the velocity of a strut.
template <class S>
StrutMotion<S> velocity_of(const Workspace<S>& data, const StrutLine<S>& strut, const RodEnds<S>& ends) {
    const Motion<S> a = velocity_of(data, ends.a);
    return strut_motion(strut, a.angular, point_velocity(a, ends.A),
                        point_velocity(velocity_of(data, ends.b), ends.B));
}

/// Adds a strut to D and W of a cluster, by Jacobians.
template <int M, class S>
void add_strut(const Model& model, Workspace<S>& data, const Cluster& c, const Rod& rod,
               const RodEnds<S>& ends, const Motion<S>* J_a, const Motion<S>* J_b, S* D, Force<S>* W) {
    const int m = M > 0 ? M : c.m;
    StrutMotion<S> few[std::max(M, 1)];
    StrutMotion<S>* const x = M > 0 ? few : data.strut_columns.data();
    const StrutLine<S> strut = strut_line(model, data, rod, ends);
    for (int j = 0; j < m; ++j) x[j] = strut_column(strut, ends, J_a, J_b, j);
    for (int j = 0; j < m; ++j) {
        const StrutLoad<S> load = momentum_of(strut, x[j]);
        for (int k = 0; k <= j; ++k) D[j * m + k] += power(x[k], load);
        if (c.parent_body != world) W[j] += wrench_of(ends, load);
    }
}

/// Returns the motion of a strut per unit of a velocity of the spanning tree.
template <class S>
StrutMotion<S> strut_term(const Workspace<S>& data, const StrutLine<S>& strut, const RodEnds<S>& ends,
                          const RodTerm& term) {
    const Vector3<S> none{S(0), S(0), S(0)};
    const Motion<S>& s = data.s[term.dof];
    return strut_motion(strut, term.moves_a ? s.angular : none,
                        term.moves_a ? point_velocity(s, ends.A) : none,
                        term.moves_b ? point_velocity(s, ends.B) : none);
}

}  // namespace grbda::kernels
