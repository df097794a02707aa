#pragma once

#include <algorithm>
#include <cstddef>

#include "grbda/triangle.hpp"
#include "kernels/body/inertia.hpp"
#include "kernels/cluster/rotors.hpp"
#include "kernels/rod/rods.hpp"
#include "protocol.hpp"
#include "sums.hpp"

// Mass matrix on the cluster tree: C-CRBA (URDF+ paper, Sec. IV). With one body in each cluster it is the
// composite-rigid-body algorithm of Featherstone 2008, Table 6.2.
//
//   parent  body to which cluster c is attached
//   J_i     motion of body i relative to parent per unit ẏ
//   I_i     rigid inertia of body i, then composite: with the subtrees attached to it
//   F       wrenches [m] that parent exerts on c and its subtree per unit ÿ of c
//   M_cc, M_cd   blocks of the mass matrix
//
//   step 1, outward   I_i of all bodies
//   step 2, inward    F = Σ I_i J_i     M_cc = Σ J_iᵀ I_i J_i     I_parent += Σ I_i
//   step 3            M_cd = J_bᵀ F_d for each descendant d of c; b is the body of c on the path from c to d
//
// Steps 2 and 3 share one inward loop. Clusters are in depth-first order: the forces F of all clusters
// attached to a body are consecutive in memory and make one block.

namespace grbda::kernels {

/// Step 1: positions and rigid inertias of all bodies. Defined in kinds/composite.hpp, which treats
/// consecutive clusters of joints together.
template <class S>
[[gnu::always_inline]] inline void place_all(const Model& model, Workspace<S>& data, const S* q);

/// visit() for steps 2 and 3. Defined in kinds/composite.hpp.
template <class S, class F>
[[gnu::always_inline]] inline void visit_composite(const Model& model, const Cluster& c, const F& f);

/// Step 2: M_cc in data.D and F in data.W; adds the composite inertia to the parent body.
template <int M, class S>
void composite(const Model& model, Workspace<S>& data, const Cluster& c) {
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

/// Step 3 for the wrenches F [m] of descendants behind body b: calls put(row of M, column of F, entry).
/// Returns the body to which the cluster is attached.
template <class S, class Put>
int composite_block(const Model& model, const Workspace<S>& data, const Cluster& c, int b, const Force<S>* F,
                    int m, const Put& put) {
    const int* x = model.y_index.data() + c.y_begin;
    const Motion<S>* J = jacobian_of(model, data, c, b);
    for (int j = 0; j < m; ++j)
        for (int k = 0; k < c.m; ++k) put(x[k], j, dot(J[k], F[j]));
    return c.parent_body;
}

/// Step 3 for all descendants of a cluster. Those attached to one body make one block, except for a scalar
/// that records operations.
template <class Kind, class S, class Set>
void descendant_blocks(Kind kind, const Model& model, const Workspace<S>& data, const Cluster& c,
                       const Set& set) {
    for (int k = c.index + 1; k < c.after;) {
        const int body = model.clusters[k].parent_body;
        const auto blocks = [&](const Cluster& first, const Cluster& last) {
            const int m = last.y_begin + last.m - first.y_begin;
            const Force<S>* F = data.W.data() + first.W_begin;
            const auto put = [y = model.y_index.data() + first.y_begin, set](int x, int j, const S& value) {
                set(x, y[j], value);
            };
            for (int b = body; b != c.parent_body;) b = kind.crba_block(model, data, c, b, F, m, put);
        };
        int end = k;
        while (end < c.after && model.clusters[end].parent_body == body) end = model.clusters[end].after;
        if constexpr (RecordsOperations<S>) {
            for (; k < end; ++k) {
                enter_cluster<S>(k);
                blocks(model.clusters[k], model.clusters[k]);
            }
        } else {
            blocks(model.clusters[k], model.clusters[end - 1]);
            k = end;
        }
    }
}

/// Computes steps 2 and 3, after place_all(). Calls set(i, j, value) with entries of the mass matrix in the
/// user's order: one of M_ij and M_ji, and none for pairs in different branches of the tree, which are zero.
template <class S, class Set>
[[gnu::always_inline]] inline void mass_blocks(const Model& model, Workspace<S>& data, const Set& set) {
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        enter_cluster<S>(c->index);
        visit_composite<S>(model, *c, [&](auto kind) {
            kind.crba_backward(model, data, *c);
            const S* D = data.D.data() + c->D_begin;
            const int* y = model.y_index.data() + c->y_begin;
            for (int j = 0; j < c->m; ++j)
                for (int k = 0; k <= j; ++k) set(y[j], y[k], D[j * c->m + k]);
            descendant_blocks(kind, model, data, *c, set);
        });
    }
    enter_cluster<S>(world);
}

template <class S, class Set>
[[gnu::always_inline]] inline void mass_matrix(const Model& model, Workspace<S>& data, const S* q,
                                               const Set& set) {
    ensure_room(model, data);
    place_all(model, data, q);
    mass_blocks(model, data, set);
}

/// Rows of column j in the part of a matrix [n × n] that is written.
constexpr Range triangle_rows(Triangle triangle, int j, int n) {
    return {triangle == Triangle::lower ? j : 0, triangle == Triangle::upper ? j + 1 : n};
}

/// The mass matrix [nv × nv] with column stride `stride`, or one triangle of it.
template <class S>
void crba(const Model& model, Workspace<S>& data, const S* q, S* M, int stride,
          Triangle triangle = Triangle::both) {
    using Index = std::ptrdiff_t;
    const Index step = stride;
    if (triangle == Triangle::both && stride == model.nv) {
        std::fill_n(M, step * step, S(0));
    } else {
        for (int j = 0; j < model.nv; ++j) {
            const Range rows = triangle_rows(triangle, j, model.nv);
            std::fill_n(M + j * step + rows.first, rows.size(), S(0));
        }
    }
    if (triangle == Triangle::both) {
        mass_matrix(model, data, q, [=](Index i, Index j, const S& value) {
            M[j * step + i] = value;
            M[i * step + j] = value;
        });
    } else {
        const bool lower = triangle == Triangle::lower;
        mass_matrix(
            model, data, q,
            [M, later = lower ? 1 : step, earlier = lower ? step : 1](Index i, Index j, const S& value) {
                M[std::max(i, j) * later + std::min(i, j) * earlier] = value;
            });
    }
}

}  // namespace grbda::kernels
