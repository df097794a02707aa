#pragma once

#include "kernels/body/inertia.hpp"
#include "kernels/cluster/rotors.hpp"
#include "kernels/cluster/wrenches.hpp"
#include "protocol.hpp"

// Inverse dynamics on the cluster tree: C-RNEA (URDF+ paper, Sec. IV). With one body in each cluster it is
// the recursive Newton–Euler algorithm of Featherstone 2008, Table 5.1.
//
//   parent body to which the cluster is attached    y     m independent coordinates of the cluster
//   J_i    motion of body i relative to parent      b_i   acceleration of body i relative to parent at ÿ = 0
//          per unit ẏ
//   I_i    rigid inertia of body i                  a_i   its acceleration, minus gravity
//   f_i    force that body i and the clusters attached to it require
//
//   step 1, outward   v_i = v_parent + J_i ẏ   a_i = a_parent + J_i ÿ + b_i   f_i = I_i a_i + v_i ×* I_i v_i
//   step 2, inward    τ = Σ J_iᵀ f_i           f_parent += Σ f_i
//
// On the world v = 0 and a = −gravity. External wrenches are subtracted from f between the steps.
//
// These functions serve single joints (ClusterKind::direct), for which J is the joint's motion subspace. For
// a cluster with loops, kinds/tree_cluster.hpp computes the same v, a, f and τ without J: it solves K q̇ = 0
// and K q̈ = k with the dependent columns K_d of K, and for τ with their transpose, instead of computing m
// columns.

namespace grbda::kernels {

/// Step 1: computes accelerations and forces of the bodies of a cluster. Without ydd, ÿ is zero.
template <class S>
void body_forces(const Model& model, Workspace<S>& data, const Cluster& c, const S* ydd) {
    S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) y[j] = ydd ? ydd[model.y_index[c.y_begin + j]] : S(0);
    const Motion<S> a_parent = base_acceleration(model, data, c);
    for (const int i : c.bodies) {
        const auto at = static_cast<std::size_t>(i);
        const Body& body = model.bodies[at];
        data.pA[at] = Force<S>{};
        if (body.inertia_kind == InertiaKind::none) continue;
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S> a = a_parent + data.b[at];
        for (int j = 0; j < c.m; ++j) a += J[j] * y[j];
        data.a[at] = a;
        data.pA[at] = newton_euler(body, data.R[at], data.p[at], data.v[at], a);
    }
}

/// Step 2: computes τ of a cluster, and adds to the force of the body to which it is attached. Bodies without
/// inertia have forces only if `loaded`.
template <class S>
void project_body_forces(const Model& model, Workspace<S>& data, const Cluster& c, bool loaded, S* tau) {
    S* u = data.u.data() + c.y_begin;
    if (c.reflected) folded_forces<0>(model, data, c, u);
    if (c.turning_armature) add_turning_forces(model, data, c, S(1), u);
    for (const int i : c.bodies) {
        if (model.bodies[i].inertia_kind == InertiaKind::none && !loaded) continue;
        const Force<S>& f = data.pA[i];
        const Motion<S>* J = jacobian_of(model, data, c, i);
        for (int j = 0; j < c.m; ++j) u[j] += dot(J[j], f);
        if (c.parent_body != world) data.pA[c.parent_body] += f;
    }
    for (int j = 0; j < c.m; ++j) tau[model.y_index[c.y_begin + j]] = u[j];
}

/// The algorithm, after turn_joints(): τ [nv]. Without ydd, ÿ is zero; without wrenches none act.
template <class S>
[[gnu::always_inline]] inline void rnea_passes(const Model& model, Workspace<S>& data, const S* q,
                                               const S* yd, const S* ydd, const S* wrenches, S* tau) {
    const bool loaded = wrenches != nullptr;
    outward<S>(model, [&](auto kind, const Cluster& c, int k) {
        kind.rnea_forward(model, data, c, k, q, yd, ydd, loaded);
    });
    for (S& u : data.u) u = S{};
    apply_wrenches(model, data, q, wrenches, [&](const Cluster& c, const Rotor& rotor, const S& moment) {
        visit(c, [&](auto kind) { kind.rnea_rotor_moment(model, data, c, rotor, moment); });
    });
    inward<S>(model, [&](auto kind, const Cluster& c, int) {
        kind.rnea_backward(model, data, c, loaded, ydd, tau);
    });
}

template <class S>
void rnea(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd, const S* wrenches,
          S* tau) {
    turn_joints(model, data, q);
    rnea_passes(model, data, q, yd, ydd, wrenches, tau);
}

}  // namespace grbda::kernels
