#pragma once

#include "any_cluster.hpp"
#include "kernels/cluster/cut_tree.hpp"

// Specialises all steps of pass/rnea.hpp, and for Form::tree those of pass/aba.hpp and pass/crba.hpp, for
// clusters with loops and couplings: sums along the spanning tree replace the Jacobians J. With the inertia H
// of the tree's joints, their momenta U and the forces f on them, D or M_cc is Gᵀ H G, W or F is Gᵀ U, and u
// is τ − Gᵀ f.

namespace grbda::kernels {

/// RNEA and CRBA of any such cluster.
struct CutTree {
    /// The axial moment of a wrench on a rotor, as a force on its own joint.
    template <class S>
    static void rnea_rotor_moment(const Model&, Workspace<S>& data, const Cluster&, const Rotor& rotor,
                                  const S& moment) {
        data.force[rotor.dof] -= moment;
    }

    /// Positions, velocities, accelerations and forces; ydd null: ÿ = 0.
    template <class S>
    static void rnea_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             const S* q, const S* yd, const S* ydd, bool) {
        S *const rate = data.y_rate.data() + c.y_begin, *const change =
                                                            data.y_acceleration.data() + c.y_begin;
        const S* none = nullptr;
        place_cut_tree(model, data, c, cluster, q);
        gather_coordinates(model, c, yd, rate);
        complete_motion(model, data, c, rate, none, data.rate.data() + c.dof_begin);
        move_bodies(model, data, c);
        if (c.embedding == Embedding::implicit) constraint_bias(model, data, c, q);
        gather_coordinates(model, c, ydd, change);
        complete_motion(model, data, c, change, data.k.data() + c.row_begin,
                        data.rate_change.data() + c.dof_begin);
        const Motion<S> base = base_acceleration(model, data, c);
        for (const int i : c.bodies) {
            const auto at = static_cast<std::size_t>(i);
            const Body& body = model.bodies[at];
            const Motion<S> a = next_acceleration(data, c, body, i, data.a, base, data.rate_change.data());
            data.a[at] = a;
            data.pA[at] =
                body.massless ? Force<S>{} : newton_euler(body, data.R[at], data.p[at], data.v[at], a);
        }
        if (!c.rods.empty()) add_pair_forces(model, data, c, base, data.a);
        for (const int i : c.reduced()) data.force[model.bodies[i].dof] = S(0);
    }

    /// Computes forces through the joints, tips to base, then on the independent ones. Massless bodies carry
    /// forces only if `loaded`.
    template <class S>
    static void rnea_backward(const Model& model, Workspace<S>& data, const Cluster& c, bool loaded, const S*,
                              S* tau) {
        S* u = data.u.data() + c.y_begin;
        if (c.reflected) folded_forces<0>(model, data, c, u);
        if (c.rotor_kind == RotorKind::moving) load_carriers(model, data, c, data.a, data.rate_change);
        pass_forces(model, data, c, loaded);
        if (c.rotor_kind == RotorKind::moving && c.armature)
            add_armature_forces(model, data, c, data.rate_change);
        add_turning(model, data, c);
        add_projected(model, data, c, data.force.data() + c.dof_begin, u);
        for (int j = 0; j < c.m; ++j) tau[model.y_index[c.y_begin + j]] = u[j];
    }

    template <class S>
    static void crba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             const S* q) {
        if (is_on_tangent(data, c)) [[unlikely]]
            return AnyCluster::crba_forward(model, data, c, cluster, q);
        place_cut_tree(model, data, c, cluster, q);
        embed(model, data, c);
        cluster_jacobians<Bodies::carrying>(model, data, c);
        for (const int i : c.bodies)
            if (!model.bodies[i].massless) data.I[i] = inertia_of(model, data, i);
    }

    template <class S>
    static void crba_backward(const Model& model, Workspace<S>& data, const Cluster& c) {
        with_size(c.m, [&](auto m) { composite_sized<m()>(model, data, c); });
    }

    template <class S, class Put>
    static int crba_block(const Model& model, const Workspace<S>& data, const Cluster& d, int b,
                          const Force<S>* F, int m, const Put& put) {
        return AnyCluster::crba_block(model, data, d, b, F, m, put);
    }

protected:
    /// Force on each joint, and forces of the bodies on to those before them.
    template <class S>
    static void pass_forces(const Model& model, Workspace<S>& data, const Cluster& c, bool loaded) {
        for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
            const Body& body = model.bodies[i];
            const int end = body.dof + velocity_size(body.joint);
            if (body.massless && !loaded) {
                for (int dof = body.dof; dof < end; ++dof) data.force[dof] = S(0);
                continue;
            }
            const Force<S>& f = data.pA[i];
            for (int dof = body.dof; dof < end; ++dof) data.force[dof] = dot(data.s[dof], f);
            if (body.parent != world) data.pA[body.parent] += f;
        }
    }

    /// Forces of rotors on their carriers, and on their own joints; a of bodies and of spins.
    template <class S>
    static void load_carriers(const Model& model, Workspace<S>& data, const Cluster& c,
                              const Table<Motion<S>>& a, const Table<S>& spin) {
        for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor)
            data.force[rotor->dof] += load_carrier(data, *rotor, a, spin[rotor->dof]);
    }

    template <class S>
    static void add_armature_forces(const Model& model, Workspace<S>& data, const Cluster& c,
                                    const Table<S>& change) {
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
            data.force[dof] += change[dof] * S(model.armature[dof]);
    }

    template <class S>
    static void add_turning(const Model& model, Workspace<S>& data, const Cluster& c) {
        if (c.turning_armature)
            turning_forces(model, data, c, [&](int dof, const S& force) { data.force[dof] += force; });
    }

private:
    /// M_cc in data.D, F in data.W; adds the composite inertia to the body before.
    template <int M, class S>
    static void composite_sized(const Model& model, Workspace<S>& data, const Cluster& c) {
        const int m = M > 0 ? M : c.m;
        if (is_on_tangent(data, c)) [[unlikely]]
            return AnyCluster::crba_backward(model, data, c);
        S* D = data.D.data() + c.D_begin;
        Force<S>* F = data.W.data() + c.W_begin;
        for (int j = 0; j < m; ++j) {
            F[j] = Force<S>{};
            if (c.is_spinning()) F[j].angular = folded_momentum(model, data, c, j);
            for (int k = 0; k <= j; ++k) D[j * m + k] = constant_inertia<S>(model, c, j, k);
        }
        JointInertia<S> H(data, c);
        for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
            const Body& body = model.bodies[i];
            if (body.massless) {
                add_massless_joint(model, data, i);
                continue;
            }
            add_joint(model, data, c, i, data.I[i], H);
            if (body.parent != world) data.I[body.parent] += data.I[i];
        }
        add_driven(model, data, c, H);
        if (!c.rods.empty()) {
            subtract_rods_from_joints(model, data, c, H);
            if (c.parent_body != world) add_rod_inertias(model, data, c, data.I[c.parent_body]);
        }
        project_inertia<M>(data, c, H, D);
        if (c.parent_body != world) project_momenta<M>(data, c, F);
    }
};

/// By J where that is cheaper: all but RNEA, which moves and loads one vector only.
struct GeneralCluster : AnyCluster {
    template <class S>
    static void rnea_rotor_moment(const Model& model, Workspace<S>& data, const Cluster& c,
                                  const Rotor& rotor, const S& moment) {
        CutTree::rnea_rotor_moment(model, data, c, rotor, moment);
    }
    template <class S>
    static void rnea_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             const S* q, const S* yd, const S* ydd, bool loaded) {
        CutTree::rnea_forward(model, data, c, cluster, q, yd, ydd, loaded);
    }
    template <class S>
    static void rnea_backward(const Model& model, Workspace<S>& data, const Cluster& c, bool loaded,
                              const S* ydd, S* tau) {
        CutTree::rnea_backward(model, data, c, loaded, ydd, tau);
    }
};

/// Without J in ABA too; on a tangent with it, where no velocity is independent.
struct TreeCluster : CutTree {
    template <class S>
    static void aba_rotor_moment(const Model& model, Workspace<S>& data, const Cluster& c, const Rotor& rotor,
                                 const S& moment) {
        if (is_on_tangent(data, c)) [[unlikely]]
            return AnyCluster::aba_rotor_moment(model, data, c, rotor, moment);
        rnea_rotor_moment(model, data, c, rotor, moment);
    }

    /// Positions, velocities and, at ÿ = 0, accelerations and forces.
    template <class S>
    static void aba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster, const S* q,
                            const S* yd, bool loaded) {
        if (is_on_tangent(data, c)) [[unlikely]]
            return AnyCluster::aba_forward(model, data, c, cluster, q, yd, loaded);
        place_cut_tree(model, data, c, cluster, q);
        embed(model, data, c);
        cluster_rates(model, data, c, yd);
        move_bodies(model, data, c);
        S* g = data.g.data() + c.dof_begin;
        for (int j = 0; j < c.dofs; ++j) g[j] = S(0);
        if (c.embedding == Embedding::implicit) {
            constraint_bias(model, data, c, q);
            solve_dependents(model, data, c, data.k.data() + c.row_begin, g);
        }
        forces_at_rest(model, data, c);
        for (const int i : c.reduced()) data.force[model.bodies[i].dof] = S(0);
    }

    template <class S>
    static void aba_backward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             bool loaded, S* ydd) {
        if (is_on_tangent(data, c)) [[unlikely]]
            return AnyCluster::aba_backward(model, data, c, cluster, loaded, ydd);
        with_size(c.m, [&](auto m) { articulate_sized<m()>(model, data, c, cluster, loaded); });
    }

    template <class S>
    static void aba_accelerate(const Model& model, Workspace<S>& data, const Cluster& c, S* ydd) {
        if (is_on_tangent(data, c)) [[unlikely]]
            return AnyCluster::aba_accelerate(model, data, c, ydd);
        with_size(c.m, [&](auto m) { accelerate_sized<m()>(model, data, c, ydd); });
    }

    template <class S>
    static void aba_solve_backward(const Model& model, Workspace<S>& data, const Cluster& c, S* x) {
        if (is_on_tangent(data, c)) [[unlikely]]
            return AnyCluster::aba_solve_backward(model, data, c, x);
        with_size(c.m, [&](auto m) { reduce_sized<m()>(model, data, c); });
    }

private:
    /// a⁰, p = I a⁰ + v ×* I v and IA = I. A body to which no cluster is attached keeps I in place of IA.
    template <class S>
    static void forces_at_rest(const Model& model, Workspace<S>& data, const Cluster& c) {
        const Motion<S> base =
            c.parent_body == world ? gravity_acceleration<S>(model) : data.a0[c.parent_body];
        for (const int i : c.bodies) {
            const auto at = static_cast<std::size_t>(i);
            const Body& body = model.bodies[at];
            const Motion<S> a0 = next_acceleration(data, c, body, i, data.a0, base, data.g.data());
            data.a0[at] = a0;
            if (body.massless) {
                data.pA[at] = Force<S>{};
                continue;
            }
            const RigidInertia<S> I = inertia_of(model, data, i);
            if (body.inertia_kind == InertiaKind::articulated)
                data.IA[at] = articulated(I);
            else
                data.I[at] = I;
            data.pA[at] = moving_force(I, data.v[at], a0);
        }
        if (!c.rods.empty()) add_pair_forces(model, data, c, base, data.a0);
    }

    /// A body's inertia to that of the one before.
    template <class S>
    static void pass_inertia(const Model& model, Workspace<S>& data, const Cluster& c, const Body& body,
                             int i) {
        const int p = body.parent;
        if (p == world) return;
        if (body.inertia_kind == InertiaKind::articulated)
            data.IA[p] += data.IA[i];
        else if (p == c.parent_body || model.bodies[p].inertia_kind == InertiaKind::articulated)
            data.IA[p] += data.I[i];
        else
            data.I[p] += data.I[i];
    }

    /// H and U of all joints, tips to base.
    template <class S>
    static void sum_inertias(const Model& model, Workspace<S>& data, const Cluster& c, JointInertia<S>& H) {
        for (int i = c.bodies.last - 1; i >= c.bodies.first; --i) {
            const Body& body = model.bodies[i];
            if (body.massless) {
                add_massless_joint(model, data, i);
                continue;
            }
            if (body.inertia_kind == InertiaKind::articulated)
                add_joint(model, data, c, i, data.IA[i], H);
            else
                add_joint(model, data, c, i, data.I[i], H);
            pass_inertia(model, data, c, body, i);
        }
        add_driven(model, data, c, H);
        if (c.rods.empty()) return;
        subtract_rods_from_joints(model, data, c, H);
        if (c.parent_body != world) add_rod_inertias(model, data, c, data.IA[c.parent_body]);
    }

    /// Step 2: D, W and u of a cluster, articulated inertia and force of the body to which it is attached.
    template <int M, class S>
    static void articulate_sized(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                                 bool loaded) {
        const int m = M > 0 ? M : c.m;
        S* D = data.D.data() + c.D_begin;
        S* u = data.u.data() + c.y_begin;
        Force<S>* W = data.W.data() + c.W_begin;
        for (int j = 0; j < m; ++j) {
            W[j] = Force<S>{};
            for (int k = 0; k <= j; ++k) D[j * m + k] = constant_inertia<S>(model, c, j, k);
        }
        if (c.is_spinning()) articulate_folded_rotors<M>(model, data, c, W, u);
        JointInertia<S> H(data, c);
        sum_inertias(model, data, c, H);
        if (c.rotor_kind == RotorKind::moving) load_carriers(model, data, c, data.a0, data.g);
        pass_forces(model, data, c, loaded);
        if (c.rotor_kind == RotorKind::moving && c.armature) add_armature_forces(model, data, c, data.g);
        add_turning(model, data, c);

        project_inertia<M>(data, c, H, D);
        subtract_projected<M>(data, c, data.force.data(), u);
        data.margin[cluster] = factor_symmetric<M>(D, m, data.chart.inertia_floor.data() + c.y_begin);
        solve_lower<M>(D, m, u);
        if (c.parent_body == world) return;
        project_momenta<M>(data, c, W);
        solve_lower<M>(D, m, W);
        pass_to_parent<M>(data, c, D, W, u);
    }

    /// Step 3: ÿ = D⁻¹ (u − Wᵀ a_parent), and a of the bodies to which clusters are attached.
    template <int M, class S>
    static void accelerate_sized(const Model& model, Workspace<S>& data, const Cluster& c, S* ydd) {
        const int m = M > 0 ? M : c.m;
        const Motion<S> base = solve_acceleration<M>(model, data, c, ydd);
        const S* y = data.y_acceleration.data() + c.y_begin;
        for (const int i : c.bodies) {
            const Body& body = model.bodies[i];
            if (!body.carries_cluster) continue;
            Motion<S> a = body.parent == c.parent_body ? base : data.a[body.parent];
            for (int dof = body.dof; dof < body.dof + velocity_size(body.joint); ++dof) {
                const S* G = data.G.data() + c.G_begin + (dof - c.dof_begin) * m;
                S change(0);
                for (int j = 0; j < m; ++j) change += G[j] * y[j];
                a += data.s[dof] * change;
            }
            data.a[i] = a;
        }
    }

    /// Step 2 of u alone: u −= Gᵀ Sᵀ p; p and W D⁻¹ u are added to the force of the parent body.
    template <int M, class S>
    static void reduce_sized(const Model& model, Workspace<S>& data, const Cluster& c) {
        const int m = M > 0 ? M : c.m;
        S* u = data.u.data() + c.y_begin;
        const S* D = data.D.data() + c.D_begin;
        const Force<S>* W = data.W.data() + c.W_begin;
        pass_forces(model, data, c, true);
        for (const int i : c.reduced()) data.force[model.bodies[i].dof] = S(0);
        subtract_projected<M>(data, c, data.force.data(), u);
        solve_lower<M>(D, m, u);
        if (c.parent_body == world) return;
        for (int j = 0; j < m; ++j) data.pA[c.parent_body] += W[j] * S(D[j * m + j] * u[j]);
    }
};

}  // namespace grbda::kernels
