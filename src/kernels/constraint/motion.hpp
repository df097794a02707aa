#pragma once

#include "embedding.hpp"
#include "grbda/export.hpp"

// Computes the velocities of the bodies with their biases, after positions, and the accelerations of parent
// bodies.

namespace grbda::kernels {

/// Computes q̇ = G ẏ of one cluster, and gathers ẏ.
template <class S>
void cluster_rates(const Model& model, Workspace<S>& data, const Cluster& c, const S* yd) {
    S* y = data.y_rate.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) y[j] = yd[model.y_index[c.y_begin + j]];
    S* rate = data.rate.data() + c.dof_begin;
    if (c.embedding == Embedding::none) {
        for (int j = 0; j < c.m; ++j) rate[j] = y[j];
        return;
    }
    const S* G = data.G.data() + c.G_begin;
    for (int i = 0; i < c.dofs; ++i) {
        S sum(0);
        for (int j = 0; j < c.m; ++j) sum += G[i * c.m + j] * y[j];
        rate[i] = sum;
    }
}

/// Computes v of a body, and its bias summed from the cluster's parent.
template <class S>
[[gnu::always_inline]] inline void move_body(Workspace<S>& data, const Cluster& c, const Body& body, int i,
                                             const Motion<S>& v, Motion<S> bias) {
    const auto at = static_cast<std::size_t>(i);
    if (body.parent != c.parent_body) bias += data.c[body.parent];
    data.v[at] = v;
    data.c[at] = bias;
    data.b[at] = bias;
}

/// Computes b of the bodies of a cluster with loops or polynomials, from g.
template <class S>
void relative_accelerations(const Model& model, Workspace<S>& data, const Cluster& c) {
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        const auto at = static_cast<std::size_t>(i), parent = static_cast<std::size_t>(body.parent);
        const S* rate = &data.g[body.dof];
        Motion<S> b = data.c[at] + joint_velocity(velocity_size(body.joint), &data.s[body.dof], rate);
        if (body.parent != c.parent_body) b += data.b[parent] - data.c[parent];
        data.b[at] = b;
    }
}

/// Computes v of the bodies of a cluster from q̇, and their biases.
template <class S>
[[gnu::always_inline]] inline void move_bodies(const Model& model, Workspace<S>& data, const Cluster& c) {
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        const Motion<S>* s = &data.s[body.dof];
        const S* rate = &data.rate[body.dof];
        const Motion<S> parent = velocity_of(data, body.parent);
        if (body.joint == JointType::revolute) {
            const Motion<S> across = *s * *rate;
            move_body(data, c, body, i, parent + across, cross(parent, across));
        } else {
            const Motion<S> across = joint_velocity(velocity_size(body.joint), s, rate);
            move_body(data, c, body, i, parent + across, joint_bias(body.joint, parent, across, s, rate));
        }
    }
}

/// Computes q̇, v and b of one cluster, and g if it is not constant, after its positions and its parent's
/// velocities.
template <class S>
GRBDA_EXPORT void cluster_velocities(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                                     const S* yd) {
    cluster_rates(model, data, c, yd);
    move_bodies(model, data, c);
    if (c.embedding != Embedding::implicit) return;
    constraint_bias(model, data, c, q);
    embedding_bias(model, data, c);
    relative_accelerations(model, data, c);
}

template <class S>
void velocities(const Model& model, Workspace<S>& data, const S* q, const S* yd) {
    for (const Cluster& c : model.clusters) cluster_velocities(model, data, c, q, yd);
}

/// Returns the acceleration that represents gravity: upward acceleration of the world.
template <class S>
Motion<S> gravity_acceleration(const Model& model) {
    return {-model.gravity.cast<S>(), {S(0), S(0), S(0)}};
}

/// Returns the acceleration of the body to which a cluster is attached.
template <class S>
Motion<S> base_acceleration(const Model& model, const Workspace<S>& data, const Cluster& c) {
    return c.parent_body == world ? gravity_acceleration<S>(model) : data.a[c.parent_body];
}

// Instantiated in src/kernels/.
extern template void cluster_velocities(const Model&, Workspace<double>&, const Cluster&, const double*,
                                        const double*);

}  // namespace grbda::kernels
