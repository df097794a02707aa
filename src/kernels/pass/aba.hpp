#pragma once

#include "grbda/export.hpp"
#include "kernels/body/inertia.hpp"
#include "kernels/cluster/rotors.hpp"
#include "kernels/cluster/wrenches.hpp"
#include "kernels/rod/rods.hpp"
#include "protocol.hpp"
#include "sums.hpp"

// Forward dynamics on the cluster tree: C-ABA (Chignoli et al. 2023, Sec. IV). With one body in each cluster
// it is the articulated-body algorithm of Featherstone 2008, Table 7.1.
//
//   parent body to which the cluster is attached    y     m independent coordinates of the cluster
//   J_i    motion of body i relative to parent      b_i   acceleration of body i relative to parent at ÿ = 0
//          per unit ẏ
//   I_i    rigid inertia of body i                  IA_i  articulated inertia
//   a⁰_i   acceleration if ÿ = 0 in all clusters,   a_i   acceleration in addition to a⁰_i; rnea.hpp calls
//          minus gravity                                  the sum of both a_i
//   p_i    force on body i if it accelerates with a⁰_i; after step 2 with the freely moving clusters on it
//
//   step 1, outward   v_i = v_parent + J_i ẏ            a⁰_i = a⁰_parent + b_i
//                     IA_i = I_i                        p_i = I_i a⁰_i + v_i ×* I_i v_i
//   step 2, inward    D = Σ J_iᵀ IA_i J_i               u = τ − Σ J_iᵀ p_i           W = Σ IA_i J_i
//                     IA_parent += Σ IA_i − W D⁻¹ Wᵀ    p_parent += Σ p_i + W D⁻¹ u
//   step 3, outward   ÿ = D⁻¹ (u − Wᵀ a_parent)         a_i = a_parent + J_i ÿ
//
// On the world v = 0, a⁰ = −gravity and a = 0. External wrenches are subtracted from p between steps 1 and 2.
// With q̇ = G ẏ and q̈ = G ÿ + g for the joints of the cluster (constraint/embedding.hpp), J_i = Σ s G and
// b_i = Σ (s g + joint bias) along the path from parent to i (constraint/motion.hpp).
//
// A branch is a cluster on the world with all its descendants. Its quantities are spatial vectors in one
// inertial frame, so that they add without transforms. The articulated inertia of a cluster is block diagonal
// by body, because each child cluster is attached to one body. Forces are computed at ÿ = 0, as in RNEA, so
// that biases need no articulated inertia. Rotors and rods are no bodies of a cluster: cluster/rotors.hpp and
// rod/rods.hpp add their parts to D, u, W, to p of the bodies that carry them, and to IA_parent and p_parent.

namespace grbda::kernels {

/// Step 1: computes a⁰, IA and p of the bodies of a cluster. If no cluster is attached to a body, it has I in
/// place of IA.
template <class S>
void bias_forces(const Model& model, Workspace<S>& data, const Cluster& c, bool loaded) {
    const Motion<S> a0_parent =
        c.parent_body == world ? gravity_acceleration<S>(model) : data.a0[c.parent_body];
    for (const int i : c.bodies) {
        const auto at = static_cast<std::size_t>(i);
        const Body& body = model.bodies[at];
        if (body.inertia_kind == InertiaKind::none) {
            if (!loaded) continue;
            data.I[at] = RigidInertia<S>{};
            data.pA[at] = Force<S>{};
            continue;
        }
        const RigidInertia<S> I = inertia_of(model, data, i);
        const Motion<S> a0 = a0_parent + data.b[at];
        data.a0[at] = a0;
        if (body.inertia_kind != InertiaKind::articulated)
            data.I[at] = I;
        else
            data.IA[at] = articulated(I);
        data.pA[at] = moving_force(I, data.v[at], a0);
    }
    if (!c.rods.empty()) add_pair_forces(model, data, c, a0_parent, data.a0);
}

/// Step 2 for one body: adds its inertia IA, rigid or articulated, and its force to the sums.
template <int M, class S, class Inertia>
[[gnu::always_inline]] inline void articulate_body(const Model& model, Workspace<S>& data, const Cluster& c,
                                                   int i, const Inertia& IA, S* D, S* u, Force<S>* W) {
    const int m = M > 0 ? M : c.m;
    const Motion<S>* J = jacobian_of(model, data, c, i);
    const Force<S>& pA = data.pA[i];
    const bool rooted = c.parent_body == world;
    for (int j = 0; j < m; ++j) {
        const Force<S> U = IA * J[j];
        for (int k = 0; k <= j; ++k) D[j * m + k] += dot(J[k], U);
        u[j] -= dot(J[j], pA);
        if (!rooted) W[j] += U;
    }
    if (rooted) return;
    data.IA[c.parent_body] += IA;
    data.pA[c.parent_body] += pA;
}

/// Step 2, end: computes IA_parent −= W D⁻¹ Wᵀ and p_parent += W D⁻¹ u. D is factored as L d Lᵀ with 1/d on
/// its diagonal, and u and W are L⁻¹ u and W L⁻ᵀ.
template <int M, class S>
[[gnu::always_inline]] inline void pass_to_parent(Workspace<S>& data, const Cluster& c, const S* D,
                                                  const Force<S>* W, const S* u) {
    const int m = M > 0 ? M : c.m;
    for (int j = 0; j < m; ++j) {
        const S inverse = D[j * m + j];
        data.IA[c.parent_body].subtract_outer(W[j], inverse);
        data.pA[c.parent_body] += W[j] * S(inverse * u[j]);
    }
}

/// Step 2: D, u and W of a cluster, articulated inertia and force of the body to which it is attached. M is
/// m, or 0 if m is known only at run time.
template <int M, class S>
void articulate(const Model& model, Workspace<S>& data, const Cluster& c, int cluster, bool loaded) {
    const int m = M > 0 ? M : c.m;
    start_with_rotors<M>(model, data, c);
    Sums<few(M) * few(M), S> D_sums(data.D.data() + c.D_begin);
    Sums<few(M), S> u_sums(data.u.data() + c.y_begin);
    Sums<few(M), Force<S>> W_sums(data.W.data() + c.W_begin);
    S *const D = D_sums.values(), *const u = u_sums.values();
    Force<S>* const W = W_sums.values();

    for (const int i : c.bodies) {
        const InertiaKind kind = model.bodies[i].inertia_kind;
        if (kind == InertiaKind::none && !loaded) continue;
        if (kind != InertiaKind::articulated)
            articulate_body<M>(model, data, c, i, data.I[i], D, u, W);
        else
            articulate_body<M>(model, data, c, i, data.IA[i], D, u, W);
    }
    const bool rooted = c.parent_body == world;
    if (!c.rods.empty()) {
        subtract_rods<M>(model, data, c, D, W);
        if (!rooted) add_rod_inertias(model, data, c, data.IA[c.parent_body]);
    }

    data.margin[cluster] = factor_symmetric<M>(D, m, data.chart.inertia_floor.data() + c.y_begin);
    solve_lower<M>(D, m, u);
    D_sums.store();
    u_sums.store();
    if (rooted) return;
    solve_lower<M>(D, m, W);
    W_sums.store();
    pass_to_parent<M>(data, c, D, W, u);
}

/// Step 3, first half: computes ÿ = D⁻¹ (u − Wᵀ a_parent) of a cluster, with the factors that
/// pass_to_parent() names. Returns a_parent.
template <int M, class S>
[[gnu::always_inline]] inline Motion<S> solve_acceleration(const Model& model, Workspace<S>& data,
                                                           const Cluster& c, S* ydd) {
    const int m = M > 0 ? M : c.m;
    const S* D = data.D.data() + c.D_begin;
    const S* u = data.u.data() + c.y_begin;
    const Force<S>* W = data.W.data() + c.W_begin;
    S* y = data.y_acceleration.data() + c.y_begin;
    const bool rooted = c.parent_body == world;
    const Motion<S> a_parent = rooted ? Motion<S>{} : data.a[c.parent_body];
    for (int j = 0; j < m; ++j) y[j] = (rooted ? u[j] : S(u[j] - dot(a_parent, W[j]))) * D[j * m + j];
    solve_upper<M>(D, m, y);
    for (int j = 0; j < m; ++j) ydd[model.y_index[c.y_begin + j]] = y[j];
    return a_parent;
}

/// Step 3: computes ÿ of a cluster, and a of the bodies on paths to other clusters.
template <int M, class S>
void accelerate(const Model& model, Workspace<S>& data, const Cluster& c, S* ydd) {
    const int m = M > 0 ? M : c.m;
    const Motion<S> a_parent = solve_acceleration<M>(model, data, c, ydd);
    const S* y = data.y_acceleration.data() + c.y_begin;
    for (const int i : c.bodies) {
        if (!model.bodies[i].carries_cluster) continue;
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S> a = a_parent;
        for (int j = 0; j < m; ++j) a += J[j] * y[j];
        data.a[i] = a;
    }
}

/// Computes step 3 for all clusters.
template <class S>
void accelerate_clusters(const Model& model, Workspace<S>& data, S* ydd) {
    outward<S>(model, [&](auto kind, const Cluster& c, int) { kind.aba_accelerate(model, data, c, ydd); });
}

/// Forces of joints in the user's order [nv_tree]: `constant` − `damping` q̇. Without damping the pointer is
/// null.
template <class S>
struct JointForces {
    const S* constant;
    const S* damping;
};

/// The algorithm, after turn_joints(): ÿ [nv]. Null pointers mean no wrenches and no joint forces. `whole`: a
/// function reads more of the bodies than ÿ needs.
template <class S>
[[gnu::always_inline]] inline void aba_passes(const Model& model, Workspace<S>& data, const S* q, const S* yd,
                                              const S* tau, const S* wrenches, S* ydd, bool whole,
                                              const JointForces<S>* tau_s) {
    const bool loaded = whole || wrenches != nullptr;
    outward<S>(model, [&](auto kind, const Cluster& c, int k) {
        kind.aba_forward(model, data, c, k, q, yd, loaded);
    });
    for (int y = 0; y < model.nv; ++y) data.u[y] = tau[model.y_index[y]];
    if (tau_s) apply_joint_forces(model, data, *tau_s);
    apply_wrenches(model, data, q, wrenches, [&](const Cluster& c, const Rotor& rotor, const S& moment) {
        visit(c, [&](auto kind) { kind.aba_rotor_moment(model, data, c, rotor, moment); });
    });
    inward<S>(model,
              [&](auto kind, const Cluster& c, int k) { kind.aba_backward(model, data, c, k, loaded, ydd); });
    accelerate_clusters(model, data, ydd);
}

template <class S>
GRBDA_EXPORT void aba(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* tau,
                      const S* wrenches, S* ydd, bool whole = false, const JointForces<S>* tau_s = nullptr) {
    turn_joints(model, data, q);
    aba_passes(model, data, q, yd, tau, wrenches, ydd, whole, tau_s);
}

// aba.cpp instantiates it for double.
extern template void aba(const Model&, Workspace<double>&, const double*, const double*, const double*,
                         const double*, double*, bool, const JointForces<double>*);

}  // namespace grbda::kernels
