#pragma once

#include "kernels/body/configuration.hpp"
#include "kernels/constraint/embedding.hpp"

// Passive forces: on each spanning joint, its spring, damper and dry friction, and the tendons along it; on
// bodies, gravity compensation. Then τ = Gᵀ τ_s + Σ J_iᵀ f_i.

namespace grbda::kernels {

/// Returns the direction of dry friction, which exists only for rates above their rounding.
template <class S>
S sign_of(const S& x, double rounding = 0) {
    return S((value_of(x) > rounding ? 1 : 0) - (value_of(x) < -rounding ? 1 : 0));
}

/// The axes along which dry friction acts on the origin of a floating joint. They are the axes of its
/// position in q, in the child's axes: columns of Rᵀ. The rate along them is R times the linear part of q̇.
template <class S>
struct SlidingFriction {
    Matrix3<S> R;
    S sign[3];

    SlidingFriction(const S* q, const S* qd) : R(rotation_of_quaternion(q + 3)) {
        const Vector3<S> v{qd[0], qd[1], qd[2]}, rate = R * v;
        const double rounding = 1e-15 * std::sqrt(value_of(dot(v, v)));
        sign[0] = sign_of(rate.x, rounding);
        sign[1] = sign_of(rate.y, rounding);
        sign[2] = sign_of(rate.z, rounding);
    }
    /// Returns axis k, in the child.
    Vector3<S> direction(int k) const {
        const S unit[3] = {S(k == 0 ? 1 : 0), S(k == 1 ? 1 : 0), S(k == 2 ? 1 : 0)};
        return transpose_times(R, Vector3<S>{unit[0], unit[1], unit[2]}) * sign[k];
    }
};

/// Subtracts the dry friction of a joint from its forces.
template <class S>
void subtract_friction(const Body& body, const std::vector<double>& friction, const S* q, const S* qd,
                       S* force) {
    const double* const f = friction.data() + body.v;
    int k = 0;
    if (body.joint == JointType::floating && (f[0] != 0 || f[1] != 0 || f[2] != 0)) {
        const SlidingFriction<S> sliding(q, qd);
        for (; k < 3; ++k) {
            const Vector3<S> along = sliding.direction(k);
            force[0] -= S(f[k]) * along.x;
            force[1] -= S(f[k]) * along.y;
            force[2] -= S(f[k]) * along.z;
        }
    }
    for (; k < velocity_size(body.joint); ++k) force[k] -= S(f[k]) * sign_of(qd[k]);
}

/// Computes −k (q − rest) on each coordinate. For a quaternion it is the rotation vector from rest, in the
/// child's axes; for a floating joint also the displacement of its origin, rotated into them. These are the
/// negative gradients of ½ k angle² and ½ k displacement².
template <class S>
void spring_forces(const Body& body, const PassiveForces& passive, const S* q, S* force) {
    const double* k = passive.stiffness.data() + body.v;
    const double* rest = passive.rest.data() + body.q;
    if (!has_quaternion(body.joint)) {
        for (int j = 0; j < velocity_size(body.joint); ++j) force[j] = S(-k[j]) * (q[j] - S(rest[j]));
        return;
    }
    if (body.joint == JointType::floating) {
        const Vector3<S> displacement{q[0] - S(rest[0]), q[1] - S(rest[1]), q[2] - S(rest[2])};
        const Vector3<S> pull = transpose_times(rotation_of_quaternion(q + 3), displacement);
        force[0] = S(-k[0]) * pull.x;
        force[1] = S(-k[1]) * pull.y;
        force[2] = S(-k[2]) * pull.z;
        force += 3;
        rest += 3;
        q += 3;
        k += 3;
    }
    const S slack[4] = {S(rest[0]), S(rest[1]), S(rest[2]), S(rest[3])};
    const Vector3<S> turn = quaternion_difference(slack, q);
    force[0] = S(-k[0]) * turn.x;
    force[1] = S(-k[1]) * turn.y;
    force[2] = S(-k[2]) * turn.z;
}

inline bool has_spring(const Body& body, const std::vector<double>& stiffness) {
    for (int j = body.v; j < body.v + velocity_size(body.joint); ++j)
        if (stiffness[static_cast<std::size_t>(j)] != 0) return true;
    return false;
}

/// Returns the tension of a tendon at its length and rate.
template <class S>
S tension(const Tendon& tendon, const S& length, const S& rate) {
    S force = S(-tendon.damping) * rate - S(tendon.friction) * sign_of(rate);
    if (value_of(length) > tendon.rest_upper) force += S(tendon.stiffness) * (S(tendon.rest_upper) - length);
    if (value_of(length) < tendon.rest_lower) force += S(tendon.stiffness) * (S(tendon.rest_lower) - length);
    return force;
}

/// Computes τ_s [nv_tree] in the user's order.
template <class S>
void spanning_forces(const Model& model, const S* q, const S* qd, S* force) {
    const PassiveForces& passive = model.passive;
    for (int j = 0; j < model.nv_tree; ++j) force[j] = S(0);
    for (const Body& body : model.bodies)
        if (has_spring(body, passive.stiffness)) spring_forces(body, passive, q + body.q, force + body.v);
    for (int j = 0; j < model.nv_tree; ++j) {
        const auto at = static_cast<std::size_t>(j);
        force[j] -= S(passive.damping[at]) * qd[j];
    }
    for (const Body& body : model.bodies)
        subtract_friction(body, passive.friction, q + body.q, qd + body.v, force + body.v);
    for (const Tendon& tendon : passive.tendons) {
        const TendonTerm* const begin = passive.terms.data() + tendon.terms.first;
        const TendonTerm* const end = passive.terms.data() + tendon.terms.last;
        S length(0), rate(0);
        for (const TendonTerm* term = begin; term != end; ++term) {
            length += S(term->coefficient) * q[term->q];
            rate += S(term->coefficient) * qd[term->v];
        }
        const S pull = tension(tendon, length, rate);
        for (const TendonTerm* term = begin; term != end; ++term)
            force[term->v] += S(term->coefficient) * pull;
    }
}

/// Adds the forces of gravity compensation, through each body, to u, after positions().
template <class S>
void carry_weights(const Model& model, Workspace<S>& data) {
    for (Force<S>& f : data.pA) f = Force<S>{};
    const Vector3<S> up = -model.gravity.cast<S>();
    for (const CarriedWeight& weight : model.passive.weights) {
        const auto at = static_cast<std::size_t>(weight.body);
        const Vector3<S> moment = data.p[at] * S(weight.mass) + data.R[at] * weight.moment.cast<S>();
        data.pA[at] += Force<S>{up * S(weight.mass), cross(moment, up)};
    }
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c)
        for (const int i : c->bodies) {
            const Force<S>& f = data.pA[i];
            const Motion<S>* J = jacobian_of(model, data, *c, i);
            for (int j = 0; j < c->m; ++j) data.u[c->y_begin + j] += dot(J[j], f);
            if (c->parent_body != world) data.pA[c->parent_body] += f;
        }
}

/// Computes τ [nv]. `force` [nv_tree] becomes τ_s.
template <class S>
void joint_forces(const Model& model, Workspace<S>& data, const S* q, const S* qd, S* force, S* tau) {
    positions(model, data, q);
    spanning_forces(model, q, qd, force);
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            S& u = data.u[c.y_begin + j];
            u = S(0);
            for (int i = 0; i < c.dofs; ++i)
                u += embedding_entry(model, data, c, i, j) * force[model.v_index[c.dof_begin + i]];
        }
    if (!model.passive.weights.empty()) carry_weights(model, data);
    for (std::size_t i = 0; i < model.y_index.size(); ++i) tau[model.y_index[i]] = data.u[i];
}

}  // namespace grbda::kernels
