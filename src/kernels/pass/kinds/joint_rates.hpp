#pragma once

#include "floating_base.hpp"
#include "kernels/pass/aba.hpp"

// Velocities of joints and forces on them, between steps 1 and 2 of ABA.

namespace grbda::kernels {

/// Returns q̇ of a velocity in pass order, after step 1.
template <class S>
S joint_rate(const Model& model, const Workspace<S>& data, int dof) {
    const Cluster& c = model.clusters[model.bodies[model.dof_body[dof]].cluster];
    if (c.kind == ClusterKind::rows) return data.rate[dof];
    if (c.kind == ClusterKind::floating_base) return FloatingBase::rate(data, c, dof - c.dof_begin);
    S sum(0);
    for (int j = 0; j < c.m; ++j)
        sum += embedding_entry(model, data, c, dof - c.dof_begin, j) * data.y_rate[c.y_begin + j];
    return sum;
}

/// u += Gᵀ τ_s. Clusters whose rows are passed on take the forces on the joints themselves.
template <class S>
void apply_joint_forces(const Model& model, Workspace<S>& data, const JointForces<S>& tau_s) {
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

}  // namespace grbda::kernels
