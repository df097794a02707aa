#pragma once

#include "grbda/kernels/gyrostat.hpp"
#include "grbda/kernels/sizes.hpp"
#include "grbda/kernels/wrenches.hpp"

// C-RNEA: spanning-tree Newton–Euler with q̇ = G ẏ, q̈ = G ÿ + g, then τ = Gᵀ τ_s
// (Featherstone 2008, Table 5.1; URDF+ paper, Sec. IV). Gᵀ τ_s of a cluster is
// Σ J_iᵀ f_i over its bodies, with f_i the force through body i.

namespace grbda::kernels {

/// Force on a body: Newton's law at its centre of mass c, Euler's about it.
template <class S>
[[gnu::always_inline]] inline Force<S> newton_euler(const Body& body, const Matrix3<S>& R,
                                                    const Vector3<S>& p, const Motion<S>& v,
                                                    const Motion<S>& a) {
    const Vector3<S>&omega = v.angular, &alpha = a.angular;
    const Vector3<S> c = p + R * body.com.cast<S>();
    const Vector3<S> middle = R * body.middle.cast<S>(), largest = R * body.largest.cast<S>();
    const Vector3<S> force =
        (a.linear + cross(alpha, c) + cross(omega, v.linear + cross(omega, c))) * S(body.mass);
    const Vector3<S> momentum =
        middle * dot(middle, omega) + largest * dot(largest, omega);  // but for ω's own
    const Vector3<S> change = alpha * S(body.inertia) + middle * dot(middle, alpha) +
                              largest * dot(largest, alpha) + cross(omega, momentum);
    return {force, change + cross(c, force)};
}

/// Forward over one cluster: a_i = a_λ + J_i ÿ + b_i, f_i = I_i a_i + v_i ×* I_i v_i. ydd null: ÿ = 0.
template <class S>
void cluster_forces(const Model& model, Data<S>& data, const Cluster& c, const S* ydd) {
    S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j)
        y[j] = ydd ? ydd[model.y_index[static_cast<std::size_t>(c.y_begin + j)]] : S(0);
    const Motion<S> a_base = base_acceleration(model, data, c);
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Body& body = model.bodies[at];
        data.pA[at] = Force<S>{};
        if (body.light) continue;
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S> a = a_base + data.b[at];
        for (int j = 0; j < c.m; ++j) a += J[j] * y[j];
        data.a[at] = a;
        data.pA[at] = newton_euler(body, data.R[at], data.p[at], data.v[at], a);
    }
}

/// The same for one body of a joint cluster, with its position and velocity.
template <class S>
void joint_force(const Model& model, Data<S>& data, int i, const S* yd, const S* ydd) {
    const auto at = static_cast<std::size_t>(i);
    const JointPlace<S> x(model, data, i);
    const auto y = static_cast<std::size_t>(x.body.y);
    const S rate = yd[model.y_index[y]];
    const JointMotion<S> motion(data, x, rate);
    const S acceleration = ydd ? ydd[model.y_index[y]] : S(0);
    const Motion<S> a = data.a[static_cast<std::size_t>(x.body.parent)] + (motion.b + x.s * acceleration);
    x.store(data, i);
    data.v[at] = motion.v;
    data.a[at] = a;
    data.y_rate[y] = rate;
    data.y_acceleration[y] = acceleration;
    data.pA[at] = newton_euler(x.body, x.R, x.p, motion.v, a);
}

/// The same for a floating base on the world, with its position and velocity.
template <class S>
void floating_base_force(const Model& model, Data<S>& data, const Cluster& c, const S* q, const S* yd,
                         const S* ydd) {
    const auto at = static_cast<std::size_t>(c.body_begin);
    place_floating_base(model, data, c, q);
    move_floating_base(model, data, c, yd);
    Motion<S> a = gravity_acceleration<S>(model);
    if (ydd) a += floating_twist(model, data, c, ydd);
    data.a[at] = a;
    data.pA[at] = newton_euler(model.bodies[at], data.R[at], data.p[at], data.v[at], a);
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
template <int M, class S>
void folded_forces(const Model& model, Data<S>& data, const Cluster& c, S* u) {
    const int m = M > 0 ? M : c.m;
    const S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k <= j; ++k) {
            const S D = S(model.D0[static_cast<std::size_t>(c.D_begin + j * m + k)]);
            u[j] += D * y[k];
            if (k != j) u[k] += D * y[j];
        }
    if (!c.spinning) return;
    const auto parent = static_cast<std::size_t>(c.parent_body);
    Vector3<S> momentum{S(0), S(0), S(0)}, rate = momentum;
    for (int j = 0; j < m; ++j) {
        const Vector3<S> h = folded_momentum(model, data, c, j);
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

/// Backward over one cluster: τ = Σ J_iᵀ f_i, f_λ += Σ f_i. Light bodies bear forces only if `loaded`.
template <class S>
void project_forces(const Model& model, Data<S>& data, const Cluster& c, bool loaded, S* tau) {
    S* u = data.u.data() + c.y_begin;
    if (c.folded) {
        folded_forces<0>(model, data, c, u);
    } else {
        rotor_forces(model, data, c, u);
        armature_forces(model, data, c, u);
    }
    if (c.turning_armature) turning_forces(model, data, c, 1, u);
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        if (model.bodies[static_cast<std::size_t>(i)].light && !loaded) continue;
        const Force<S>& f = data.pA[static_cast<std::size_t>(i)];
        const Motion<S>* J = jacobian_of(model, data, c, i);
        for (int j = 0; j < c.m; ++j) u[j] += dot(J[j], f);
        if (c.parent_body != world) data.pA[static_cast<std::size_t>(c.parent_body)] += f;
    }
    for (int j = 0; j < c.m; ++j) tau[model.y_index[static_cast<std::size_t>(c.y_begin + j)]] = u[j];
}

/// The same for a joint cluster: τ_i = s_iᵀ f_i, and f_i on to the body before.
template <class S>
void project_joint_forces(const Model& model, Data<S>& data, const Cluster& c, S* tau) {
    with_size(c.m, [&](auto m) { folded_forces<m()>(model, data, c, data.u.data() + c.y_begin); });
    for (int i = c.rotor_begin - 1; i >= c.body_begin; --i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        const auto y = static_cast<std::size_t>(body.y);
        const Force<S>& f = data.pA[static_cast<std::size_t>(i)];
        tau[model.y_index[y]] = data.u[y] + dot(data.s[static_cast<std::size_t>(body.dof)], f);
        data.pA[static_cast<std::size_t>(body.parent)] += f;
    }
}

/// The same for a floating base on the world: force and moment in its own axes, and its armature.
template <class S>
void project_floating_base(const Model& model, Data<S>& data, const Cluster& c, const S* ydd, S* tau) {
    const auto at = static_cast<std::size_t>(c.body_begin);
    const int* y = model.y_index.data() + c.y_begin;
    if (c.turning_armature) data.pA[at].linear += turning_force(model, data, c);
    const Vector3<S> force = transpose_times(data.R[at], data.pA[at].linear),
                     moment = transpose_times(data.R[at], data.pA[at].angular);
    const S own[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    const S armature = S(model.armature[static_cast<std::size_t>(c.dof_begin)]);
    for (int j = 0; j < 6; ++j)
        tau[y[j]] = ydd && c.turning_armature ? S(own[j] + armature * ydd[y[j]]) : own[j];
}

/// τ [nv]; ydd null: ÿ = 0; wrenches null: none.
template <class S>
void rnea(const Model& model, Data<S>& data, const S* q, const S* yd, const S* ydd, const S* wrenches,
          S* tau) {
    turn_joints(model, data, q);
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[static_cast<std::size_t>(k)];
        if (c.joint_cluster) {
            for (int i = c.body_begin; i < c.rotor_begin; ++i) joint_force(model, data, i, yd, ydd);
            continue;
        }
        if (c.floating) {
            floating_base_force(model, data, c, q, yd, ydd);
            continue;
        }
        cluster_positions(model, data, c, k, q);
        cluster_velocities(model, data, c, q, yd);
        cluster_forces(model, data, c, ydd);
    }
    for (S& u : data.u) u = S(0);
    apply_wrenches(model, data, q, wrenches, -1);
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        if (c->joint_cluster)
            project_joint_forces(model, data, *c, tau);
        else if (c->floating)
            project_floating_base(model, data, *c, ydd, tau);
        else
            project_forces(model, data, *c, wrenches != nullptr, tau);
    }
}

}  // namespace grbda::kernels
