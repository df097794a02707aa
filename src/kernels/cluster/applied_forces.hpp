#pragma once

#include "grbda/model/applied_forces.hpp"
#include "joint_forces.hpp"

// Forces that act on a robot in a step of a solver: τ = Gᵀ (motors + springs and dampers) + Σ Jᵀ f. Unlike
// joint_forces() they have derivatives everywhere, because dry friction is omitted.

namespace grbda::kernels {

/// Returns a joint with a spring about three axes, whose force is not a sum over coordinates; −1 if there is
/// none.
inline int joint_with_turning_spring(const Model& model) {
    for (int i = 0; i < model.body_count(); ++i)
        if (has_quaternion(model.bodies[i].joint) && has_spring(model.bodies[i], model.passive.stiffness))
            return i;
    return -1;
}

/// Returns the tension of a tendon without its dry friction.
template <class S>
S smooth_tension(const Tendon& tendon, const S& length, const S& rate) {
    const S slack = scalar::min(S(S(tendon.rest_upper) - length), S(0.)) -
                    scalar::min(S(length - S(tendon.rest_lower)), S(0.));
    return S(tendon.stiffness) * slack - S(tendon.damping) * rate;
}

/// Adds springs, dampers and tendons to `force` [nv_tree]; it and q̇ `qd` are in the user's order.
template <class S>
void add_smooth_forces(const Model& model, const S* q, const S* qd, S* force) {
    const PassiveForces& passive = model.passive;
    for (const Body& body : model.bodies)
        for (int j = 0; j < velocity_size(body.joint); ++j) {
            const auto v = static_cast<std::size_t>(body.v + j);
            if (const double k = passive.stiffness[v]; k != 0 && !has_quaternion(body.joint))
                force[v] -= S(k) * (q[body.q + j] - S(passive.rest[static_cast<std::size_t>(body.q + j)]));
            if (passive.damping[v] != 0) force[v] -= S(passive.damping[v]) * qd[v];
        }
    for (const Tendon& tendon : passive.tendons) {
        S length(0.), rate(0.);
        for (int i = tendon.terms.first; i < tendon.terms.last; ++i) {
            const TendonTerm& term = passive.terms[static_cast<std::size_t>(i)];
            length += S(term.coefficient) * q[term.q];
            rate += S(term.coefficient) * qd[term.v];
        }
        const S pull = smooth_tension(tendon, length, rate);
        for (int i = tendon.terms.first; i < tendon.terms.last; ++i) {
            const TendonTerm& term = passive.terms[static_cast<std::size_t>(i)];
            force[term.v] += S(term.coefficient) * pull;
        }
    }
}

/// Computes τ [nv] after positions(). `scratch` [2 nv_tree].
template <class S>
void applied_forces(const Model& model, Workspace<S>& data, const AppliedForces& applied, const S* q,
                    const S* yd, const S* u, S* scratch, S* tau) {
    S *qd = scratch, *force = scratch + model.nv_tree;
    for (int v = 0; v < model.nv_tree; ++v) force[v] = S(0.);
    for (const Cluster& c : model.clusters)
        for (int i = 0; i < c.dofs && applied.joint_forces; ++i) {
            S sum(0.);
            for (int j = 0; j < c.m; ++j)
                sum += embedding_entry(model, data, c, i, j) * yd[model.y_index[c.y_begin + j]];
            qd[model.v_index[c.dof_begin + i]] = sum;
        }
    if (applied.joint_forces) add_smooth_forces(model, q, qd, force);
    for (std::size_t m = 0; m < applied.motors.size(); ++m)
        force[model.v_index[applied.motors[m].dof]] += S(applied.motors[m].reduction) * u[m];
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            S& sum = data.u[c.y_begin + j];
            sum = S(0.);
            for (int i = 0; i < c.dofs; ++i)
                sum += embedding_entry(model, data, c, i, j) * force[model.v_index[c.dof_begin + i]];
        }
    if (applied.joint_forces && !model.passive.weights.empty()) carry_weights(model, data);
    for (std::size_t i = 0; i < model.y_index.size(); ++i) {
        const int y = model.y_index[i];
        tau[y] = applied.has_motors() ? data.u[i] : S(data.u[i] + u[y]);
    }
}

}  // namespace grbda::kernels
