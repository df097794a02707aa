#pragma once

#include <algorithm>

#include "motion.hpp"
#include "rod_line.hpp"

// Rods in the recursions. The masses at their ends are merged into bodies; what remains is −½ m_AB |u|² of
// the velocity u = v_B − v_A of the ends relative to each other: a pair of forces f at B and −f at A,
//   f = −m_AB (a_B − a_A)     X = ∂u/∂ẏ     d = r_B − r_A
//   D −= m_AB XᵀX     W_ang −= m_AB d × X     inertia of the body that the cluster hangs on −= m_AB (d·d 1 −
//   d dᵀ)
// and, of rods with a universal joint, ½ I_s ω_s² of the spin in rod_line.hpp, with w = ∂ω_s/∂ẏ:
//   D += I_s wᵀw     W_ang += I_s n w     inertia of that body += I_s n nᵀ
// Ends are where constraint_rows() and place_loose_rods() leave the frames of the rod's loop.

namespace grbda::kernels {

inline const Rod* rods_begin(const Model& model, const Cluster& c) {
    return model.rods.data() + c.rods.first;
}
inline const Rod* rods_end(const Model& model, const Cluster& c) { return model.rods.data() + c.rods.last; }

/// Ends of a rod in the common frame, and the bodies that they are on.
template <class S>
struct RodEnds {
    const Vector3<S>&A, &B;
    int a, b;
    Vector3<S> d() const { return B - A; }
};

template <class S>
[[gnu::always_inline]] inline RodEnds<S> ends_of(const Model& model, const Data<S>& data, const Rod& rod) {
    const Loop& loop = model.loops[rod.loop];
    const LoopFrames<S>& frames = data.loop_frames[rod.loop];
    return {frames.p, frames.r, loop.predecessor.body, loop.successor.body};
}

/// v_B − v_A.
template <class S>
[[gnu::always_inline]] inline Vector3<S> velocity_between(const Data<S>& data, const RodEnds<S>& ends) {
    return point_velocity(velocity_of(data, ends.b), ends.B) -
           point_velocity(velocity_of(data, ends.a), ends.A);
}

/// Acceleration of the point r of a body with velocity v and acceleration a.
template <class S>
[[gnu::always_inline]] inline Vector3<S> point_acceleration(const Motion<S>& v, const Motion<S>& a,
                                                            const Vector3<S>& r) {
    return point_velocity(a, r) + cross(v.angular, point_velocity(v, r));
}

/// a_B − a_A of a rod, at the accelerations in `of`; `base`: of the body that its cluster hangs on.
template <class S>
[[gnu::always_inline]] inline Vector3<S> acceleration_between(const Data<S>& data, const Cluster& c,
                                                              const RodEnds<S>& ends, const Motion<S>& base,
                                                              const Table<Motion<S>>& of) {
    const auto acceleration = [&](int body, const Vector3<S>& r) {
        if (body == world) return base.linear;
        return point_acceleration(data.v[body], body == c.parent_body ? base : of[body], r);
    };
    return acceleration(ends.b, ends.B) - acceleration(ends.a, ends.A);
}

/// Orientation of the body at end A.
template <class S>
Matrix3<S> base_rotation(const Data<S>& data, int body) {
    return body == world ? Matrix3<S>::identity() : data.R[body];
}

template <class S>
RodLine<S> line_of(const Data<S>& data, const Rod& rod, const RodEnds<S>& ends) {
    return rod_line(rod.universal, base_rotation(data, ends.a) * rod.reference().template cast<S>(),
                    Vector3<S>(ends.d() * S(1 / rod.length)));
}

/// The line of a rod with a universal joint.
template <class S>
[[gnu::always_inline]] inline RodLine<S> spin_line(const Data<S>& data, const Rod& rod,
                                                   const RodEnds<S>& ends) {
    return line_at_universal(Vector3<S>(base_rotation(data, ends.a) * rod.axis.template cast<S>()),
                             Vector3<S>(ends.d() * S(1 / rod.length)));
}

/// Its spin for each velocity of its ends.
template <class S>
[[gnu::always_inline]] inline SpinRow<S> spin_row(const Data<S>& data, const Rod& rod,
                                                  const RodEnds<S>& ends) {
    return spin_row(spin_line(data, rod, ends), S(1 / rod.length));
}

/// ω_s of a rod with a universal joint.
template <class S>
S spin_of(const Data<S>& data, const RodEnds<S>& ends, const SpinRow<S>& row) {
    return row(velocity_of(data, ends.a).angular, velocity_between(data, ends));
}

/// Forces that its spin needs of the bodies at its ends, with a_B − a_A and the angular acceleration at A.
template <class S>
SpinForces<S> spin_forces(const Data<S>& data, const Rod& rod, const RodEnds<S>& ends,
                          const Vector3<S>& apart, const Vector3<S>& alpha) {
    return spin_forces(spin_line(data, rod, ends), S(1 / rod.length), S(rod.axial),
                       velocity_of(data, ends.a).angular, velocity_between(data, ends), alpha, apart);
}

/// Pairs of a cluster's rods and couples of their spins, into the forces of the bodies at their ends.
template <class S>
[[gnu::always_inline]] inline void add_pair_forces(const Model& model, Data<S>& data, const Cluster& c,
                                                   const Motion<S>& base, const Table<Motion<S>>& of) {
    for (const Rod* rod = rods_begin(model, c); rod != rods_end(model, c); ++rod) {
        const RodEnds<S> ends = ends_of(model, data, *rod);
        const Vector3<S> apart = acceleration_between(data, c, ends, base, of);
        Vector3<S> f = apart * S(-rod->coupling);
        if (rod->universal) {
            const Vector3<S> alpha =
                ends.a == world || ends.a == c.parent_body ? base.angular : of[ends.a].angular;
            const SpinForces<S> spin = spin_forces(data, *rod, ends, apart, alpha);
            f += spin.pair;
            if (ends.a != world) data.pA[ends.a].angular += spin.couple;
        }
        if (ends.b != world) data.pA[ends.b] += Force<S>{f, cross(ends.B, f)};
        if (ends.a != world) data.pA[ends.a] -= Force<S>{f, cross(ends.A, f)};
    }
}

/// m_AB (d·d 1 − d dᵀ) off the moments of inertia of the body that a cluster hangs on, and I_s n nᵀ to them.
template <class S>
[[gnu::always_inline]] inline void subtract_pair(const Rod& rod, const Vector3<S>& d, Symmetric3<S>& J) {
    const Vector3<S> e = d * S(rod.coupling);
    J.xx -= d.y * e.y + d.z * e.z;
    J.yy -= d.x * e.x + d.z * e.z;
    J.zz -= d.x * e.x + d.y * e.y;
    J.xy += d.x * e.y;
    J.xz += d.x * e.z;
    J.yz += d.y * e.z;
    if (!rod.universal) return;
    const Vector3<S> spin = d * S(rod.axial / (rod.length * rod.length));
    J.xx += d.x * spin.x;
    J.yy += d.y * spin.y;
    J.zz += d.z * spin.z;
    J.xy += d.x * spin.y;
    J.xz += d.x * spin.z;
    J.yz += d.y * spin.z;
}
template <class S>
void subtract_pairs(const Model& model, const Data<S>& data, const Cluster& c, Symmetric3<S>& J) {
    for (const Rod* rod = rods_begin(model, c); rod != rods_end(model, c); ++rod)
        subtract_pair(*rod, ends_of(model, data, *rod).d(), J);
}

/// Column j of X by the Jacobians of the bodies at the ends; null: of the one that the cluster hangs on.
template <class S>
[[gnu::always_inline]] inline Vector3<S> displacement_between(const RodEnds<S>& ends, const Motion<S>* J_a,
                                                              const Motion<S>* J_b, int j) {
    Vector3<S> x = J_b ? point_velocity(J_b[j], ends.B) : Vector3<S>{S(0), S(0), S(0)};
    if (J_a) x -= point_velocity(J_a[j], ends.A);
    return x;
}

/// Jacobian of a body at a rod's end; null: its cluster does not move it.
template <class S>
[[gnu::always_inline]] inline const Motion<S>* end_jacobian(const Model& model, const Data<S>& data,
                                                            const Cluster& c, int body) {
    return body == c.parent_body ? nullptr : jacobian_of(model, data, c, body);
}

/// Adds the spin of a rod to D and W, by the relative motion X of its ends.
template <int M, class S>
void add_spin(Data<S>& data, const Cluster& c, const Rod& rod, const RodEnds<S>& ends, const Motion<S>* J_a,
              const Vector3<S>* X, S* D, Force<S>* W) {
    const int m = M > 0 ? M : c.m;
    S few[std::max(M, 1)];
    S* const w = M > 0 ? few : data.rod_spins.data();
    const SpinRow<S> row = spin_row(data, rod, ends);
    for (int j = 0; j < m; ++j) w[j] = row(J_a ? J_a[j].angular : Vector3<S>{S(0), S(0), S(0)}, X[j]);
    for (int j = 0; j < m; ++j) {
        const S momentum = w[j] * S(rod.axial);
        for (int k = 0; k <= j; ++k) D[j * m + k] += momentum * w[k];
        if (c.parent_body != world) W[j].angular += row.n * momentum;
    }
}

/// Subtracts the pairs of rods from D [m × m, lower triangle] and W [m] of a cluster, by Jacobians, and adds
/// their spins.
template <int M, class S>
[[gnu::always_inline]] inline void subtract_rods(const Model& model, Data<S>& data, const Cluster& c, S* D,
                                                 Force<S>* W) {
    const int m = M > 0 ? M : c.m;
    Vector3<S> few[std::max(M, 1)];
    Vector3<S>* const X = M > 0 ? few : data.rod_columns.data();
    for (const Rod* rod = rods_begin(model, c); rod != rods_end(model, c); ++rod) {
        const RodEnds<S> ends = ends_of(model, data, *rod);
        const Motion<S>*const J_a = end_jacobian(model, data, c, ends.a), *const J_b = end_jacobian(
                                                                              model, data, c, ends.b);
        const Vector3<S> d = ends.d();
        for (int j = 0; j < m; ++j) X[j] = displacement_between(ends, J_a, J_b, j);
        for (int j = 0; j < m; ++j) {
            const Vector3<S> f = X[j] * S(rod->coupling);
            for (int k = 0; k <= j; ++k) D[j * m + k] -= dot(X[k], f);
            if (c.parent_body != world) W[j].angular -= cross(d, f);
        }
        if (rod->universal) add_spin<M>(data, c, *rod, ends, J_a, X, D, W);
    }
}

/// Change of u for each unit of a velocity of the spanning tree.
template <class S>
[[gnu::always_inline]] inline Vector3<S> term_between(const Data<S>& data, const RodEnds<S>& ends,
                                                      const RodTerm& term) {
    const Motion<S>& s = data.s[term.dof];
    if (term.moves_a && term.moves_b) return cross(s.angular, ends.d());
    return term.moves_b ? point_velocity(s, ends.B) : -point_velocity(s, ends.A);
}

/// Change of ω_s for each unit of a velocity of the spanning tree.
template <class S>
[[gnu::always_inline]] inline S spin_term(const Data<S>& data, const RodEnds<S>& ends, const SpinRow<S>& row,
                                          const RodTerm& term) {
    return row(term.moves_a ? data.s[term.dof].angular : Vector3<S>{S(0), S(0), S(0)},
               term_between(data, ends, term));
}

}  // namespace grbda::kernels
