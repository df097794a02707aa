#pragma once

#include "any_cluster.hpp"
#include "wide_joints.hpp"

// Specialises all steps for revolute joints with rates ẏ on a moving body, whose rotors are folded. It is the
// most frequent cluster. Each body is one function on local values instead of arrays in memory; with one
// joint, D is a number.
// Gain: without it, aba of mini_cheetah takes 1.5 times as long; with several joints in a cluster, rnea of
// parallel_belt 1.4 times.

namespace grbda::kernels {

/// One revolute joint of a joint cluster and its body, at values rather than in memory.
template <class S>
struct JointPlace {
    const Body& body;
    Vector3<S> p;
    Motion<S> s;
    Matrix3<S> R;

    [[gnu::always_inline]] inline JointPlace(const Model& model, const Workspace<S>& data, int i)
        : body(model.bodies[i]) {
        const auto parent = static_cast<std::size_t>(body.parent);
        place_revolute(body, data.R[parent], data.p[parent], turn_of(data, body), R, p, s);
    }

    [[gnu::always_inline]] void store(Workspace<S>& data, int i) const {
        const auto at = static_cast<std::size_t>(i);
        data.R[at] = R;
        data.p[at] = p;
        data.s[body.dof] = s;
    }
};

/// Velocity of the body, and what it accelerates by relative to its parent at ÿ = 0.
template <class S>
struct JointMotion {
    Motion<S> v, b;

    [[gnu::always_inline]] inline JointMotion(const Workspace<S>& data, const JointPlace<S>& x,
                                              const S& rate) {
        const Motion<S>& v_parent = data.v[x.body.parent];
        const Motion<S> across = x.s * rate;
        v = v_parent + across;
        b = cross(v_parent, across);
    }
};

/// Several such joints: bodies one by one, inertias by J as in any cluster.
struct SeveralJoints : AnyCluster {
    template <class S>
    static void aba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int, const S*,
                            const S* yd, bool) {
        for (const int i : c.bodies) forward_joint(model, data, i, yd);
        joint_jacobians(model, data, c);
    }

    template <class S>
    static void rnea_forward(const Model& model, Workspace<S>& data, const Cluster& c, int, const S*,
                             const S* yd, const S* ydd, bool) {
        for (const int i : c.bodies) joint_force(model, data, i, yd, ydd);
    }

    /// τ_i = s_iᵀ f_i, and f_i on to the body before.
    template <class S>
    static void rnea_backward(const Model& model, Workspace<S>& data, const Cluster& c, bool, const S*,
                              S* tau) {
        with_size(c.m, [&](auto m) { folded_forces<m()>(model, data, c, data.u.data() + c.y_begin); });
        for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
            const Body& body = model.bodies[i];
            const auto y = static_cast<std::size_t>(body.y);
            const Force<S>& f = data.pA[i];
            tau[model.y_index[y]] = data.u[y] + dot(data.s[body.dof], f);
            data.pA[body.parent] += f;
        }
    }

    template <class S>
    static void crba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int, const S*) {
        place_joints(model, data, c.index, c.index + 1);
    }

    /// F, M_cc and the inertias before it body by body, then what its rotors add.
    template <class S, bool wide = has_wide<S>>
    [[gnu::noinline]] static void crba_backward(const Model& model, Workspace<S>& data, const Cluster& c) {
        S* D = data.D.data() + c.D_begin;
        for (int j = 0; j < c.m; ++j)
            for (int k = 0; k <= j; ++k) D[j * c.m + k] = constant_inertia<S>(model, c, j, k);
        for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
            if constexpr (wide)
                WideJoints<S>::composite_body(model, data, c, i, D);
            else
                composite_body(model, data, c, i, D);
        }
        if (!c.is_spinning()) return;
        for (int j = 0; j < c.m; ++j) data.W[c.W_begin + j].angular += folded_momentum(model, data, c, j);
    }

    template <class S, class Put>
    static int crba_block(const Model& model, const Workspace<S>& data, const Cluster&, int b,
                          const Force<S>* F, int m, const Put& put) {
        const Body& body = model.bodies[b];
        const Motion<S> s = data.s[body.dof];
        const int x = model.y_index[body.y];
        for (int j = 0; j < m; ++j) put(x, j, dot(s, F[j]));
        return body.parent;
    }

    /// J: s of the joints on the path to each body.
    template <class S>
    static void joint_jacobians(const Model& model, Workspace<S>& data, const Cluster& c) {
        for (const int i : c.bodies) {
            const Body& body = model.bodies[i];
            Motion<S>* J = data.J.data() + c.J_begin + (i - c.bodies.first) * c.m;
            const Motion<S>* parent = body.parent == c.parent_body ? nullptr : J - (i - body.parent) * c.m;
            for (int j = 0; j < c.m; ++j) J[j] = parent ? parent[j] : Motion<S>{};
            J[body.y - c.y_begin] = data.s[body.dof];
        }
    }

    /// R, p and s of the bodies of clusters [first, last) and their rigid inertias.
    template <class S, bool wide = has_wide<S>>
    static void place_joints(const Model& model, Workspace<S>& data, int first, int last) {
        if constexpr (wide) {
            WideJoints<S>::place_joints(model, data, first, last);
        } else {
            for (int k = first; k < last; ++k)
                for (const int i : model.clusters[k].bodies) {
                    const JointPlace<S> x(model, data, i);
                    const RigidInertia<S> I = inertia_of(x.body, x.R, x.p);
                    x.store(data, i);
                    data.I[i] = I;
                }
        }
    }

protected:
    /// Position, velocity and force at ÿ = 0 of one body of a joint cluster.
    template <class S>
    static void forward_joint(const Model& model, Workspace<S>& data, int i, const S* yd) {
        const auto at = static_cast<std::size_t>(i);
        const JointPlace<S> x(model, data, i);
        const auto y = static_cast<std::size_t>(x.body.y);
        const S rate = yd[model.y_index[y]];
        const JointMotion<S> motion(data, x, rate);
        const RigidInertia<S> I = inertia_of(x.body, x.R, x.p);
        const Motion<S> a0 = data.a0[x.body.parent] + motion.b;
        x.store(data, i);
        data.y_rate[y] = rate;
        data.v[at] = motion.v;
        data.a0[at] = a0;
        data.IA[at] = articulated(I);
        data.pA[at] = moving_force(I, motion.v, a0);
    }

private:
    /// Adds the contribution of body i to D and F, and to the inertia of the body before.
    template <class S>
    static void composite_body(const Model& model, Workspace<S>& data, const Cluster& c, int i, S* D) {
        const Body& body = model.bodies[i];
        const RigidInertia<S>& I = data.I[i];
        const Force<S> F = I * data.s[body.dof];
        const int j = body.y - c.y_begin;
        for (int b = i; b != c.parent_body; b = model.bodies[b].parent) {
            const Body& before = model.bodies[b];
            const int k = before.y - c.y_begin;
            D[std::max(j, k) * c.m + std::min(j, k)] += dot(data.s[before.dof], F);
        }
        data.W[c.W_begin + j] = F;
        data.I[body.parent] += I;
    }

    /// Position, velocity, acceleration and force of one body.
    template <class S>
    static void joint_force(const Model& model, Workspace<S>& data, int i, const S* yd, const S* ydd) {
        const auto at = static_cast<std::size_t>(i);
        const JointPlace<S> x(model, data, i);
        const auto y = static_cast<std::size_t>(x.body.y);
        const S rate = yd[model.y_index[y]];
        const JointMotion<S> motion(data, x, rate);
        const S acceleration = ydd ? ydd[model.y_index[y]] : S(0);
        const Motion<S> a = data.a[x.body.parent] + (motion.b + x.s * acceleration);
        x.store(data, i);
        data.v[at] = motion.v;
        data.a[at] = a;
        data.y_rate[y] = rate;
        data.y_acceleration[y] = acceleration;
        data.pA[at] = newton_euler(x.body, x.R, x.p, motion.v, a);
    }
};

/// One joint.
struct SingleJoint : SeveralJoints {
    template <class S>
    static void aba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int, const S*,
                            const S* yd, bool) {
        forward_joint(model, data, c.bodies.first, yd);
        if (is_about_joint(model, c.bodies.first)) about_joint(model, data, c.bodies.first);
    }

    /// s, D and u are one column.
    template <class S>
    static void aba_backward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster, bool,
                             S*) {
        const auto at = static_cast<std::size_t>(c.bodies.first), y = static_cast<std::size_t>(c.y_begin);
        const auto parent = static_cast<std::size_t>(c.parent_body);
        Force<S> W{};
        S D = S(model.D0[c.D_begin]), u = data.u[y];
        if (c.is_spinning()) articulate_folded_rotors<1>(model, data, c, &W, &u);
        const ArticulatedInertia<S>& IA = data.IA[at];
        const Force<S>& pA = data.pA[at];
        const Motion<S>& s = data.s[c.dof_begin];
        const bool at_joint = is_about_joint(model, c.bodies.first);
        const Force<S> U = at_joint ? Force<S>{IA.H * s.angular, IA.J * s.angular} : IA * s;
        D += at_joint ? dot(s.angular, U.angular) : dot(s, U);
        u -= dot(s, pA);
        W += U;
        const S inverse = S(1) / D;
        if (at_joint)
            pass_on_about_joint(model, data, c, W, inverse);
        else
            data.IA[parent].add_minus_outer(IA, W, inverse);
        data.margin[cluster] = D - pivot_floor<S>(model.inertia_floor[y]);
        data.D[c.D_begin] = inverse;
        data.u[y] = u;
        data.W[c.W_begin] = W;
        data.pA[parent] += pA + W * S(inverse * u);
    }

    template <class S>
    static void aba_accelerate(const Model& model, Workspace<S>& data, const Cluster& c, S* ydd) {
        const auto y = static_cast<std::size_t>(c.y_begin);
        const Motion<S>& base = data.a[c.parent_body];
        const S acceleration = (data.u[y] - dot(base, data.W[c.W_begin])) * data.D[c.D_begin];
        ydd[model.y_index[y]] = acceleration;
        data.a[c.bodies.first] = base + data.s[c.dof_begin] * acceleration;
    }

    template <class S>
    static void aba_solve_backward(const Model& model, Workspace<S>& data, const Cluster& c, S*) {
        const Body& body = model.bodies[c.bodies.first];
        const Force<S>& pA = data.pA[c.bodies.first];
        S& u = data.u[c.y_begin];
        u -= dot(data.s[c.dof_begin], pA);
        const S inverse = data.D[c.D_begin];
        data.pA[body.parent] += pA + data.W[c.W_begin] * S(inverse * u);
    }

    template <class S>
    static void crba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int, const S*) {
        place_joints(model, data, c.index, c.index + 1);
    }

    template <class S, class Put>
    static int crba_block(const Model& model, const Workspace<S>& data, const Cluster& d, int,
                          const Force<S>* F, int m, const Put& put) {
        const Motion<S> s = data.s[d.dof_begin];  // not where it lies: what `put` writes could be it
        const int x = model.y_index[d.y_begin];
        for (int j = 0; j < m; ++j) put(x, j, dot(s, F[j]));
        return d.parent_body;
    }

    /// D is a number and F one column.
    template <class S, bool wide = has_wide<S>>
    [[gnu::noinline]] static void crba_backward(const Model& model, Workspace<S>& data, const Cluster& c) {
        if constexpr (wide) {
            WideJoints<S>::composite_joint(model, data, c);
        } else {
            const RigidInertia<S>& I = data.I[c.bodies.first];
            const Motion<S>& s = data.s[c.dof_begin];
            Force<S> F = I * s;
            data.D[c.D_begin] = constant_inertia<S>(model, c, 0, 0) + dot(s, F);
            if (c.is_spinning()) F.angular += folded_momentum(model, data, c, 0);
            data.W[c.W_begin] = F;
            data.I[c.parent_body] += I;
        }
    }

private:
    static bool is_about_joint(const Model& model, int body) {
        return model.bodies[body].inertia_kind == InertiaKind::about_joint;
    }

    /// The body's own inertia about its joint.
    template <class S>
    static void about_joint(const Model& model, Workspace<S>& data, int i) {
        data.IA[i] = articulated(inertia_of(model.bodies[i], data.R[i], {S(0), S(0), S(0)}));
    }

    /// Adds IA − W D⁻¹ Wᵀ to the inertia of the body before, and W, till then about the joint, becomes one
    /// about the common origin.
    template <class S>
    static void pass_on_about_joint(const Model& model, Workspace<S>& data, const Cluster& c, Force<S>& W,
                                    const S& inverse) {
        const int i = c.bodies.first, parent = c.parent_body;
        ArticulatedInertia<S> rest = data.IA[i];
        rest.subtract_outer(W, inverse);
        const Vector3<S>& p = data.p[i];
        data.IA[parent] += about(rest, is_about_joint(model, parent) ? p - data.p[parent] : p);
        W.angular += cross(p, W.linear);
    }
};

}  // namespace grbda::kernels
