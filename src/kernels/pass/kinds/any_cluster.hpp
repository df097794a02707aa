#pragma once

#include "kernels/pass/aba.hpp"
#include "kernels/pass/crba.hpp"
#include "kernels/pass/rnea.hpp"

// ABA and CRBA of a cluster of any joints, loops and couplings by pass/aba.hpp and pass/crba.hpp, and RNEA of
// a single joint by pass/rnea.hpp. RNEA of clusters with loops and couplings is in tree_cluster.hpp.

namespace grbda::kernels {

struct AnyCluster {
    template <class S>
    static void aba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster, const S* q,
                            const S* yd, bool loaded) {
        cluster_positions(model, data, c, cluster, q);
        cluster_velocities(model, data, c, q, yd);
        bias_forces(model, data, c, loaded);
    }

    template <class S>
    static void aba_backward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             bool loaded, S*) {
        with_size(c.m, [&](auto m) { articulate<m()>(model, data, c, cluster, loaded); });
    }

    template <class S>
    static void aba_accelerate(const Model& model, Workspace<S>& data, const Cluster& c, S* ydd) {
        with_size(c.m, [&](auto m) { accelerate<m()>(model, data, c, ydd); });
    }

    template <class S>
    static void aba_solve_backward(const Model& model, Workspace<S>& data, const Cluster& c, S*) {
        with_size(c.m, [&](auto m) { solve_backward<m()>(model, data, c); });
    }

    /// A moment about the axis of a rotor acts on u through the rotor's row of G.
    template <class S>
    static void aba_rotor_moment(const Model& model, Workspace<S>& data, const Cluster& c, const Rotor& rotor,
                                 const S& moment) {
        for (int j = 0; j < c.m; ++j)
            data.u[c.y_begin + j] += embedding_entry(model, data, c, rotor.dof - c.dof_begin, j) * moment;
    }

    template <class S>
    static void rnea_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             const S* q, const S* yd, const S* ydd, bool) {
        cluster_positions(model, data, c, cluster, q);
        cluster_velocities(model, data, c, q, yd);
        body_forces(model, data, c, ydd);
    }

    /// τ is smaller by what the moment contributes.
    template <class S>
    static void rnea_rotor_moment(const Model& model, Workspace<S>& data, const Cluster& c,
                                  const Rotor& rotor, const S& moment) {
        aba_rotor_moment(model, data, c, rotor, S(-moment));
    }

    template <class S>
    static void rnea_backward(const Model& model, Workspace<S>& data, const Cluster& c, bool loaded, const S*,
                              S* tau) {
        project_body_forces(model, data, c, loaded, tau);
    }

    template <class S>
    static void crba_forward(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                             const S* q) {
        cluster_positions(model, data, c, cluster, q);
        for (const int i : c.bodies)
            if (model.bodies[i].inertia_kind != InertiaKind::none) data.I[i] = inertia_of(model, data, i);
    }

    template <class S>
    static void crba_backward(const Model& model, Workspace<S>& data, const Cluster& c) {
        with_size(c.m, [&](auto m) { composite<m()>(model, data, c); });
    }

    template <class S, class Put>
    static int crba_block(const Model& model, const Workspace<S>& data, const Cluster& c, int b,
                          const Force<S>* F, int m, const Put& put) {
        return composite_block(model, data, c, b, F, m, put);
    }

private:
    /// Step 2 of ABA for u alone: u −= Jᵀ p, and p_parent += Σ p_i + W D⁻¹ u.
    template <int M, class S>
    static void solve_backward(const Model& model, Workspace<S>& data, const Cluster& c) {
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
};

}  // namespace grbda::kernels
