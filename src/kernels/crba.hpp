#pragma once

#include <algorithm>
#include <cstddef>

#include "grbda/triangle.hpp"
#include "kernels/kinds/visit.hpp"

// C-CRBA: composite rigid inertias by body, blocks M_cd = J_bᵀ F of every cluster c with all that hang on it
// at its body b (Featherstone 2008, Table 6.2; URDF+ paper, Sec. IV). Clusters stand in depth-first order:
// the forces F of all that hang on a body lie one behind the other, and make one block.

namespace grbda::kernels {

/// One revolute joint on the world, as the first joint of most arms: for wide vectors a single joint like
/// others.
template <class S, bool wide = has_wide<S>>
bool is_root_joint(const Model& model, const Cluster& c) {
    return wide && c.kind == ClusterKind::direct && c.parent_body == world && c.m == 1 &&
           model.bodies[c.bodies.first].joint == JointType::revolute && c.rotor_kind != RotorKind::moving;
}

/// visit(), and such a joint among the single ones.
template <class S, class F>
[[gnu::always_inline]] inline void visit_composite(const Model& model, const Cluster& c, const F& f) {
    if (is_root_joint<S>(model, c))
        f(SingleJoint{});
    else
        visit(c, f);
}

/// Positions and rigid inertias of all bodies. Clusters of joints in a row go together.
template <class S>
[[gnu::always_inline]] inline void place_all(const Model& model, Data<S>& data, const S* q) {
    turn_joints(model, data, q);
    const auto of_joints = [&](const Cluster& c) {
        return c.kind == ClusterKind::joint || c.kind == ClusterKind::joints || is_root_joint<S>(model, c);
    };
    for (int k = 0; k < model.cluster_count();) {
        int end = k;
        while (end < model.cluster_count() && of_joints(model.clusters[end])) ++end;
        if (end > k) {
            SeveralJoints::place_joints(model, data, k, end);
            k = end;
        } else {
            const Cluster& c = model.clusters[k];
            visit(c, [&](auto kind) { kind.crba_forward(model, data, c, k, q); });
            ++k;
        }
    }
}

/// Blocks of a cluster with all that hang on it; of those on one body at once, but for a scalar that records.
template <class Kind, class S, class Set>
void descendant_blocks(Kind kind, const Model& model, const Data<S>& data, const Cluster& c, const Set& set) {
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

/// Entries of the mass matrix to set(i, j, value), in the user's order: one of each pair M_ij = M_ji, and
/// none that is zero because neither coordinate moves what the other one moves. After crba_forward().
template <class S, class Set>
[[gnu::always_inline]] inline void mass_blocks(const Model& model, Data<S>& data, const Set& set) {
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
[[gnu::always_inline]] inline void mass_matrix(const Model& model, Data<S>& data, const S* q,
                                               const Set& set) {
    ensure_room(model, data);
    place_all(model, data, q);
    mass_blocks(model, data, set);
}

/// Rows of column j of what is written of a matrix [n × n].
constexpr Range triangle_rows(Triangle triangle, int j, int n) {
    return {triangle == Triangle::lower ? j : 0, triangle == Triangle::upper ? j + 1 : n};
}

/// The mass matrix [nv × nv] with column stride `stride`, or one triangle of it.
template <class S>
void crba(const Model& model, Data<S>& data, const S* q, S* M, int stride,
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
