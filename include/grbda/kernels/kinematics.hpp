#pragma once

#include "grbda/kernels/embedding.hpp"

// Forward sweeps shared by the algorithms: positions with the embedding
// matrices, velocities with the biases.

namespace grbda::kernels {

/// R, p, s of the bodies of one cluster, after turn_joints(); K, G, J and rcond if it has them.
template <class S>
void cluster_positions(const Model& model, Data<S>& data, const Cluster& c, int cluster, const S* q) {
    if (c.is_direct() && c.parent_body != world) {
        const auto parent = static_cast<std::size_t>(c.parent_body);
        place_body(model, data, c.body_begin, data.R[parent], data.p[parent],
                   turn_of(data, model.bodies[static_cast<std::size_t>(c.body_begin)]), q);
    } else {
        const Placement<S> base = cluster_base(model, data, c, q);
        place_cluster(model, data, c, base, q);
        if (c.embedding == Embedding::implicit) constraint_rows(model, data, c, base, q);
    }
    if (c.embedding == Embedding::none) return;
    if (c.embedding == Embedding::implicit) {
        invert_dependents(model, data, c, cluster);
        solve_embedding(model, data, c);
    } else {
        for (int j = c.G_begin; j < c.G_begin + c.dofs * c.m; ++j)
            data.G[static_cast<std::size_t>(j)] = S(model.G[static_cast<std::size_t>(j)]);
    }
    if (!c.is_direct()) cluster_jacobians(model, data, c);
}

template <class S>
void positions(const Model& model, Data<S>& data, const S* q) {
    turn_joints(model, data, q);
    for (int i = 0; i < model.cluster_count(); ++i)
        cluster_positions(model, data, model.clusters[static_cast<std::size_t>(i)], i, q);
}

template <class S>
Motion<S> velocity_of(const Data<S>& data, int body) {
    return body == world ? Motion<S>{} : data.v[static_cast<std::size_t>(body)];
}

/// g and b of a cluster with loops or polynomials, from k at the velocities and summed joint biases of its
/// bodies.
template <class S>
void embedding_bias(const Model& model, Data<S>& data, const Cluster& c, const S* q) {
    const auto bias_of = [&](int body) {
        return body == c.parent_body ? Motion<S>{} : data.c[static_cast<std::size_t>(body)];
    };
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[static_cast<std::size_t>(l)];
        if (loop.rows == 0) continue;  // it holds in every pose
        const LoopFrames<S>& frames = data.loop_frames[static_cast<std::size_t>(l)];
        const Motion<S> v = velocity_of(data, loop.predecessor.body);
        loop_bias(loop, model.loop_rows.data() + loop.rows_begin, frames, data.Psi.data() + loop.row, v,
                  velocity_of(data, loop.successor.body) - v,
                  bias_of(loop.successor.body) - bias_of(loop.predecessor.body), data.k.data() + loop.row);
    }
    for (int l = c.couplings_begin; l < c.couplings_end; ++l) {
        const Coupling& coupling = model.couplings[static_cast<std::size_t>(l)];
        data.k[static_cast<std::size_t>(coupling.row)] = coupling_bias(model, data, coupling, q);
    }

    S* g = data.g.data() + c.dof_begin;
    for (int j = 0; j < c.dofs; ++j) g[j] = S(0);
    solve_dependents(model, data, c, data.k.data() + c.row_begin, g);

    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        const auto at = static_cast<std::size_t>(i), parent = static_cast<std::size_t>(body.parent);
        const S* rate = &data.g[static_cast<std::size_t>(body.dof)];
        data.b[at] = data.c[at] + joint_velocity(velocity_size(body.joint),
                                                 &data.s[static_cast<std::size_t>(body.dof)], rate);
        if (body.parent != c.parent_body) data.b[at] += data.b[parent] - data.c[parent];
    }
}

/// q̇ = G ẏ of one cluster, and ẏ gathered.
template <class S>
void cluster_rates(const Model& model, Data<S>& data, const Cluster& c, const S* yd) {
    S* y = data.y_rate.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) y[j] = yd[model.y_index[static_cast<std::size_t>(c.y_begin + j)]];
    S* rate = data.rate.data() + c.dof_begin;
    if (c.embedding == Embedding::none) {
        for (int j = 0; j < c.m; ++j) rate[j] = y[j];
        return;
    }
    const S* G = data.G.data() + c.G_begin;
    for (int i = 0; i < c.dofs; ++i) {
        rate[i] = S(0);
        for (int j = 0; j < c.m; ++j) rate[i] += G[i * c.m + j] * y[j];
    }
}

/// v of a body, and its bias with those of the bodies between it and the cluster's parent.
template <class S>
[[gnu::always_inline]] inline void move_body(Data<S>& data, const Cluster& c, const Body& body, int i,
                                             const Motion<S>& v, Motion<S> bias) {
    const auto at = static_cast<std::size_t>(i);
    if (body.parent != c.parent_body) bias += data.c[static_cast<std::size_t>(body.parent)];
    data.v[at] = v;
    data.c[at] = bias;
    data.b[at] = bias;
}

/// q̇, v and b of one cluster, and g if it is not constant, after its positions and its parent's velocities.
template <class S>
void cluster_velocities(const Model& model, Data<S>& data, const Cluster& c, const S* q, const S* yd) {
    cluster_rates(model, data, c, yd);
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        const Motion<S>* s = &data.s[static_cast<std::size_t>(body.dof)];
        const S* rate = &data.rate[static_cast<std::size_t>(body.dof)];
        const Motion<S> parent = velocity_of(data, body.parent);
        if (body.joint == JointType::revolute) {
            const Motion<S> across = *s * *rate;
            move_body(data, c, body, i, parent + across, cross(parent, across));
        } else {
            const Motion<S> across = joint_velocity(velocity_size(body.joint), s, rate);
            move_body(data, c, body, i, parent + across, joint_bias(body.joint, parent, across, s, rate));
        }
    }
    if (c.embedding == Embedding::implicit) embedding_bias(model, data, c, q);
}

/// g of one row: zero where G is constant.
template <class S>
S bias_of(const Data<S>& data, const Cluster& c, int dof) {
    return c.embedding == Embedding::implicit ? data.g[static_cast<std::size_t>(dof)] : S(0);
}

template <class S>
void velocities(const Model& model, Data<S>& data, const S* q, const S* yd) {
    for (const Cluster& c : model.clusters) cluster_velocities(model, data, c, q, yd);
}

/// Acceleration that stands in for gravity: the world's, upwards.
template <class S>
Motion<S> gravity_acceleration(const Model& model) {
    return {-model.gravity.cast<S>(), {S(0), S(0), S(0)}};
}

/// Acceleration of the body that a cluster hangs on.
template <class S>
Motion<S> base_acceleration(const Model& model, const Data<S>& data, const Cluster& c) {
    return c.parent_body == world ? gravity_acceleration<S>(model)
                                  : data.a[static_cast<std::size_t>(c.parent_body)];
}

}  // namespace grbda::kernels
