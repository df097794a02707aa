#pragma once

#include "grbda/kernels/crba.hpp"
#include "grbda/kernels/wrenches.hpp"

// C-ABA (Chignoli et al. 2023, Sec. IV; Featherstone 2008, Table 7.1), with two
// savings. The articulated inertia of a cluster is block diagonal by body, since
// each child cluster hangs on one body, so 6n × 6n matrices are never formed.
// And the recursion solves only for what ÿ adds: the forward sweep computes the
// forces p at ÿ = 0 with rigid inertias, as RNEA does, so biases need no
// articulated inertia.

namespace grbda::kernels {

/// Force I a + v ×* I v that moves a body with inertia I.
template <class S>
[[gnu::always_inline]] inline Force<S> moving_force(const RigidInertia<S>& I, const Motion<S>& v,
                                                    const Motion<S>& a) {
    const Vector3<S>&omega = v.angular, &alpha = a.angular;
    const Vector3<S> point = a.linear + cross(omega, v.linear);  // acceleration of the point at the origin
    return {point * I.mass + cross(alpha, I.h) + cross(omega, cross(omega, I.h)),
            I.angular * alpha + cross(omega, I.angular * omega) + cross(I.h, point)};
}

/// IA = I, or of leaves I alone, a⁰ = a⁰_λ + b and p = I a⁰ + v ×* I v of the bodies of one cluster.
template <class S>
void forces_at_rest(const Model& model, Data<S>& data, const Cluster& c, bool loaded) {
    const Motion<S> base = c.parent_body == world ? gravity_acceleration<S>(model)
                                                  : data.a0[static_cast<std::size_t>(c.parent_body)];
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Body& body = model.bodies[at];
        if (body.light) {
            if (!loaded) continue;
            data.I[at] = RigidInertia<S>{};
            data.pA[at] = Force<S>{};
            continue;
        }
        const RigidInertia<S> I = inertia_of(model, data, i);
        const Motion<S> a0 = base + data.b[at];
        data.a0[at] = a0;
        if (body.leaf)
            data.I[at] = I;
        else
            data.IA[at] = articulated(I);
        data.pA[at] = moving_force(I, data.v[at], a0);
    }
}

/// The same for a floating base on the world, with its position and velocity.
template <class S>
void sweep_floating_base(const Model& model, Data<S>& data, const Cluster& c, const S* q, const S* yd) {
    const auto at = static_cast<std::size_t>(c.body_begin);
    place_floating_base(model, data, c, q);
    move_floating_base(model, data, c, yd);
    const RigidInertia<S> I = inertia_of(model, data, c.body_begin);
    data.a0[at] = gravity_acceleration<S>(model);
    data.IA[at] = articulated(I);
    data.pA[at] = moving_force(I, data.v[at], data.a0[at]);
}

/// Position, velocity and force at ÿ = 0 of one body of a joint cluster.
template <class S>
void sweep_joint(const Model& model, Data<S>& data, int i, const S* yd) {
    const auto at = static_cast<std::size_t>(i);
    const JointPlace<S> x(model, data, i);
    const auto y = static_cast<std::size_t>(x.body.y);
    const S rate = yd[model.y_index[y]];
    const JointMotion<S> motion(data, x, rate);
    const RigidInertia<S> I = inertia_of(x.body, x.R, x.p);
    const Motion<S> a0 = data.a0[static_cast<std::size_t>(x.body.parent)] + motion.b;
    x.store(data, i);
    data.y_rate[y] = rate;
    data.v[at] = motion.v;
    data.a0[at] = a0;
    data.IA[at] = articulated(I);
    data.pA[at] = moving_force(I, motion.v, a0);
}

/// J of a joint cluster of several bodies: s of the joints on the way to each body.
template <class S>
void joint_jacobians(const Model& model, Data<S>& data, const Cluster& c) {
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        Motion<S>* J = data.J.data() + c.J_begin + (i - c.body_begin) * c.m;
        const Motion<S>* parent = body.parent == c.parent_body ? nullptr : J - (i - body.parent) * c.m;
        for (int j = 0; j < c.m; ++j) J[j] = parent ? parent[j] : Motion<S>{};
        J[body.y - c.y_begin] = data.s[static_cast<std::size_t>(body.dof)];
    }
}

/// Rotors of a cluster that is not folded into D, W, u and the forces of their carriers.
template <int M, class S>
void articulate_rotors(const Model& model, Data<S>& data, const Cluster& c, S* D, Force<S>* W, S* u) {
    const int m = M > 0 ? M : c.m;
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        const Gyrostat<S> r = gyrostat(model, data, c, *rotor);
        const S g = bias_of(data, c, rotor->dof);
        S row = r.inertia * g;
        if (rotor->carrier != world) {
            const auto p = static_cast<std::size_t>(rotor->carrier);
            data.pA[p] += gyroscopic_force(data, *rotor, r);
            data.pA[p].angular += r.h * g;
            row += dot(r.h, data.a0[p].angular);
        }
        for (int j = 0; j < m; ++j) u[j] -= r.w[j] * row;
        add_rotor(r, m, D, W);
    }
}

/// The same for a folded cluster: the parent body carries all rotors that are not in the world.
template <int M, class S>
[[gnu::always_inline]] inline void articulate_folded_rotors(const Model& model, Data<S>& data,
                                                            const Cluster& c, Force<S>* W, S* u) {
    const int m = M > 0 ? M : c.m;
    const auto parent = static_cast<std::size_t>(c.parent_body);
    Vector3<S> momentum{S(0), S(0), S(0)};
    for (int j = 0; j < m; ++j) {
        const Vector3<S> h = folded_momentum(model, data, c, j);
        W[j].angular = h;
        u[j] -= dot(h, data.a0[parent].angular);
        momentum += h * data.y_rate[static_cast<std::size_t>(c.y_begin + j)];
    }
    data.pA[parent].angular += cross(data.v[parent].angular, momentum);
}

/// Bias of the reflected inertias, j Gᵀ g, into u.
template <class S>
void armature_bias(const Model& model, const Data<S>& data, const Cluster& c, S* u) {
    if (!c.armature || c.embedding != Embedding::implicit) return;
    for (int i = 0; i < c.dofs; ++i) {
        const auto dof = static_cast<std::size_t>(c.dof_begin + i);
        const S force = S(model.armature[dof]) * data.g[dof];
        for (int j = 0; j < c.m; ++j)
            u[j] -= data.G[static_cast<std::size_t>(c.G_begin + i * c.m + j)] * force;
    }
}

/// One body of a cluster, with its inertia, into D, u, W and the body that the cluster hangs on.
template <int M, class S, class Inertia>
[[gnu::always_inline]] inline void articulate_body(const Model& model, Data<S>& data, const Cluster& c, int i,
                                                   const Inertia& I, S* D, S* u, Force<S>* W) {
    const int m = M > 0 ? M : c.m;
    const Motion<S>* J = jacobian_of(model, data, c, i);
    const Force<S>& pA = data.pA[static_cast<std::size_t>(i)];
    Force<S>* U = data.U.data();
    for (int j = 0; j < m; ++j) {
        U[j] = I * J[j];
        for (int k = 0; k <= j; ++k) D[j * m + k] += dot(J[k], U[j]);
        u[j] -= dot(J[j], pA);
        W[j] += U[j];
    }
    if (c.parent_body == world) return;
    data.IA[static_cast<std::size_t>(c.parent_body)] += I;
    data.pA[static_cast<std::size_t>(c.parent_body)] += pA;
}

/// Backward over one cluster, from its bodies' IA or I and pA to those of the body that it hangs on.
template <int M, class S>
void articulate(const Model& model, Data<S>& data, const Cluster& c, int cluster, bool loaded) {
    const int m = M > 0 ? M : c.m;
    S* D = data.D.data() + c.D_begin;
    S* u = data.u.data() + c.y_begin;
    Force<S>* W = data.W.data() + c.W_begin;
    for (int j = 0; j < m; ++j) {
        W[j] = Force<S>{};
        for (int k = 0; k <= j; ++k) D[j * m + k] = constant_inertia<S>(model, c, j, k);
    }
    if (c.spinning) articulate_folded_rotors<M>(model, data, c, W, u);
    if (!c.folded) {
        articulate_rotors<M>(model, data, c, D, W, u);
        armature_bias(model, data, c, u);
        add_armature(model, data, c, D);
    }
    if (c.turning_armature) turning_forces(model, data, c, -1, u);

    const bool rooted = c.parent_body == world;
    const auto parent = static_cast<std::size_t>(c.parent_body);
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (model.bodies[at].light && !loaded) continue;
        if (model.bodies[at].leaf)
            articulate_body<M>(model, data, c, i, data.I[at], D, u, W);
        else
            articulate_body<M>(model, data, c, i, data.IA[at], D, u, W);
    }

    data.margin[static_cast<std::size_t>(cluster)] =
        factor_symmetric<M>(D, m, model.inertia_floor.data() + c.y_begin);
    solve_lower<M>(D, m, u);
    if (rooted) return;
    solve_lower<M>(D, m, W);
    for (int j = 0; j < m; ++j) {  // IA_λ −= W D⁻¹ Wᵀ, p_λ += W D⁻¹ u
        const S inverse = D[j * m + j];
        data.IA[parent].subtract_outer(W[j], inverse);
        data.pA[parent] += W[j] * S(inverse * u[j]);
    }
}

/// The same for a joint cluster of one body: s, D and u are one column.
template <class S>
void articulate_joint(const Model& model, Data<S>& data, const Cluster& c, int cluster) {
    const auto at = static_cast<std::size_t>(c.body_begin), y = static_cast<std::size_t>(c.y_begin);
    const auto parent = static_cast<std::size_t>(c.parent_body);
    Force<S> W{};
    S D = S(model.D0[static_cast<std::size_t>(c.D_begin)]), u = data.u[y];
    if (c.spinning) articulate_folded_rotors<1>(model, data, c, &W, &u);
    const ArticulatedInertia<S>& IA = data.IA[at];
    const Force<S>& pA = data.pA[at];
    const Motion<S>& s = data.s[static_cast<std::size_t>(c.dof_begin)];
    const Force<S> U = IA * s;
    D += dot(s, U);
    u -= dot(s, pA);
    W += U;
    const S inverse = S(1) / D;
    data.margin[static_cast<std::size_t>(cluster)] = D - pivot_floor<S>(model.inertia_floor[y]);
    data.D[static_cast<std::size_t>(c.D_begin)] = inverse;
    data.u[y] = u;
    data.W[static_cast<std::size_t>(c.W_begin)] = W;
    data.IA[parent].add_minus_outer(IA, W, inverse);
    data.pA[parent] += pA + W * S(inverse * u);
}

/// D of the floating base that a branch hangs on. The common frame has its origin there, so the columns of S
/// are the body's axes twice and D = Sᵀ IA S is IA itself, in other axes: factored in the common frame.
template <class S>
void factor_floating_base(const Model& model, Data<S>& data, const Cluster& c, int cluster) {
    const auto at = static_cast<std::size_t>(c.body_begin);
    const auto& [M, H, J] = data.IA[at];
    const S armature = S(model.armature[static_cast<std::size_t>(c.dof_begin)]);
    const S lower[6][6] = {{M.xx},
                           {M.xy, M.yy},
                           {M.xz, M.yz, M.zz},
                           {H.x.x, H.x.y, H.x.z, J.xx},
                           {H.y.x, H.y.y, H.y.z, J.xy, J.yy},
                           {H.z.x, H.z.y, H.z.z, J.xz, J.yz, J.zz}};
    S* D = data.D.data() + c.D_begin;
    for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < i; ++j) D[i * 6 + j] = lower[i][j];
        D[i * 7] = lower[i][i] + armature;
    }
    data.margin[static_cast<std::size_t>(cluster)] =
        factor_symmetric<6>(D, 6, model.inertia_floor.data() + c.y_begin);
}

/// Its acceleration, from its force u in its own axes and the force pA of what hangs on it.
template <class S>
void accelerate_floating_base(const Model& model, Data<S>& data, const Cluster& c, S* ydd) {
    const auto at = static_cast<std::size_t>(c.body_begin);
    const S* tau = data.u.data() + c.y_begin;
    const int* y = model.y_index.data() + c.y_begin;
    const S* D = data.D.data() + c.D_begin;
    const Matrix3<S>& R = data.R[at];
    const Force<S> f =
        Force<S>{R * Vector3<S>{tau[0], tau[1], tau[2]}, R * Vector3<S>{tau[3], tau[4], tau[5]}} -
        data.pA[at];
    S a[6] = {f.linear.x, f.linear.y, f.linear.z, f.angular.x, f.angular.y, f.angular.z};
    solve_lower<6>(D, 6, a);
    for (int j = 0; j < 6; ++j) a[j] = a[j] * D[j * 7];
    solve_upper<6>(D, 6, a);
    const Motion<S> acceleration{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    const Vector3<S> linear = transpose_times(R, acceleration.linear),
                     angular = transpose_times(R, acceleration.angular);
    ydd[y[0]] = linear.x;
    ydd[y[1]] = linear.y;
    ydd[y[2]] = linear.z;
    ydd[y[3]] = angular.x;
    ydd[y[4]] = angular.y;
    ydd[y[5]] = angular.z;
    data.a[at] = acceleration;
}

/// Backward over a floating base, and forward at once.
template <class S>
void articulate_floating_base(const Model& model, Data<S>& data, const Cluster& c, int cluster, S* ydd) {
    if (c.turning_armature)
        data.pA[static_cast<std::size_t>(c.body_begin)].linear += turning_force(model, data, c);
    factor_floating_base(model, data, c, cluster);
    accelerate_floating_base(model, data, c, ydd);
}

/// Forward over a joint cluster of one body.
template <class S>
void accelerate_joint(const Model& model, Data<S>& data, const Cluster& c, S* ydd) {
    const auto y = static_cast<std::size_t>(c.y_begin);
    const Motion<S>& base = data.a[static_cast<std::size_t>(c.parent_body)];
    const S acceleration = (data.u[y] - dot(base, data.W[static_cast<std::size_t>(c.W_begin)])) *
                           data.D[static_cast<std::size_t>(c.D_begin)];
    ydd[model.y_index[y]] = acceleration;
    data.a[static_cast<std::size_t>(c.body_begin)] =
        base + data.s[static_cast<std::size_t>(c.dof_begin)] * acceleration;
}

/// Forward over one cluster: ÿ = D⁻¹ (u − Wᵀ a_λ), a_i = a_λ + J_i ÿ, with a what ÿ adds to a⁰.
template <int M, class S>
void accelerate(const Model& model, Data<S>& data, const Cluster& c, S* ydd) {
    const int m = M > 0 ? M : c.m;
    const S* D = data.D.data() + c.D_begin;
    const S* u = data.u.data() + c.y_begin;
    const Force<S>* W = data.W.data() + c.W_begin;
    S* y = data.y_acceleration.data() + c.y_begin;
    const bool rooted = c.parent_body == world;
    const Motion<S> base = rooted ? Motion<S>{} : data.a[static_cast<std::size_t>(c.parent_body)];
    for (int j = 0; j < m; ++j) y[j] = (rooted ? u[j] : S(u[j] - dot(base, W[j]))) * D[j * m + j];
    solve_upper<M>(D, m, y);
    for (int j = 0; j < m; ++j) ydd[model.y_index[static_cast<std::size_t>(c.y_begin + j)]] = y[j];
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S> a = base;
        for (int j = 0; j < m; ++j) a += J[j] * y[j];
        data.a[static_cast<std::size_t>(i)] = a;
    }
}

/// Forward over all clusters but floating bases.
template <class S>
void accelerate_clusters(const Model& model, Data<S>& data, S* ydd) {
    for (const Cluster& c : model.clusters) {
        if (c.joint_cluster && c.m == 1)
            accelerate_joint(model, data, c, ydd);
        else if (!c.floating)
            with_size(c.m, [&](auto m) { accelerate<m()>(model, data, c, ydd); });
    }
}

/// ÿ [nv]; wrenches null: none.
template <class S>
void aba(const Model& model, Data<S>& data, const S* q, const S* yd, const S* tau, const S* wrenches,
         S* ydd) {
    turn_joints(model, data, q);
    const bool loaded = wrenches != nullptr;
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[static_cast<std::size_t>(k)];
        if (c.joint_cluster) {
            for (int i = c.body_begin; i < c.rotor_begin; ++i) sweep_joint(model, data, i, yd);
            if (c.m > 1) joint_jacobians(model, data, c);
            continue;
        }
        if (c.floating) {
            sweep_floating_base(model, data, c, q, yd);
            continue;
        }
        cluster_positions(model, data, c, k, q);
        cluster_velocities(model, data, c, q, yd);
        forces_at_rest(model, data, c, loaded);
    }
    for (int y = 0; y < model.nv; ++y)
        data.u[static_cast<std::size_t>(y)] = tau[model.y_index[static_cast<std::size_t>(y)]];
    apply_wrenches(model, data, q, wrenches, 1);
    for (int k = model.cluster_count() - 1; k >= 0; --k) {
        const Cluster& c = model.clusters[static_cast<std::size_t>(k)];
        if (c.joint_cluster && c.m == 1)
            articulate_joint(model, data, c, k);
        else if (c.floating)
            articulate_floating_base(model, data, c, k, ydd);
        else
            with_size(c.m, [&](auto m) { articulate<m()>(model, data, c, k, loaded); });
    }
    accelerate_clusters(model, data, ydd);
}

}  // namespace grbda::kernels
