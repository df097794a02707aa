#pragma once

#include "grbda/kernels/gyrostat.hpp"
#include "grbda/kernels/sizes.hpp"

// C-CRBA: composite rigid inertias by body, blocks M_dc = J_bᵀ F for every
// ancestor cluster d met at its body b (Featherstone 2008, Table 6.2; URDF+
// paper, Sec. IV).

namespace grbda::kernels {

/// j Gᵀ G of the reflected inertias of a cluster that is not folded, into the lower triangle of D.
template <class S>
void add_armature(const Model& model, const Data<S>& data, const Cluster& c, S* D) {
    if (!c.armature) return;
    for (int i = 0; i < c.dofs; ++i) {
        const S inertia = S(model.armature[static_cast<std::size_t>(c.dof_begin + i)]);
        const S* w = data.G.data() + c.G_begin + i * c.m;
        for (int j = 0; j < c.m; ++j)
            for (int k = 0; k <= j; ++k) D[j * c.m + k] += inertia * w[j] * w[k];
    }
}

/// M_cc in data.D, F in data.W; adds the composite inertia to the parent body.
template <int M, class S>
void composite(const Model& model, Data<S>& data, const Cluster& c) {
    const int m = M > 0 ? M : c.m;
    S* D = data.D.data() + c.D_begin;
    Force<S>* F = data.W.data() + c.W_begin;
    for (int j = 0; j < m; ++j) {
        F[j] = Force<S>{};
        if (c.spinning)
            F[j].angular = folded_momentum(model, c, data.R[static_cast<std::size_t>(c.parent_body)], j);
        for (int k = 0; k <= j; ++k) D[j * m + k] = constant_inertia<S>(model, c, j, k);
    }
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const RigidInertia<S>& I = data.I[static_cast<std::size_t>(i)];
        const Motion<S>* J = jacobian_of(model, data, c, i);
        for (int j = 0; j < m; ++j) {
            const Force<S> f = I * J[j];
            F[j] += f;
            for (int k = 0; k <= j; ++k) D[j * m + k] += dot(J[k], f);
        }
        if (c.parent_body != world) data.I[static_cast<std::size_t>(c.parent_body)] += I;
    }
    if (c.folded) return;
    add_armature(model, data, c, D);
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        const Gyrostat<S> r = gyrostat(model, data, c, *rotor);
        for (int j = 0; j < m; ++j) {
            F[j].angular += r.h * r.w[j];
            for (int k = 0; k <= j; ++k) {
                D[j * m + k] += r.inertia * r.w[j] * r.w[k];
                if (r.J)
                    D[j * m + k] += dot(r.J[j].angular, r.h) * r.w[k] + dot(r.J[k].angular, r.h) * r.w[j];
            }
        }
    }
}

/// Blocks M_dc = J_bᵀ F of a cluster with all its ancestors.
template <class S, class Set>
void ancestor_blocks(const Model& model, const Data<S>& data, const Cluster& c, const Set& set) {
    const int* y = model.y_index.data() + c.y_begin;
    const Force<S>* F = data.W.data() + c.W_begin;
    for (int b = c.parent_body; b != world;) {
        const Cluster& d =
            model.clusters[static_cast<std::size_t>(model.bodies[static_cast<std::size_t>(b)].cluster)];
        const Motion<S>* J = jacobian_of(model, data, d, b);
        const int* x = model.y_index.data() + d.y_begin;
        for (int j = 0; j < c.m; ++j)
            for (int k = 0; k < d.m; ++k) set(x[k], y[j], dot(J[k], F[j]));
        b = d.parent_body;
    }
}

/// The full symmetric mass matrix [nv × nv] with column stride `stride`.
template <class S>
void crba(const Model& model, Data<S>& data, const S* q, S* M, int stride) {
    positions(model, data, q);
    for (int i = 0; i < model.body_count(); ++i)
        if (!model.bodies[static_cast<std::size_t>(i)].rotor)
            data.I[static_cast<std::size_t>(i)] = inertia_of(model, data, i);
    for (int j = 0; j < model.nv; ++j)
        for (int i = 0; i < model.nv; ++i) M[j * stride + i] = S(0);
    const auto set = [&](int i, int j, const S& value) {
        M[j * stride + i] = value;
        M[i * stride + j] = value;
    };
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        with_size(c->m, [&](auto m) { composite<m()>(model, data, *c); });
        const S* D = data.D.data() + c->D_begin;
        const int* y = model.y_index.data() + c->y_begin;
        for (int j = 0; j < c->m; ++j)
            for (int k = 0; k <= j; ++k) set(y[j], y[k], D[j * c->m + k]);
        ancestor_blocks(model, data, *c, set);
    }
}

}  // namespace grbda::kernels
