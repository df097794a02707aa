#pragma once

#include "kernels/cluster/plane.hpp"
#include "tree_cluster.hpp"

// Specialises step 1 of pass/aba.hpp, pass/rnea.hpp and pass/crba.hpp for linkages, loops in one plane:
// positions, velocities and G are computed in the plane (cluster/plane.hpp). A linkage on the world without
// child clusters has all its dynamics in the plane, and specialises step 2, too. On a tangent, and with
// wrenches on its bodies, a linkage is a cluster like others.
// Gain: without it, aba of four_bar_mjcf takes 3.4 times as long.

namespace grbda::kernels {

/// The plane of a linkage in the common frame.
template <class S>
struct PlaneFrame {
    Matrix3<S> axes;
    Vector3<S> origin, arm;  ///< arm: velocity at the common frame's origin for each unit of turning

    [[gnu::always_inline]] PlaneFrame(const Linkage& linkage, const Placement<S>& base)
        : axes(base.R * linkage.axes.cast<S>()),
          origin(base.p + base.R * linkage.origin.cast<S>()),
          arm(cross(origin, axes.z)) {}
    [[gnu::always_inline]] Motion<S> motion(const PlaneMotion<S>& v) const {
        return {axes.x * v.linear.x + axes.y * v.linear.y + arm * v.angular, axes.z * v.angular};
    }
    [[gnu::always_inline]] Vector3<S> point(const Vector2<S>& r, double height) const {
        return origin + (axes.x * r.x + axes.y * r.y + axes.z * S(height));
    }
    /// The axes at an angle of which `turn` is cosine and sine.
    [[gnu::always_inline]] Matrix3<S> turned(const Vector2<S>& turn) const {
        return {axes.x * turn.x + axes.y * turn.y, axes.y * turn.x - axes.x * turn.y, axes.z};
    }
};

/// Axes, centre of mass and inertia of a body, in the common frame.
template <class S>
struct MassPlace {
    Matrix3<S> axes;
    Vector3<S> com, middle, largest;

    template <int M>
    [[gnu::always_inline]] MassPlace(const PlaneState<M, S>& state, const PlaneFrame<S>& frame, int i)
        : axes(frame.turned(state.turn[i])) {
        const Link& link = state.linkage.links[i];
        com = frame.point(state.point(i, link.com.x, link.com.y), link.com.z);
        middle = axes * link.middle.template cast<S>();
        largest = axes * link.largest.template cast<S>();
    }
    [[gnu::always_inline]] RigidInertia<S> inertia(const Body& body) const {
        return rigid_inertia(S(body.mass), com, S(body.inertia), middle, largest);
    }
};

struct PlanarCluster : CutTree {
    template <class S>
    static void aba_rotor_moment(const Model& model, Workspace<S>& data, const Cluster& c, const Rotor& rotor,
                                 const S& moment) {
        AnyCluster::aba_rotor_moment(model, data, c, rotor, moment);
    }

    template <class S>
    static void aba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster, const S* q,
                            const S* yd, bool loaded) {
        if (is_any(data, c, loaded)) [[unlikely]]
            return AnyCluster::aba_forward(model, data, c, cluster, q, yd, loaded);
        with_linkage(model, c, [&](auto M, bool planar) {
            planar ? forward_in_plane<M()>(model, data, c, yd) : forward_sized<M()>(model, data, c, q, yd);
        });
    }

    template <class S>
    static void aba_backward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             bool loaded, S* ydd) {
        if (!model.linkages[c.linkage].planar_dynamics || is_any(data, c, loaded))
            return AnyCluster::aba_backward(model, data, c, cluster, loaded, ydd);
        S* D = data.D.data() + c.D_begin;
        S* u = data.u.data() + c.y_begin;
        for (int j = 0; j < c.m; ++j) u[j] -= data.force[c.dof_begin + j];
        with_linkage(model, c, [&](auto M, bool) {
            data.margin[cluster] = factor_symmetric<M()>(D, c.m, data.chart.inertia_floor.data() + c.y_begin);
            solve_lower<M()>(D, c.m, u);
        });
    }

    template <class S>
    static void aba_accelerate(const Model& model, Workspace<S>& data, const Cluster& c, S* ydd) {
        AnyCluster::aba_accelerate(model, data, c, ydd);
    }

    template <class S>
    static void aba_solve_backward(const Model& model, Workspace<S>& data, const Cluster& c, S* x) {
        if (model.linkages[c.linkage].planar_dynamics)
            solve_lower<0>(data.D.data() + c.D_begin, c.m, data.u.data() + c.y_begin);
        else
            AnyCluster::aba_solve_backward(model, data, c, x);
    }

    template <class S>
    static void rnea_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             const S* q, const S* yd, const S* ydd, bool loaded) {
        if (is_any(data, c, loaded)) [[unlikely]]
            return CutTree::rnea_forward(model, data, c, cluster, q, yd, ydd, loaded);
        with_linkage(model, c, [&](auto M, bool planar) {
            planar ? move_in_plane<M()>(model, data, c, yd, ydd)
                   : move_sized<M()>(model, data, c, q, yd, ydd);
        });
    }

    template <class S>
    static void rnea_backward(const Model& model, Workspace<S>& data, const Cluster& c, bool loaded,
                              const S* ydd, S* tau) {
        if (is_any(data, c, loaded)) [[unlikely]]
            return CutTree::rnea_backward(model, data, c, loaded, ydd, tau);
        if (!model.linkages[c.linkage].planar_dynamics) return project_by_G(model, data, c, tau);
        for (int j = 0; j < c.m; ++j) tau[model.y_index[c.y_begin + j]] = data.force[c.dof_begin + j];
    }

    template <class S>
    static void crba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             const S* q) {
        if (is_any(data, c, false)) [[unlikely]]
            return AnyCluster::crba_forward(model, data, c, cluster, q);
        with_linkage(model, c, [&](auto M, bool planar) {
            planar ? place_in_plane<M()>(model, data, c) : place_sized<M()>(model, data, c, q);
        });
    }

    template <class S>
    static void crba_backward(const Model& model, Workspace<S>& data, const Cluster& c) {
        if (!model.linkages[c.linkage].planar_dynamics || is_any(data, c, false))
            AnyCluster::crba_backward(model, data, c);
    }

private:
    /// A cluster like others now.
    template <class S>
    [[gnu::always_inline]] static bool is_any(const Workspace<S>& data, const Cluster& c, bool loaded) {
        return loaded || is_on_tangent(data, c);
    }

    /// Calls kernel(m, planar).
    template <class Kernel>
    [[gnu::always_inline]] static void with_linkage(const Model& model, const Cluster& c,
                                                    const Kernel& kernel) {
        const bool planar = model.linkages[c.linkage].planar_dynamics;
        switch (c.m) {
            case 1: kernel(std::integral_constant<int, 1>{}, planar); return;
            case 2: kernel(std::integral_constant<int, 2>{}, planar); return;
            default: kernel(std::integral_constant<int, 3>{}, planar); return;
        }
    }

    template <int M, class S>
    [[gnu::always_inline]] static void gather(const Model& model, const Cluster& c, const S* from, S* y) {
        for (int j = 0; j < M; ++j) y[j] = from[model.y_index[c.y_begin + j]];
    }

    // Each is a function of its own: what it computes stays in registers, and others have theirs.

    template <int M, class S>
    [[gnu::noinline]] static void forward_in_plane(const Model& model, Workspace<S>& data, const Cluster& c,
                                                   const S* yd) {
        PlaneState<M, S> state(model, data, c);
        S y[M], change[M + 3];
        gather<M>(model, c, yd, y);
        const S* none = nullptr;
        state.accelerate(state.move(y), none, change);
        inertia_in_plane(model, data, c, state);
        force_in_plane(model, data, c, state, change);
    }

    template <int M, class S>
    [[gnu::noinline]] static void move_in_plane(const Model& model, Workspace<S>& data, const Cluster& c,
                                                const S* yd, const S* ydd) {
        PlaneState<M, S> state(model, data, c);
        S y[M], y_change[M], change[M + 3];
        gather<M>(model, c, yd, y);
        if (ydd) gather<M>(model, c, ydd, y_change);
        state.accelerate(state.move(y), ydd ? y_change : nullptr, change);
        force_in_plane(model, data, c, state, change);
    }

    template <int M, class S>
    [[gnu::noinline]] static void place_in_plane(const Model& model, Workspace<S>& data, const Cluster& c) {
        const PlaneState<M, S> state(model, data, c);
        inertia_in_plane(model, data, c, state);
    }

    template <int M, class S>
    [[gnu::noinline]] static void forward_sized(const Model& model, Workspace<S>& data, const Cluster& c,
                                                const S* q, const S* yd) {
        PlaneState<M, S> state(model, data, c);
        S y[M], change[M + 3];
        gather<M>(model, c, yd, y);
        const S* none = nullptr;
        state.accelerate(state.move(y), none, change);
        store_embedding(data, c, state);
        for (int i = 0; i < M + 2; ++i) data.g[c.dof_begin + i] = change[i + 1];
        const PlaneFrame<S> frame(state.linkage, cluster_base(model, data, c, q));
        store_jacobians(data, c, state, frame);
        const Motion<S> base =
            c.parent_body == world ? gravity_acceleration<S>(model) : data.a0[c.parent_body];
        const Motion<S> before = velocity_of(data, c.parent_body);
        for (int i = 1; i <= M + 2; ++i) {
            const int b = c.bodies.first + i - 1;
            const Body& body = model.bodies[b];
            const MassPlace<S> place(state, frame, i);
            if (body.carries_cluster) store_place(data, b, state, frame, i, place);
            if (body.inertia_kind == InertiaKind::none) continue;
            const Motion<S> own = frame.motion(state.v[i]);
            const Motion<S> v = before + own;
            const Motion<S> a0 = base + (frame.motion(state.a[i]) + cross(before, own));
            const RigidInertia<S> I = place.inertia(body);
            data.v[b] = v;
            data.a0[b] = a0;
            if (body.inertia_kind == InertiaKind::articulated)
                data.IA[b] = articulated(I);
            else
                data.I[b] = I;
            data.pA[b] = moving_force(I, v, a0);
        }
    }

    template <int M, class S>
    [[gnu::noinline]] static void move_sized(const Model& model, Workspace<S>& data, const Cluster& c,
                                             const S* q, const S* yd, const S* ydd) {
        PlaneState<M, S> state(model, data, c);
        S y[M], y_change[M], change[M + 3];
        gather<M>(model, c, yd, y);
        if (ydd) gather<M>(model, c, ydd, y_change);
        state.accelerate(state.move(y), ydd ? y_change : nullptr, change);
        store_embedding(data, c, state);
        const PlaneFrame<S> frame(state.linkage, cluster_base(model, data, c, q));
        const Motion<S> base = base_acceleration(model, data, c);
        const Motion<S> before = velocity_of(data, c.parent_body);
        for (int i = 1; i <= M + 2; ++i) {
            const int b = c.bodies.first + i - 1;
            const Body& body = model.bodies[b];
            const MassPlace<S> place(state, frame, i);
            if (body.carries_cluster) store_place(data, b, state, frame, i, place);
            const Motion<S> own = frame.motion(state.v[i]);
            const Motion<S> v = before + own;
            const Motion<S> a = base + (frame.motion(state.a[i]) + cross(before, own));
            data.s[body.dof] = frame.motion(state.s[i]);
            data.v[b] = v;
            data.a[b] = a;
            data.rate_change[body.dof] = change[i];
            data.pA[b] =
                body.massless ? Force<S>{} : newton_euler(body, place.com, place.middle, place.largest, v, a);
        }
    }

    template <int M, class S>
    [[gnu::noinline]] static void place_sized(const Model& model, Workspace<S>& data, const Cluster& c,
                                              const S* q) {
        const PlaneState<M, S> state(model, data, c);
        store_embedding(data, c, state);
        const PlaneFrame<S> frame(state.linkage, cluster_base(model, data, c, q));
        store_jacobians(data, c, state, frame);
        for (int i = 1; i <= M + 2; ++i) {
            const int b = c.bodies.first + i - 1;
            const Body& body = model.bodies[b];
            const MassPlace<S> place(state, frame, i);
            if (body.carries_cluster) store_place(data, b, state, frame, i, place);
            if (body.inertia_kind != InertiaKind::none) data.I[b] = place.inertia(body);
        }
    }

    /// τ = Gᵀ of the forces through the joints.
    template <class S>
    static void project_by_G(const Model& model, Workspace<S>& data, const Cluster& c, S* tau) {
        pass_forces(model, data, c, false);
        if (c.armature) add_armature_forces(model, data, c, data.rate_change);
        const S* G = data.G.data() + c.G_begin;
        const S* force = data.force.data() + c.dof_begin;
        for (int j = 0; j < c.m; ++j) {
            S sum = force[0] * G[j];
            for (int i = 1; i < c.dofs; ++i) sum += force[i] * G[i * c.m + j];
            tau[model.y_index[c.y_begin + j]] = sum;
        }
    }

    template <int M, class S>
    [[gnu::always_inline]] static void store_embedding(Workspace<S>& data, const Cluster& c,
                                                       const PlaneState<M, S>& state) {
        S* G = data.G.data() + c.G_begin;
        for (int i = 0; i < M + 2; ++i)
            for (int j = 0; j < M; ++j) G[i * M + j] = state.G[i + 1][j];
    }

    template <int M, class S>
    [[gnu::always_inline]] static void store_jacobians(Workspace<S>& data, const Cluster& c,
                                                       const PlaneState<M, S>& state,
                                                       const PlaneFrame<S>& frame) {
        Motion<S>* J = data.J.data() + c.J_begin;
        state.each_jacobian([&](int i, const PlaneMotion<S>* own) {
            for (int j = 0; j < M; ++j) J[(i - 1) * M + j] = frame.motion(own[j]);
        });
    }

    /// Stores the placement of a body that others are attached to.
    template <int M, class S>
    [[gnu::always_inline]] static void store_place(Workspace<S>& data, int b, const PlaneState<M, S>& state,
                                                   const PlaneFrame<S>& frame, int i,
                                                   const MassPlace<S>& place) {
        const Link& link = state.linkage.links[i];
        data.R[b] = place.axes * link.rotation.template cast<S>();
        data.p[b] = frame.point(state.at[i], link.height);
    }

    /// D.
    template <int M, class S>
    [[gnu::always_inline]] static void inertia_in_plane(const Model& model, Workspace<S>& data,
                                                        const Cluster& c, const PlaneState<M, S>& state) {
        S D[M][M] = {};
        state.each_jacobian([&](int i, const PlaneMotion<S>* J) {
            const Link& link = state.linkage.links[i];
            const Body& body = model.bodies[c.bodies.first + i - 1];
            const Vector2<S> com = state.point(i, link.com.x, link.com.y);
            Vector2<S> moved[M];
            for (int j = 0; j < M; ++j) {
                moved[j] = point_velocity(J[j], com);
                const Vector2<S> momentum = moved[j] * S(body.mass);
                const S turned = J[j].angular * S(link.moment);
                for (int k = 0; k <= j; ++k) D[j][k] += dot(momentum, moved[k]) + turned * J[k].angular;
            }
            if (!c.armature) return;
            const S armature = S(model.armature[body.dof]);
            for (int j = 0; j < M; ++j)
                for (int k = 0; k <= j; ++k) D[j][k] += armature * state.G[i][j] * state.G[i][k];
        });
        for (int j = 0; j < M; ++j)
            for (int k = 0; k <= j; ++k) data.D[c.D_begin + j * M + k] = D[j][k];
    }

    /// Computes the force that the motion requires on each independent coordinate, into the first of
    /// data.force.
    template <int M, class S>
    [[gnu::always_inline]] static void force_in_plane(const Model& model, Workspace<S>& data,
                                                      const Cluster& c, const PlaneState<M, S>& state,
                                                      const S* change) {
        const Vector2<S> gravity{S(dot(state.linkage.axes.x, model.gravity)),
                                 S(dot(state.linkage.axes.y, model.gravity))};
        S force[M] = {};
        state.each_jacobian([&](int i, const PlaneMotion<S>* J) {
            const Link& link = state.linkage.links[i];
            const Body& body = model.bodies[c.bodies.first + i - 1];
            const Vector2<S> com = state.point(i, link.com.x, link.com.y);
            const Vector2<S> f = (point_acceleration(state.v[i], state.a[i], com) - gravity) * S(body.mass);
            const S moment = state.a[i].angular * S(link.moment);
            for (int j = 0; j < M; ++j) force[j] += dot(point_velocity(J[j], com), f) + J[j].angular * moment;
            if (!c.armature) return;
            const S own = change[i] * S(model.armature[body.dof]);
            for (int j = 0; j < M; ++j) force[j] += state.G[i][j] * own;
        });
        for (int j = 0; j < M; ++j) data.force[c.dof_begin + j] = force[j];
    }
};

}  // namespace grbda::kernels
