#pragma once

#include "kernels/rod/rod_motion.hpp"
#include "rotors.hpp"

// Kinematics of every body, including the reduced rotors and rods, which the passes omit.

namespace grbda::kernels {

/// Computes R, p, s of the reduced rotors, after positions().
template <class S>
void place_rotors(const Model& model, Workspace<S>& data, const S* q) {
    for (const Cluster& c : model.clusters) {
        if (c.reduced().empty()) continue;
        const Placement<S> base = c.parent_body == world
                                      ? Placement<S>{Matrix3<S>::identity(), -data.origin[c.branch]}
                                      : Placement<S>{data.R[c.parent_body], data.p[c.parent_body]};
        for (const int i : c.reduced()) {
            const Body& body = model.bodies[i];
            const PlacementView<S> carrier = placement_of(data, c, base, body.parent);
            place_body(model, data, i, carrier.R, carrier.p, turned_by(body, q + body.q), q);
        }
    }
}

/// Computes v of the reduced rotors, after velocities().
template <class S>
void move_rotors(const Model& model, Workspace<S>& data) {
    for (const Rotor& rotor : model.rotors)
        data.v[rotor.body] = velocity_of(data, rotor.carrier) + data.s[rotor.dof] * data.rate[rotor.dof];
}

/// Computes R, p, s, v of every body.
template <class S>
void move_all_bodies(const Model& model, Workspace<S>& data, const S* q, const S* yd) {
    positions(model, data, q);
    place_rotors(model, data, q);
    place_rods(model, data);
    velocities(model, data, q, yd);
    move_rotors(model, data);
    move_rods(model, data);
}

/// Reads ÿ of a cluster in the user's order, where null is zero, and computes a of its bodies. `base` is the
/// acceleration of its parent body.
template <class S>
void accelerate_cluster(const Model& model, Workspace<S>& data, const Cluster& c, const S* ydd,
                        const Motion<S>& base) {
    S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) y[j] = ydd ? ydd[model.y_index[c.y_begin + j]] : S(0);
    for (const int i : c.bodies) {
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S> a = base + data.b[i];
        for (int j = 0; j < c.m; ++j) a += J[j] * y[j];
        data.a[i] = a;
    }
}

/// Computes a of the reduced rotors of a cluster, after that of their carriers; that of the world is `start`.
template <class S>
void accelerate_rotors(const Model& model, Workspace<S>& data, const Cluster& c, const Motion<S>& start) {
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        const Motion<S> carrier = rotor->carrier == world ? start : data.a[rotor->carrier];
        const Motion<S> across = data.s[rotor->dof] * data.rate[rotor->dof];
        data.a[rotor->body] = carrier + data.s[rotor->dof] * row_acceleration(data, c, rotor->dof) +
                              cross(velocity_of(data, rotor->carrier), across);
    }
}

/// Computes a of every body, where that of the world is `start`; ÿ is in the user's order.
template <class S>
void accelerate_bodies(const Model& model, Workspace<S>& data, const S* ydd, const Motion<S>& start) {
    for (const Cluster& c : model.clusters) {
        accelerate_cluster(model, data, c, ydd, c.parent_body == world ? start : data.a[c.parent_body]);
        accelerate_rotors(model, data, c, start);
    }
    accelerate_rods(model, data, start);
}

/// Returns q̈ of one velocity, after accelerate_cluster().
template <class S>
S joint_acceleration(const Model& model, const Workspace<S>& data, const Cluster& c, int dof) {
    S acceleration = bias_of(data, c, dof);
    for (int j = 0; j < c.m; ++j)
        acceleration +=
            embedding_entry(model, data, c, dof - c.dof_begin, j) * data.y_acceleration[c.y_begin + j];
    return acceleration;
}

/// Calls put(y, J) with the columns of the Jacobian of a body or rod, for each coordinate y that moves it, in
/// the user's order. Call it after place_rotors().
template <class S, class Put>
[[gnu::always_inline]] inline void each_jacobian_column(const Model& model, const Workspace<S>& data,
                                                        int body, const Put& put) {
    if (model.is_rod(body)) {
        const Cluster& c = model.clusters[model.cluster_of(body)];
        each_rod_column(model, data, body,
                        [&](int j, const Motion<S>& J) { put(model.y_index[c.y_begin + j], J); });
        body = c.parent_body;
    }
    while (body != world) {
        const Body& b = model.bodies[body];
        const Cluster& c = model.clusters[b.cluster];
        // a reduced rotor has its carrier's columns, if it is in the cluster, and its own spin
        const bool inside = !b.rotor || b.parent != c.parent_body;
        const Motion<S>* columns = inside ? jacobian_of(model, data, c, b.rotor ? b.parent : body) : nullptr;
        for (int j = 0; j < c.m; ++j) {
            Motion<S> J = columns ? columns[j] : Motion<S>{};
            if (b.rotor) J += data.s[b.dof] * data.G[c.G_begin + (b.dof - c.dof_begin) * c.m + j];
            put(model.y_index[c.y_begin + j], J);
        }
        body = c.parent_body;
    }
}

}  // namespace grbda::kernels
