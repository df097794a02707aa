#pragma once

#include <algorithm>

#include "grbda/kernels/kinds/visit.hpp"

// C-CRBA: composite rigid inertias by body, blocks M_dc = J_bᵀ F for every
// ancestor cluster d met at its body b (Featherstone 2008, Table 6.2; URDF+
// paper, Sec. IV).

namespace grbda::kernels {

/// Blocks M_dc = J_bᵀ F of a cluster with all its ancestors. A function of its own, as composite() of joints
/// is: within crba() they take registers from each other, up to 4 % of the time of small robots.
template <class S, class Set>
[[gnu::noinline]] void ancestor_blocks(const Model& model, const Data<S>& data, const Cluster& c,
                                       const Set& set) {
    const int* y = model.y_index.data() + c.y_begin;
    const Force<S>* F = data.W.data() + c.W_begin;
    const auto put = [&](int x, int j, const S& value) { set(x, y[j], value); };
    for (int b = c.parent_body; b != world;) {
        const Cluster& d = model.clusters[model.bodies[b].cluster];
        b = visit(d, [&](auto kind) { return kind.block(model, data, d, b, F, c.m, put); });
    }
}

/// The full symmetric mass matrix [nv × nv] with column stride `stride`.
template <class S>
void crba(const Model& model, Data<S>& data, const S* q, S* M, int stride) {
    ensure_room(model, data);
    turn_joints(model, data, q);
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        visit(c, [&](auto kind) { kind.place(model, data, c, k, q); });
    }
    if (stride == model.nv)
        std::fill_n(M, model.nv * model.nv, S(0));
    else
        for (int j = 0; j < model.nv; ++j) std::fill_n(M + j * stride, model.nv, S(0));
    const auto set = [&](int i, int j, const S& value) {
        M[j * stride + i] = value;
        M[i * stride + j] = value;
    };
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        visit(*c, [&](auto kind) { kind.composite(model, data, *c); });
        const S* D = data.D.data() + c->D_begin;
        const int* y = model.y_index.data() + c->y_begin;
        for (int j = 0; j < c->m; ++j)
            for (int k = 0; k <= j; ++k) set(y[j], y[k], D[j * c->m + k]);
        if (c->parent_body != world) ancestor_blocks(model, data, *c, set);
    }
}

}  // namespace grbda::kernels
