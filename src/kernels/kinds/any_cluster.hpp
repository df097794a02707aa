#pragma once

#include "kernels/inertia.hpp"
#include "kernels/rods.hpp"
#include "kernels/rotors.hpp"

// A cluster of any joints whose bodies move by J_i ẏ, whatever J_i is made of: of loops and couplings too in
// C-ABA.

namespace grbda::kernels {

/// Numbers summed over bodies: in registers where there are N, for N = 0 where they lie. In memory each sum
/// would wait for the store before it.
template <int N, class T>
class Sums {
public:
    explicit Sums(T* place) : place_(place) {
        for (int i = 0; i < N; ++i) values_[i] = place_[i];
    }
    T* values() { return values_; }
    void store() const {
        for (int i = 0; i < N; ++i) place_[i] = values_[i];
    }

private:
    T* place_;
    T values_[N];
};
template <class T>
class Sums<0, T> {
public:
    explicit Sums(T* place) : place_(place) {}
    T* values() { return place_; }
    void store() const {}

private:
    T* place_;
};

/// IA_λ −= W D⁻¹ Wᵀ, p_λ += W D⁻¹ u, with the factors of D, and W and u solved by L.
template <int M, class S>
[[gnu::always_inline]] inline void pass_to_parent(Data<S>& data, const Cluster& c, const S* D,
                                                  const Force<S>* W, const S* u) {
    const int m = M > 0 ? M : c.m;
    for (int j = 0; j < m; ++j) {
        const S inverse = D[j * m + j];
        data.IA[c.parent_body].subtract_outer(W[j], inverse);
        data.pA[c.parent_body] += W[j] * S(inverse * u[j]);
    }
}

/// ÿ = D⁻¹ (u − Wᵀ a_λ) of one cluster, with a what ÿ adds to a⁰. Returns a_λ.
template <int M, class S>
[[gnu::always_inline]] inline Motion<S> solve_acceleration(const Model& model, Data<S>& data,
                                                           const Cluster& c, S* ydd) {
    const int m = M > 0 ? M : c.m;
    const S* D = data.D.data() + c.D_begin;
    const S* u = data.u.data() + c.y_begin;
    const Force<S>* W = data.W.data() + c.W_begin;
    S* y = data.y_acceleration.data() + c.y_begin;
    const bool rooted = c.parent_body == world;
    const Motion<S> base = rooted ? Motion<S>{} : data.a[c.parent_body];
    for (int j = 0; j < m; ++j) y[j] = (rooted ? u[j] : S(u[j] - dot(base, W[j]))) * D[j * m + j];
    solve_upper<M>(D, m, y);
    for (int j = 0; j < m; ++j) ydd[model.y_index[c.y_begin + j]] = y[j];
    return base;
}

struct AnyCluster {
    /// Positions, velocities and, at ÿ = 0, accelerations and forces.
    template <class S>
    static void aba_forward(const Model& model, Data<S>& data, const Cluster& c, int cluster, const S* q,
                            const S* yd, bool loaded) {
        cluster_positions(model, data, c, cluster, q);
        cluster_velocities(model, data, c, q, yd);
        forces_at_rest(model, data, c, loaded);
    }

    template <class S>
    static void aba_backward(const Model& model, Data<S>& data, const Cluster& c, int cluster, bool loaded,
                             S*) {
        with_size(c.m, [&](auto m) { articulate_sized<m()>(model, data, c, cluster, loaded); });
    }

    template <class S>
    static void aba_accelerate(const Model& model, Data<S>& data, const Cluster& c, S* ydd) {
        with_size(c.m, [&](auto m) { accelerate_sized<m()>(model, data, c, ydd); });
    }

    template <class S>
    static void aba_solve_backward(const Model& model, Data<S>& data, const Cluster& c, S*) {
        with_size(c.m, [&](auto m) { reduce_sized<m()>(model, data, c); });
    }

    /// Positions, velocities, accelerations and forces; ydd null: ÿ = 0.
    template <class S>
    static void rnea_forward(const Model& model, Data<S>& data, const Cluster& c, int cluster, const S* q,
                             const S* yd, const S* ydd, bool) {
        cluster_positions(model, data, c, cluster, q);
        cluster_velocities(model, data, c, q, yd);
        cluster_forces(model, data, c, ydd);
    }

    /// The axial moment of a wrench on a rotor, through its row of G: it drives u in ABA.
    template <class S>
    static void aba_rotor_moment(const Model& model, Data<S>& data, const Cluster& c, const Rotor& rotor,
                                 const S& moment) {
        for (int j = 0; j < c.m; ++j)
            data.u[c.y_begin + j] += embedding_entry(model, data, c, rotor.dof - c.dof_begin, j) * moment;
    }

    /// In RNEA τ need not bring it about.
    template <class S>
    static void rnea_rotor_moment(const Model& model, Data<S>& data, const Cluster& c, const Rotor& rotor,
                                  const S& moment) {
        aba_rotor_moment(model, data, c, rotor, S(-moment));
    }

    /// Backward over one cluster: τ = Σ J_iᵀ f_i, f_λ += Σ f_i. Massless bodies bear forces if `loaded`.
    template <class S>
    static void rnea_backward(const Model& model, Data<S>& data, const Cluster& c, bool loaded, const S*,
                              S* tau) {
        S* u = data.u.data() + c.y_begin;
        if (c.reflected) folded_forces<0>(model, data, c, u);
        if (c.turning_armature) add_turning_forces(model, data, c, S(1), u);
        for (const int i : c.bodies) {
            if (model.bodies[i].inertia_kind == InertiaKind::none && !loaded) continue;
            const Force<S>& f = data.pA[i];
            const Motion<S>* J = jacobian_of(model, data, c, i);
            for (int j = 0; j < c.m; ++j) u[j] += dot(J[j], f);
            if (c.parent_body != world) data.pA[c.parent_body] += f;
        }
        for (int j = 0; j < c.m; ++j) tau[model.y_index[c.y_begin + j]] = u[j];
    }

    template <class S>
    static void crba_forward(const Model& model, Data<S>& data, const Cluster& c, int cluster, const S* q) {
        cluster_positions(model, data, c, cluster, q);
        for (const int i : c.bodies)
            if (model.bodies[i].inertia_kind != InertiaKind::none) data.I[i] = inertia_of(model, data, i);
    }

    template <class S>
    static void crba_backward(const Model& model, Data<S>& data, const Cluster& c) {
        with_size(c.m, [&](auto m) { composite_sized<m()>(model, data, c); });
    }

    template <class S, class Put>
    static int crba_block(const Model& model, const Data<S>& data, const Cluster& d, int b, const Force<S>* F,
                          int m, const Put& put) {
        const int* x = model.y_index.data() + d.y_begin;
        const Motion<S>* J = jacobian_of(model, data, d, b);
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < d.m; ++k) put(x[k], j, dot(J[k], F[j]));
        return d.parent_body;
    }

protected:
    /// Gᵀ of the forces that turn floating joints' momentum, into u [m].
    template <class S>
    static void add_turning_forces(const Model& model, const Data<S>& data, const Cluster& c, const S& sign,
                                   S* u) {
        turning_forces(model, data, c, [&](int dof, const S& force) {
            for (int j = 0; j < c.m; ++j)
                u[j] += embedding_entry(model, data, c, dof - c.dof_begin, j) * force * sign;
        });
    }

    /// Returns m if the sums of m independents stay in registers; else 0.
    static constexpr int few(int m) { return m <= 2 ? m : 0; }

private:
    /// IA = I, or of leaves I alone, a⁰ = a⁰_λ + b and p = I a⁰ + v ×* I v of the bodies of one cluster.
    template <class S>
    static void forces_at_rest(const Model& model, Data<S>& data, const Cluster& c, bool loaded) {
        const Motion<S> base =
            c.parent_body == world ? gravity_acceleration<S>(model) : data.a0[c.parent_body];
        for (const int i : c.bodies) {
            const auto at = static_cast<std::size_t>(i);
            const Body& body = model.bodies[at];
            if (body.inertia_kind == InertiaKind::none) {
                if (!loaded) continue;
                data.I[at] = RigidInertia<S>{};
                data.pA[at] = Force<S>{};
                continue;
            }
            const RigidInertia<S> I = inertia_of(model, data, i);
            const Motion<S> a0 = base + data.b[at];
            data.a0[at] = a0;
            if (body.inertia_kind != InertiaKind::articulated)
                data.I[at] = I;
            else
                data.IA[at] = articulated(I);
            data.pA[at] = moving_force(I, data.v[at], a0);
        }
        if (!c.rods.empty()) add_pair_forces(model, data, c, base, data.a0);
    }

    /// One body of a cluster, with its inertia, into D, u, W and the body that the cluster hangs on.
    template <int M, class S, class Inertia>
    [[gnu::always_inline]] static void articulate_body(const Model& model, Data<S>& data, const Cluster& c,
                                                       int i, const Inertia& I, S* D, S* u, Force<S>* W) {
        const int m = M > 0 ? M : c.m;
        const Motion<S>* J = jacobian_of(model, data, c, i);
        const Force<S>& pA = data.pA[i];
        const bool rooted = c.parent_body == world;
        for (int j = 0; j < m; ++j) {
            const Force<S> U = I * J[j];
            for (int k = 0; k <= j; ++k) D[j * m + k] += dot(J[k], U);
            u[j] -= dot(J[j], pA);
            if (!rooted) W[j] += U;
        }
        if (rooted) return;
        data.IA[c.parent_body] += I;
        data.pA[c.parent_body] += pA;
    }

    /// Backward over one cluster, from its bodies' IA or I and pA to those of the body that it hangs on.
    template <int M, class S>
    static void articulate_sized(const Model& model, Data<S>& data, const Cluster& c, int cluster,
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
        if (c.rotor_kind == RotorKind::moving) {
            articulate_rotors<M>(model, data, c, D, W, u);
            armature_bias(model, data, c, u);
            add_armature(model, data, c, D);
        }
        if (c.turning_armature) add_turning_forces(model, data, c, S(-1), u);

        const bool rooted = c.parent_body == world;
        const auto parent = static_cast<std::size_t>(c.parent_body);
        Sums<few(M) * few(M), S> D_sums(D);
        Sums<few(M), S> u_sums(u);
        Sums<few(M), Force<S>> W_sums(W);
        D = D_sums.values();
        u = u_sums.values();
        W = W_sums.values();
        for (const int i : c.bodies) {
            const auto at = static_cast<std::size_t>(i);
            if (model.bodies[at].inertia_kind == InertiaKind::none && !loaded) continue;
            if (model.bodies[at].inertia_kind != InertiaKind::articulated)
                articulate_body<M>(model, data, c, i, data.I[at], D, u, W);
            else
                articulate_body<M>(model, data, c, i, data.IA[at], D, u, W);
        }
        if (!c.rods.empty()) {
            subtract_rods<M>(model, data, c, D, W);
            if (!rooted) add_rod_inertias(model, data, c, data.IA[parent]);
        }

        data.margin[cluster] = factor_symmetric<M>(D, m, data.chart.inertia_floor.data() + c.y_begin);
        solve_lower<M>(D, m, u);
        D_sums.store();
        u_sums.store();
        if (rooted) return;
        solve_lower<M>(D, m, W);
        W_sums.store();
        pass_to_parent<M>(data, c, D, W, u);
    }

    /// Forward over one cluster: ÿ, and a_i = a_λ + J_i ÿ.
    template <int M, class S>
    static void accelerate_sized(const Model& model, Data<S>& data, const Cluster& c, S* ydd) {
        const int m = M > 0 ? M : c.m;
        const Motion<S> base = solve_acceleration<M>(model, data, c, ydd);
        const S* y = data.y_acceleration.data() + c.y_begin;
        for (const int i : c.bodies) {
            if (!model.bodies[i].bears) continue;
            const Motion<S>* J = jacobian_of(model, data, c, i);
            Motion<S> a = base;
            for (int j = 0; j < m; ++j) a += J[j] * y[j];
            data.a[i] = a;
        }
    }

    /// u −= Jᵀ p of one cluster; p and W D⁻¹ u go on to the body that it hangs on.
    template <int M, class S>
    static void reduce_sized(const Model& model, Data<S>& data, const Cluster& c) {
        const int m = M > 0 ? M : c.m;
        S* u = data.u.data() + c.y_begin;
        const S* D = data.D.data() + c.D_begin;
        const Force<S>* W = data.W.data() + c.W_begin;
        Force<S> passed{};
        for (const int i : c.bodies) {
            const Force<S>& pA = data.pA[i];
            const Motion<S>* J = jacobian_of(model, data, c, i);
            for (int j = 0; j < m; ++j) u[j] -= dot(J[j], pA);
            passed += pA;
        }
        solve_lower<M>(D, m, u);
        if (c.parent_body == world) return;
        for (int j = 0; j < m; ++j) passed += W[j] * S(D[j * m + j] * u[j]);
        data.pA[c.parent_body] += passed;
    }

    /// Forward over one cluster: a_i = a_λ + J_i ÿ + b_i, f_i = I_i a_i + v_i ×* I_i v_i. ydd null: ÿ = 0.
    template <class S>
    static void cluster_forces(const Model& model, Data<S>& data, const Cluster& c, const S* ydd) {
        S* y = data.y_acceleration.data() + c.y_begin;
        for (int j = 0; j < c.m; ++j) y[j] = ydd ? ydd[model.y_index[c.y_begin + j]] : S(0);
        const Motion<S> a_base = base_acceleration(model, data, c);
        for (const int i : c.bodies) {
            const auto at = static_cast<std::size_t>(i);
            const Body& body = model.bodies[at];
            data.pA[at] = Force<S>{};
            if (body.inertia_kind == InertiaKind::none) continue;
            const Motion<S>* J = jacobian_of(model, data, c, i);
            Motion<S> a = a_base + data.b[at];
            for (int j = 0; j < c.m; ++j) a += J[j] * y[j];
            data.a[at] = a;
            data.pA[at] = newton_euler(body, data.R[at], data.p[at], data.v[at], a);
        }
    }

    /// M_cc in data.D, F in data.W; adds the composite inertia to the parent body.
    template <int M, class S>
    static void composite_sized(const Model& model, Data<S>& data, const Cluster& c) {
        const int m = M > 0 ? M : c.m;
        S* D = data.D.data() + c.D_begin;
        Force<S>* F = data.W.data() + c.W_begin;
        for (int j = 0; j < m; ++j) {
            F[j] = Force<S>{};
            if (c.is_spinning()) F[j].angular = folded_momentum(model, data, c, j);
            for (int k = 0; k <= j; ++k) D[j * m + k] = constant_inertia<S>(model, c, j, k);
        }
        const bool rooted = c.parent_body == world;
        Sums<few(M) * few(M), S> D_sums(D);
        Sums<few(M), Force<S>> F_sums(F);
        for (const int i : c.bodies) {
            if (model.bodies[i].inertia_kind == InertiaKind::none) continue;
            const RigidInertia<S>& I = data.I[i];
            const Motion<S>* J = jacobian_of(model, data, c, i);
            for (int j = 0; j < m; ++j) {
                const Force<S> f = I * J[j];
                if (!rooted) F_sums.values()[j] += f;
                for (int k = 0; k <= j; ++k) D_sums.values()[j * m + k] += dot(J[k], f);
            }
            if (!rooted) data.I[c.parent_body] += I;
        }
        if (!c.rods.empty()) {
            subtract_rods<M>(model, data, c, D_sums.values(), F_sums.values());
            if (!rooted) add_rod_inertias(model, data, c, data.I[c.parent_body]);
        }
        D_sums.store();
        F_sums.store();
        if (c.rotor_kind != RotorKind::moving) return;
        add_armature(model, data, c, D);
        for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor)
            add_rotor(gyrostat(model, data, c, *rotor), m, D, F);
    }
};

}  // namespace grbda::kernels
