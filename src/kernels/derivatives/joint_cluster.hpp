#pragma once

#include "any_cluster.hpp"
#include "kernels/pass/kinds/joint_cluster.hpp"

// Derivatives of revolute joints with rates ẏ on a moving body: x = s, e = ṡ, η = s̈, η' = 2 ṡ. They are
// equal for all later bodies of the cluster.

namespace grbda::kernels::derivatives {

/// A cluster of several such joints.
struct SeveralJoints : AnyCluster {
    /// Computes positions and velocities.
    template <class S>
    static void motion_forward(const Model& model, Workspace<S>& data, const Cluster& c, const S*,
                               const S* yd) {
        for (const int i : c.bodies) move_joint(model, data, i, yd);
    }

    template <class S>
    static void variation_forward(const Model& model, Workspace<S>& data, const Cluster& c, const S*,
                                  const S* ydd) {
        for (const int i : c.bodies) vary_joint(model, data, i, ydd);
    }

    template <class S>
    static void variation_backward(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                                   const S* wrenches, const InverseTargets<S>& out) {
        for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
            change_joint(model, data, i, out);
            const int y = model.bodies[i].y;
            for (int b = model.bodies[i].parent; b != c.parent_body;) b = joint_block(model, data, b, y, out);
        }
        if (out.M.entries) {
            const int* y = model.y_index.data() + c.y_begin;
            for (int k = 0; k < c.m; ++k)
                for (int j = 0; j < c.m; ++j)
                    out.M(y[j], y[k]) += constant_inertia<S>(model, c, std::max(j, k), std::min(j, k));
        }
        add_rotors(model, data, c, q, wrenches);
    }

    template <class S>
    static int variation_block(const Model& model, const Workspace<S>& data, const Cluster&, int b,
                               const Cluster& c, const InverseTargets<S>& out) {
        for (int y = c.y_begin; y < c.y_begin + c.m; ++y) joint_block(model, data, b, y, out);
        return model.bodies[b].parent;
    }

protected:
    template <class S>
    static void move_joint(const Model& model, Workspace<S>& data, int i, const S* yd) {
        const JointPlace<S> x(model, data, i);
        const S& rate = yd[model.y_index[x.body.y]];
        data.y_rate[x.body.y] = rate;
        data.v[i] = data.v[x.body.parent] + x.s * rate;
        x.store(data, i);
    }

    /// Computes the acceleration of the body, and e and η of its joint.
    template <class S>
    [[gnu::always_inline]] static void vary_joint(const Model& model, Workspace<S>& data, int i,
                                                  const S* ydd) {
        const Body& body = model.bodies[i];
        const Motion<S>&s = data.s[body.dof], &v = data.v[body.parent], &a = data.a[body.parent];
        const S& acceleration = ydd[model.y_index[body.y]];
        const Motion<S> carried = cross(v, s);
        data.y_acceleration[body.y] = acceleration;
        data.directions.s_rate[body.dof] = carried;
        data.directions.s_acceleration[body.dof] = cross(a, s) + cross(v, carried);
        data.a[i] = a + (s * acceleration + carried * data.y_rate[body.y]);
        begin_composites(model, data, i);
    }

    /// Computes W, Z, the changes of the force through one joint, its own entries, and composites of the
    /// parent body.
    template <class S>
    [[gnu::always_inline]] static void change_joint(const Model& model, Workspace<S>& data, int i,
                                                    const InverseTargets<S>& out) {
        Directions<S>& d = data.directions;
        const Body& body = model.bodies[i];
        const int y = model.y_index[body.y];
        const Motion<S>&s = data.s[body.dof], &e = d.s_rate[body.dof];
        const RigidInertia<S>& I = data.I[i];
        const Coriolis<S>& B = d.B[i];
        const Force<S>& F = data.pA[i];
        const Force<S> W = I * s, force_yd = I * e * S(2) + B * s,
                       moved = I * d.s_acceleration[body.dof] + B * e;  // s · (s ×* F) = 0
        out.y(y, y) = dot(s, moved);
        out.yd(y, y) = dot(s, force_yd);
        if (out.M.entries) out.M(y, y) = dot(s, W);
        data.W[body.y] = W;
        d.Z[body.y] = transpose_times(B, s);
        d.force_y[body.y] = moved + cross(s, F);
        d.force_yd[body.y] = force_yd;
        data.I[body.parent] += I;
        d.B[body.parent] += B;
        data.pA[body.parent] += F;
    }

    /// Computes the entries of velocity y, in pass order, with the joint of the ancestor b. Returns the
    /// parent body.
    template <class S>
    [[gnu::always_inline]] static int joint_block(const Model& model, const Workspace<S>& data, int b, int y,
                                                  const InverseTargets<S>& out) {
        const Directions<S>& d = data.directions;
        const Body& body = model.bodies[b];
        const int row = model.y_index[body.y], column = model.y_index[y];
        const Motion<S>&s = data.s[body.dof], &e = d.s_rate[body.dof];
        const Force<S>& W = data.W[y];
        const Vector3<S>& Z = d.Z[y];
        out.y(row, column) = dot(s, d.force_y[y]);
        out.yd(row, column) = dot(s, d.force_yd[y]);
        out.y(column, row) = dot(d.s_acceleration[body.dof], W) + dot(e.angular, Z);
        out.yd(column, row) = dot(e, W) * S(2) + dot(s.angular, Z);
        if (out.M.entries) out.M(row, column) = out.M(column, row) = dot(s, W);
        return body.parent;
    }

    template <class S>
    static void add_rotors(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                           const S* wrenches) {
        if (c.is_spinning()) add_folded_rotors(model, data, c);
        if (wrenches) [[unlikely]]
            add_rotor_wrenches(model, data, c, q, wrenches, OwnBlocks<S>(data.directions, c.m, false));
    }
};

/// A cluster of one such joint.
struct SingleJoint : SeveralJoints {
    template <class S>
    static void motion_forward(const Model& model, Workspace<S>& data, const Cluster& c, const S*,
                               const S* yd) {
        move_joint(model, data, c.bodies.first, yd);
    }

    template <class S>
    static void variation_forward(const Model& model, Workspace<S>& data, const Cluster& c, const S*,
                                  const S* ydd) {
        vary_joint(model, data, c.bodies.first, ydd);
    }

    template <class S>
    static void variation_backward(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                                   const S* wrenches, const InverseTargets<S>& out) {
        change_joint(model, data, c.bodies.first, out);
        if (const int y = model.y_index[c.y_begin]; out.M.entries)
            out.M(y, y) += constant_inertia<S>(model, c, 0, 0);
        add_rotors(model, data, c, q, wrenches);
    }
};

}  // namespace grbda::kernels::derivatives
