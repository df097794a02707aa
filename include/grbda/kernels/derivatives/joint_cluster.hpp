#pragma once

#include "grbda/kernels/derivatives/any_cluster.hpp"
#include "grbda/kernels/kinds/joint_cluster.hpp"

// Derivatives of revolute joints with rates ẏ on a moving body.

namespace grbda::kernels::derivatives {

/// Several such joints.
struct SeveralJoints : AnyCluster {
    /// Positions and velocities.
    template <class S>
    static void move(const Model& model, Data<S>& data, const Cluster& c, const S*, const S* yd) {
        for (const int i : c.bodies) move_joint(model, data, i, yd);
        kernels::SeveralJoints::joint_jacobians(model, data, c);
    }

    template <class S>
    static void vary(const Model& model, Data<S>& data, const Cluster& c, const S*, const S* ydd) {
        Directions<S>& d = data.directions;
        for (const int i : c.bodies) {
            const Body& body = model.bodies[i];
            const int own = body.y - c.y_begin, before = (i - body.parent) * c.m;
            Motion<S>*const e = of_body(d.e, c, i), *const eta = of_body(d.eta, c, i),
                            *const eta_rate = of_body(d.eta_rate, c, i);
            for (int k = 0; k < c.m; ++k) {
                const bool passed = body.parent != c.parent_body && k != own;
                e[k] = passed ? (e - before)[k] : Motion<S>{};
                eta[k] = passed ? (eta - before)[k] : Motion<S>{};
                eta_rate[k] = e[k] * S(2);
            }
            vary_joint(model, data, i, ydd, e[own], eta[own], eta_rate[own]);
        }
    }

protected:
    template <class S>
    static void move_joint(const Model& model, Data<S>& data, int i, const S* yd) {
        const JointPlace<S> x(model, data, i);
        const S& rate = yd[model.y_index[x.body.y]];
        x.store(data, i);
        data.y_rate[x.body.y] = rate;
        data.v[i] = data.v[x.body.parent] + x.s * rate;
    }

    /// Acceleration of the body, and e, η, η' of the joint's own direction.
    template <class S>
    [[gnu::always_inline]] static void vary_joint(const Model& model, Data<S>& data, int i, const S* ydd,
                                                  Motion<S>& e, Motion<S>& eta, Motion<S>& eta_rate) {
        const Body& body = model.bodies[i];
        const Motion<S>&s = data.s[body.dof], &v = data.v[body.parent], &a = data.a[body.parent];
        const S& acceleration = ydd[model.y_index[body.y]];
        const Motion<S> carried = cross(v, s);
        data.y_acceleration[body.y] = acceleration;
        data.a[i] = a + (s * acceleration + carried * data.y_rate[body.y]);
        e = carried;
        eta = cross(a, s) + cross(v, carried);
        eta_rate = carried * S(2);
        begin_composites(model, data, i);
    }
};

/// One joint.
struct SingleJoint : SeveralJoints {
    template <class S>
    static void move(const Model& model, Data<S>& data, const Cluster& c, const S*, const S* yd) {
        move_joint(model, data, c.bodies.first, yd);
    }

    template <class S>
    static void vary(const Model& model, Data<S>& data, const Cluster& c, const S*, const S* ydd) {
        Directions<S>& d = data.directions;
        vary_joint(model, data, c.bodies.first, ydd, d.e[c.e_begin], d.eta[c.e_begin], d.eta_rate[c.e_begin]);
    }

    /// J = s, and the force through the joint does not turn it: s · (s ×* F) = 0.
    template <class S>
    static void change(const Model& model, Data<S>& data, const Cluster& c, const S* q, const S* wrenches,
                       const InverseTargets<S>& out) {
        Directions<S>& d = data.directions;
        const int i = c.bodies.first, y = model.y_index[c.y_begin];
        const Motion<S>& s = data.s[c.dof_begin];
        const RigidInertia<S>& I = data.I[i];
        const Coriolis<S>& B = d.B[i];
        const Force<S> W = I * s, moved = I * d.eta[c.e_begin] + B * d.e[c.e_begin],
                       force_yd = I * d.eta_rate[c.e_begin] + B * s;
        out.y(y, y) = dot(s, moved);
        out.yd(y, y) = dot(s, force_yd);
        if (out.M.entries) out.M(y, y) = constant_inertia<S>(model, c, 0, 0) + dot(s, W);
        data.W[c.W_begin] = W;
        d.Z[c.y_begin] = transpose_times(B, s);
        d.force_y[c.y_begin] = moved + cross(s, data.pA[i]);
        d.force_yd[c.y_begin] = force_yd;
        if (c.is_spinning()) add_folded_rotors(model, data, c);
        if (wrenches) [[unlikely]]
            add_rotor_wrenches(model, data, c, q, wrenches, OwnBlocks<S>(d, c.m));
        pass_on(data, c, i);
    }
};

}  // namespace grbda::kernels::derivatives
