#pragma once

#include "grbda/kernels/gyrostat.hpp"
#include "grbda/kernels/wrenches.hpp"

// C-RNEA: spanning-tree Newton–Euler with q̇ = G ẏ, q̈ = G ÿ + g, then τ = Gᵀ τ_s
// (Featherstone 2008, Table 5.1; URDF+ paper, Sec. IV). Gᵀ τ_s of a cluster is
// Σ J_iᵀ f_i over its bodies, with f_i the force through body i.

namespace grbda::kernels {

/// Forward over one cluster: a_i = a_λ + J_i ÿ + b_i, f_i = I_i a_i + v_i ×* I_i v_i. ydd null: ÿ = 0.
template <class S>
void newton_euler(const Model& model, Data<S>& data, const Cluster& c, const S* ydd) {
    S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j)
        y[j] = ydd ? ydd[model.y_index[static_cast<std::size_t>(c.y_begin + j)]] : S(0);
    const Motion<S> a_base = base_acceleration(model, data, c);
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S>& a = data.a[at];
        a = a_base + data.b[at];
        for (int j = 0; j < c.m; ++j) a += J[j] * y[j];
        const RigidInertia<S> I = inertia_of(model, data, i);
        const Motion<S>& v = data.v[at];
        data.pA[at] = I * a + cross(v, I * v);
    }
}

/// The same for a cluster of a single joint, with its positions and velocities.
template <class S>
void newton_euler_joint(const Model& model, Data<S>& data, const Cluster& c, const S* q, const S* yd,
                        const S* ydd) {
    const auto at = static_cast<std::size_t>(c.body_begin), y = static_cast<std::size_t>(c.y_begin);
    const JointSweep<S> x(model, data, c, q, joint_rates(model, data, c, yd));
    const RigidInertia<S> I = inertia_of(x.body, x.R, x.p);
    const S acceleration = ydd ? ydd[model.y_index[y]] : S(0);
    const Motion<S> a = data.a[static_cast<std::size_t>(c.parent_body)] + (x.b + x.s * acceleration);
    x.store(data, c);
    data.y_acceleration[y] = acceleration;
    data.a[at] = a;
    data.pA[at] = I * a + cross(x.v, I * x.v);
}

/// θ̈ of a row of G
template <class S>
S row_acceleration(const Data<S>& data, const Cluster& c, int dof) {
    const S* w = data.G.data() + c.G_begin + (dof - c.dof_begin) * c.m;
    S acceleration = bias_of(data, c, dof);
    for (int j = 0; j < c.m; ++j)
        acceleration += w[j] * data.y_acceleration[static_cast<std::size_t>(c.y_begin + j)];
    return acceleration;
}

/// Rotors and reflected inertias of a folded cluster: D0 ÿ into u, the rest through the parent body.
template <class S>
void folded_forces(const Model& model, Data<S>& data, const Cluster& c, S* u) {
    const S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j)
        for (int k = 0; k <= j; ++k) {
            const S D = constant_inertia<S>(model, c, j, k);
            u[j] += D * y[k];
            if (k != j) u[k] += D * y[j];
        }
    if (!c.spinning) return;
    const auto parent = static_cast<std::size_t>(c.parent_body);
    Vector3<S> momentum{S(0), S(0), S(0)}, rate = momentum;
    for (int j = 0; j < c.m; ++j) {
        const Vector3<S> h = folded_momentum(model, c, data.R[parent], j);
        u[j] += dot(h, data.a[parent].angular);
        momentum += h * data.y_rate[static_cast<std::size_t>(c.y_begin + j)];
        rate += h * y[j];
    }
    data.pA[parent].angular += rate + cross(data.v[parent].angular, momentum);
}

/// Rotors: the carrier's force, and the rotor's own row τ_r = J (a·α_p + θ̈) into u = Gᵀ τ_s.
template <class S>
void rotor_forces(const Model& model, Data<S>& data, const Cluster& c, S* u) {
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        const Gyrostat<S> r = gyrostat(model, data, c, *rotor);
        const S spin = row_acceleration(data, c, rotor->dof);
        S row = r.inertia * spin;
        if (rotor->carrier != world) {
            const auto p = static_cast<std::size_t>(rotor->carrier);
            row += dot(r.h, data.a[p].angular);
            data.pA[p] += gyroscopic_force(data, *rotor, r);
            data.pA[p].angular += r.h * spin;
        }
        for (int j = 0; j < c.m; ++j) u[j] += r.w[j] * row;
    }
}

/// Reflected inertias: j Gᵀ q̈ into u.
template <class S>
void armature_forces(const Model& model, const Data<S>& data, const Cluster& c, S* u) {
    if (!c.armature) return;
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) {
        const S j = S(model.armature[static_cast<std::size_t>(dof)]);
        const S* w = data.G.data() + c.G_begin + (dof - c.dof_begin) * c.m;
        const S force = j * row_acceleration(data, c, dof);
        for (int i = 0; i < c.m; ++i) u[i] += w[i] * force;
    }
}

/// Backward over one cluster: τ = Σ J_iᵀ f_i, f_λ += Σ f_i.
template <class S>
void project_forces(const Model& model, Data<S>& data, const Cluster& c, S* tau) {
    S* u = data.u.data() + c.y_begin;
    if (c.folded) {
        folded_forces(model, data, c, u);
    } else {
        rotor_forces(model, data, c, u);
        armature_forces(model, data, c, u);
    }
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Force<S>& f = data.pA[static_cast<std::size_t>(i)];
        const Motion<S>* J = jacobian_of(model, data, c, i);
        for (int j = 0; j < c.m; ++j) u[j] += dot(J[j], f);
        if (c.parent_body != world) data.pA[static_cast<std::size_t>(c.parent_body)] += f;
    }
    for (int j = 0; j < c.m; ++j) tau[model.y_index[static_cast<std::size_t>(c.y_begin + j)]] = u[j];
}

/// The same for a cluster of a single joint.
template <class S>
void project_joint_force(const Model& model, Data<S>& data, const Cluster& c, S* tau) {
    const auto y = static_cast<std::size_t>(c.y_begin), parent = static_cast<std::size_t>(c.parent_body);
    const Force<S>& f = data.pA[static_cast<std::size_t>(c.body_begin)];
    const S acceleration = data.y_acceleration[y];
    S u = data.u[y] + dot(data.s[static_cast<std::size_t>(c.dof_begin)], f) +
          S(model.D0[static_cast<std::size_t>(c.D_begin)]) * acceleration;
    Force<S> through = f;
    if (c.spinning) {
        const Vector3<S> h = folded_momentum(model, c, data.R[parent], 0);
        u += dot(h, data.a[parent].angular);
        through.angular += h * acceleration + cross(data.v[parent].angular, h * data.y_rate[y]);
    }
    data.pA[parent] += through;
    tau[model.y_index[y]] = u;
}

/// τ [nv]; ydd null: ÿ = 0; wrenches null: none.
template <class S>
void rnea(const Model& model, Data<S>& data, const S* q, const S* yd, const S* ydd, const S* wrenches,
          S* tau) {
    for (int i = 0; i < model.cluster_count(); ++i) {
        const Cluster& c = model.clusters[static_cast<std::size_t>(i)];
        if (c.joint) {
            newton_euler_joint(model, data, c, q, yd, ydd);
            continue;
        }
        cluster_positions(model, data, c, i, q);
        cluster_velocities(model, data, c, q, yd);
        newton_euler(model, data, c, ydd);
    }
    for (S& u : data.u) u = S(0);
    apply_wrenches(model, data, q, wrenches, -1);
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        if (c->joint)
            project_joint_force(model, data, *c, tau);
        else
            project_forces(model, data, *c, tau);
    }
}

}  // namespace grbda::kernels
