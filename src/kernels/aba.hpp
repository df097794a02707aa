#pragma once

#include "grbda/export.hpp"
#include "kernels/kinds/visit.hpp"
#include "wrenches.hpp"

// C-ABA (Chignoli et al. 2023, Sec. IV; Featherstone 2008, Table 7.1), with two
// savings. The articulated inertia of a cluster is block diagonal by body, since
// each child cluster hangs on one body, so 6n × 6n matrices are never formed.
// And the recursion solves only for what ÿ adds: the forward pass computes the
// forces p at ÿ = 0 with rigid inertias, as RNEA does, so biases need no
// articulated inertia.

namespace grbda::kernels {

/// Forward over all clusters: ÿ from D and u.
template <class S>
void accelerate_clusters(const Model& model, Data<S>& data, S* ydd) {
    outward<S>(model, [&](auto kind, const Cluster& c, int) { kind.aba_accelerate(model, data, c, ydd); });
}

/// q̇ of a velocity in pass order, after aba_forward() with ẏ.
template <class S>
S joint_rate(const Model& model, const Data<S>& data, int dof) {
    const Cluster& c = model.clusters[model.bodies[model.dof_body[dof]].cluster];
    if (c.kind == ClusterKind::rows) return data.rate[dof];
    if (c.kind == ClusterKind::floating_base) return FloatingBase::rate(data, c, dof - c.dof_begin);
    S sum(0);
    for (int j = 0; j < c.m; ++j)
        sum += embedding_entry(model, data, c, dof - c.dof_begin, j) * data.y_rate[c.y_begin + j];
    return sum;
}

/// Forces of joints in the user's order [nv_tree]: `constant` − `damping` q̇; damping null: none.
template <class S>
struct JointForces {
    const S* constant;
    const S* damping;
};

/// u += Gᵀ τ_s; for rows that are passed to the parent, on the joints themselves.
template <class S>
void apply_joint_forces(const Model& model, Data<S>& data, const JointForces<S>& tau_s) {
    for (const Cluster& c : model.clusters)
        for (int i = 0; i < c.dofs; ++i) {
            const int dof = c.dof_begin + i, v = model.v_index[dof];
            S force = tau_s.constant[v];
            if (tau_s.damping) force -= tau_s.damping[v] * joint_rate(model, data, dof);
            if (c.kind == ClusterKind::rows) {
                data.force[dof] += force;
            } else if (c.embedding == Embedding::none) {
                data.u[c.y_begin + i] += force;
            } else {
                for (int j = 0; j < c.m; ++j)
                    data.u[c.y_begin + j] += embedding_entry(model, data, c, i, j) * force;
            }
        }
}

/// ÿ [nv], after turn_joints(); wrenches and forces of all joints null: none. `whole`: what follows reads
/// more of the bodies than ÿ takes.
template <class S>
[[gnu::always_inline]] inline void aba_passes(const Model& model, Data<S>& data, const S* q, const S* yd,
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
GRBDA_EXPORT void aba(const Model& model, Data<S>& data, const S* q, const S* yd, const S* tau,
                      const S* wrenches, S* ydd, bool whole = false, const JointForces<S>* tau_s = nullptr) {
    turn_joints(model, data, q);
    aba_passes(model, data, q, yd, tau, wrenches, ydd, whole, tau_s);
}

// Compiled once for all, in src/kernels/.
extern template void aba(const Model&, Data<double>&, const double*, const double*, const double*,
                         const double*, double*, bool, const JointForces<double>*);

}  // namespace grbda::kernels
