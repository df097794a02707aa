#pragma once

#include <algorithm>

#include "struts.hpp"

// Rods in the recursions. The masses at their ends are merged into bodies. The remaining term is −½ m_AB |u|²
// of the relative velocity u = v_B − v_A of the ends, with a pair of forces f at B and −f at A:
//   f = −m_AB (a_B − a_A)     X = ∂u/∂ẏ     d = r_B − r_A
//   D −= m_AB XᵀX     W_ang −= m_AB d × X     inertia of the cluster's parent body −= m_AB (d·d 1 − d dᵀ)
// Guided rods also have ½ I_s ω_s² of the spin in rod_line.hpp, with w = ∂ω_s/∂ẏ:
//   D += I_s wᵀw     W_ang += I_s n w     inertia of that body += I_s n nᵀ
// A rod between balls keeps the momentum p of its spin; its gyroscopic pair is f += p (ṅ × n)/L. Struts,
// whose length changes, have formulas of their own in struts.hpp.

namespace grbda::kernels {

/// Returns the factor of (u × d) in the force due to the momentum of the spin between two balls: p (ṅ × n)/L
/// = p/L³ (u × d).
inline double gyroscopic(const Rod& rod) {
    return rod.spin_momentum / (rod.length * rod.length * rod.length);
}

/// Adds the pairs of forces of a cluster's rods, and the couples of their spins, to the forces of the bodies
/// at their ends.
template <class S>
[[gnu::always_inline]] inline void add_pair_forces(const Model& model, Workspace<S>& data, const Cluster& c,
                                                   const Motion<S>& base, const Table<Motion<S>>& of) {
    for (const Rod* rod = rods_begin(model, c); rod != rods_end(model, c); ++rod) {
        const RodEnds<S> ends = ends_of(model, data, *rod);
        if (rod->strut >= 0) {
            add_strut_forces(model, data, c, *rod, ends, base, of);
            continue;
        }
        const Vector3<S> apart = acceleration_between(data, c, ends, base, of);
        Vector3<S> f = apart * S(-rod->coupling);
        if (rod->guided()) {
            const Vector3<S> alpha =
                ends.a == world || ends.a == c.parent_body ? base.angular : of[ends.a].angular;
            const SpinForces<S> spin = spin_forces(data, *rod, ends, apart, alpha);
            f += spin.pair;
            if (ends.a != world) data.pA[ends.a].angular += spin.couple;
        } else if (rod->spin_momentum != 0) {
            f += cross(velocity_between(data, ends), ends.d()) * S(gyroscopic(*rod));
        }
        if (ends.b != world) data.pA[ends.b] += Force<S>{f, cross(ends.B, f)};
        if (ends.a != world) data.pA[ends.a] -= Force<S>{f, cross(ends.A, f)};
    }
}

/// Subtracts m_AB (d·d 1 − d dᵀ) from the moments of inertia of the parent body of a cluster, and adds I_s n
/// nᵀ.
template <class S>
[[gnu::always_inline]] inline void subtract_pair(const Rod& rod, const Vector3<S>& d, Symmetric3<S>& J) {
    const Vector3<S> e = d * S(rod.coupling);
    J.xx -= d.y * e.y + d.z * e.z;
    J.yy -= d.x * e.x + d.z * e.z;
    J.zz -= d.x * e.x + d.y * e.y;
    J.xy += d.x * e.y;
    J.xz += d.x * e.z;
    J.yz += d.y * e.z;
    if (!rod.guided()) return;
    const Vector3<S> spin = d * S(rod.axial / (rod.length * rod.length));
    J.xx += d.x * spin.x;
    J.yy += d.y * spin.y;
    J.zz += d.z * spin.z;
    J.xy += d.x * spin.y;
    J.xz += d.x * spin.z;
    J.yz += d.y * spin.z;
}
template <class S>
Symmetric3<S>& moments_of(RigidInertia<S>& I) {
    return I.angular;
}
template <class S>
Symmetric3<S>& moments_of(ArticulatedInertia<S>& I) {
    return I.J;
}
/// Adds the contribution of a rod, without the masses at its ends, to the inertia of that body.
template <class S, class Inertia>
void add_rod_inertia(const Model& model, const Workspace<S>& data, const Rod& rod, Inertia& I) {
    const RodEnds<S> ends = ends_of(model, data, rod);
    if (rod.strut < 0)
        subtract_pair(rod, ends.d(), moments_of(I));
    else
        I += inertia_of(strut_line(model, data, rod, ends), ends);
}
template <class S, class Inertia>
void add_rod_inertias(const Model& model, const Workspace<S>& data, const Cluster& c, Inertia& I) {
    for (const Rod* rod = rods_begin(model, c); rod != rods_end(model, c); ++rod)
        add_rod_inertia(model, data, *rod, I);
}

/// Adds the spin of a rod to D and W, from the relative motion X of its ends.
template <int M, class S>
void add_spin(Workspace<S>& data, const Cluster& c, const Rod& rod, const RodEnds<S>& ends,
              const Motion<S>* J_a, const Vector3<S>* X, S* D, Force<S>* W) {
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
[[gnu::always_inline]] inline void subtract_rods(const Model& model, Workspace<S>& data, const Cluster& c,
                                                 S* D, Force<S>* W) {
    const int m = M > 0 ? M : c.m;
    Vector3<S> few[std::max(M, 1)];
    Vector3<S>* const X = M > 0 ? few : data.rod_columns.data();
    for (const Rod* rod = rods_begin(model, c); rod != rods_end(model, c); ++rod) {
        const RodEnds<S> ends = ends_of(model, data, *rod);
        const Motion<S>*const J_a = end_jacobian(model, data, c, ends.a), *const J_b = end_jacobian(
                                                                              model, data, c, ends.b);
        if (rod->strut >= 0) {
            add_strut<M>(model, data, c, *rod, ends, J_a, J_b, D, W);
            continue;
        }
        const Vector3<S> d = ends.d();
        for (int j = 0; j < m; ++j) X[j] = displacement_between(ends, J_a, J_b, j);
        for (int j = 0; j < m; ++j) {
            const Vector3<S> f = X[j] * S(rod->coupling);
            for (int k = 0; k <= j; ++k) D[j * m + k] -= dot(X[k], f);
            if (c.parent_body != world) W[j].angular -= cross(d, f);
        }
        if (rod->guided()) add_spin<M>(data, c, *rod, ends, J_a, X, D, W);
    }
}

}  // namespace grbda::kernels
