#pragma once

#include "grbda/kernels/aba.hpp"

// M⁻¹ f from the factors that C-ABA leaves: M = (1 + …)ᵀ D (1 + …) by clusters, so that f goes inward as
// forces of what is not accelerated yet, and comes outward as accelerations. The second half of ABA alone.

namespace grbda::kernels {

/// u −= Jᵀ p of one cluster; p and W D⁻¹ u go on to the body that it hangs on.
template <int M, class S>
void reduce_forces(const Model& model, Data<S>& data, const Cluster& c) {
    const int m = M > 0 ? M : c.m;
    S* u = data.u.data() + c.y_begin;
    const S* D = data.D.data() + c.D_begin;
    const Force<S>* W = data.W.data() + c.W_begin;
    Force<S> passed{};
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Force<S>& pA = data.pA[static_cast<std::size_t>(i)];
        const Motion<S>* J = jacobian_of(model, data, c, i);
        for (int j = 0; j < m; ++j) u[j] -= dot(J[j], pA);
        passed += pA;
    }
    solve_lower<M>(D, m, u);
    if (c.parent_body == world) return;
    for (int j = 0; j < m; ++j) passed += W[j] * S(D[j * m + j] * u[j]);
    data.pA[static_cast<std::size_t>(c.parent_body)] += passed;
}

/// The same for a joint cluster of one body.
template <class S>
void reduce_joint_force(const Model& model, Data<S>& data, const Cluster& c) {
    const Body& body = model.bodies[static_cast<std::size_t>(c.body_begin)];
    const Force<S>& pA = data.pA[static_cast<std::size_t>(c.body_begin)];
    S& u = data.u[static_cast<std::size_t>(c.y_begin)];
    u -= dot(data.s[static_cast<std::size_t>(c.dof_begin)], pA);
    const S inverse = data.D[static_cast<std::size_t>(c.D_begin)];
    data.pA[static_cast<std::size_t>(body.parent)] +=
        pA + data.W[static_cast<std::size_t>(c.W_begin)] * S(inverse * u);
}

/// x = M⁻¹ f, both [nv] in the user's order; x may be f. After aba() at the same q.
template <class S>
void inverse_mass_times(const Model& model, Data<S>& data, const S* f, S* x) {
    for (int y = 0; y < model.nv; ++y)
        data.u[static_cast<std::size_t>(y)] = f[model.y_index[static_cast<std::size_t>(y)]];
    for (Force<S>& force : data.pA) force = Force<S>{};
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        if (c->joint_cluster && c->m == 1)
            reduce_joint_force(model, data, *c);
        else if (c->floating)
            accelerate_floating_base(model, data, *c, x);
        else
            with_size(c->m, [&](auto m) { reduce_forces<m()>(model, data, *c); });
    }
    accelerate_clusters(model, data, x);
}

}  // namespace grbda::kernels
