#pragma once

#include <cmath>
#include <limits>

#include "dense.hpp"
#include "elimination_blocks.hpp"
#include "grbda/export.hpp"
#include "rows.hpp"
#include "tangent.hpp"

// Constraint embedding of one cluster (Jain 2012; Chignoli et al. 2023, Sec. III): computes G and J from K,
// and g from k, by the pseudo-inverse of the dependent columns.

namespace grbda::kernels {

/// Returns the rcond(K_d) below which a constraint is singular. Rounding ε in φ causes an error ε/rcond of q
/// and ε/rcond² of G, times a factor that is bounded here by 1e3 (measured on a four-bar: some tens).
/// Accepted results are accurate to 1e-4.
template <class S>
double singular_rcond() {
    return std::sqrt(1e3 * static_cast<double>(std::numeric_limits<S>::epsilon()) / 1e-4);
}

/// Makes rows and columns of K dimensionless and returns the sum of its squares.
template <class S>
S scale_rows(const Model& model, const Workspace<S>& data, const Cluster& c, S* scaled) {
    return scale_numbers(data.K.data() + c.K_begin, model.K_scale.data() + c.K_begin, c.rows * c.dofs,
                         scaled);
}

/// Computes the pseudo-inverse of K_d, with rows and columns made dimensionless, in data.inverse, and rcond
/// relative to all of K. On a tangent, K B replaces K_d.
template <class S>
GRBDA_EXPORT void invert_dependents(const Model& model, Workspace<S>& data, const Cluster& c, int cluster) {
    const int n = c.dependents(), stride = padded(n), width = padded(c.rows);
    ScratchScope scope(data.scratch);
    S* scaled = scope.take(c.rows * c.dofs);
    S* A = scope.take(c.rows * stride);
    S* R = scope.take(n * stride + c.rows);
    S* P = data.inverse.data() + c.inverse_begin;
    const S one(1);
    if (n == 0) {
        data.rcond[cluster] = one;
        return;
    }
    // a cluster whose K vanishes entirely is singular too: its natural size is 1
    const S size = one + scale_rows(model, data, c, scaled);
    if (is_on_tangent(data, c)) [[unlikely]]
        times_complement(data, c, scaled, A);
    invert_blocks(c, data.chart, scaled, A, R, P);
    data.rcond[cluster] = scalar::min(S(one / scalar::sqrt(sum_of_squares(P, n * width) * size)), one);
}

/// Calls put(row, l, value) with the dependent rows of x [dofs × W] that solve K_d x_d = b. The rows of b
/// [rows × W] are scaled.
template <int W, class S, class Put>
[[gnu::always_inline]] inline void solve_dependents(const Model& model, const Workspace<S>& data,
                                                    const Cluster& c, const S* b, const Put& put) {
    const int width = padded(c.rows);
    const S* P = data.inverse.data() + c.inverse_begin;
    for (int d = 0; d < c.dependents(); ++d) {
        S sum[W] = {};
        for (int r = 0; r < c.rows; ++r)
            for (int l = 0; l < W; ++l) sum[l] += P[d * width + r] * b[r * W + l];
        const int dof = data.chart.dependent[c.dependent_begin + d];
        const S scale = S(model.column_scale[dof]);
        for (int l = 0; l < W; ++l) put(dof - c.dof_begin, l, S(sum[l] * scale));
    }
}

/// Computes the dependent entries of x [dofs] from K_d x_d = b [rows]. On a tangent, adds the solution of K B
/// w = b to x.
template <class S>
void solve_dependents(const Model& model, Workspace<S>& data, const Cluster& c, const S* b, S* x) {
    const double* scale = model.row_scale.data() + c.row_begin;
    ScratchScope scope(data.scratch);
    S* scaled = scope.take(c.rows);
    for (int r = 0; r < c.rows; ++r) scaled[r] = b[r] * S(scale[r]);
    if (is_on_tangent(data, c)) [[unlikely]]
        add_complement(model, data, c, scaled, 1, x);
    else
        solve_dependents<1>(model, data, c, scaled, [x](int row, int, const S& value) { x[row] = value; });
}

/// Computes columns [begin, begin + W) of G: the identity in its independent rows, −K_d⁻¹ K_i in the
/// dependent ones.
template <int W, class S>
void solve_columns(const Model& model, Workspace<S>& data, const Cluster& c, int begin) {
    const int* independent = data.chart.independent.data() + c.y_begin;
    const double* scale = model.row_scale.data() + c.row_begin;
    S* G = data.G.data() + c.G_begin + begin;
    ScratchScope scope(data.scratch);
    S* scaled = scope.take(c.rows * W);
    const S* K = data.K.data() + c.K_begin;
    for (int i = 0; i < c.m; ++i)
        for (int l = 0; l < W; ++l) G[(independent[i] - c.dof_begin) * c.m + l] = S(i == begin + l ? 1 : 0);
    for (int r = 0; r < c.rows; ++r)
        for (int l = 0; l < W; ++l)
            scaled[r * W + l] = K[r * c.dofs + independent[begin + l] - c.dof_begin] * S(-scale[r]);
    solve_dependents<W>(model, data, c, scaled,
                        [=](int row, int l, const S& value) { G[row * c.m + l] = value; });
}

/// Computes G, all columns at once or four at a time.
template <class S>
void solve_embedding(const Model& model, Workspace<S>& data, const Cluster& c) {
    if (is_on_tangent(data, c)) [[unlikely]] {
        for (int j = 0; j < c.m; ++j) solve_tangent_column(model, data, c, j);
        return;
    }
    with_size(c.m, [&](auto m) {
        if constexpr (m() > 0) {
            solve_columns<m()>(model, data, c, 0);
        } else {
            int j = 0;
            for (; j + 4 <= c.m; j += 4) solve_columns<4>(model, data, c, j);
            for (; j < c.m; ++j) solve_columns<1>(model, data, c, j);
        }
    });
}

/// The bodies of a cluster that need their J.
enum class Bodies { all, carrying };

/// Computes J_i = J_parent + Σ s_j G_j, the motion of each body relative to the cluster's parent per unit ẏ.
template <Bodies wanted = Bodies::all, class S>
void cluster_jacobians(const Model& model, Workspace<S>& data, const Cluster& c) {
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        if (wanted == Bodies::carrying && !body.carries_cluster) continue;
        Motion<S>* J = data.J.data() + c.J_begin + (i - c.bodies.first) * c.m;
        const Motion<S>* parent = body.parent == c.parent_body
                                      ? nullptr
                                      : data.J.data() + c.J_begin + (body.parent - c.bodies.first) * c.m;
        const S* G = data.G.data() + c.G_begin + (body.dof - c.dof_begin) * c.m;
        const Motion<S>* s = &data.s[body.dof];
        const int size = velocity_size(body.joint);
        for (int j = 0; j < c.m; ++j) {
            Motion<S> sum = s[0] * G[j];
            for (int l = 1; l < size; ++l) sum += s[l] * G[l * c.m + j];
            if (parent) sum += parent[j];
            J[j] = sum;
        }
    }
}

/// Computes G of a cluster that has one, after the inverse of K_d.
template <class S>
void embed(const Model& model, Workspace<S>& data, const Cluster& c) {
    if (c.embedding == Embedding::implicit)
        solve_embedding(model, data, c);
    else
        for (int j = c.G_begin; j < c.G_begin + c.dofs * c.m; ++j) data.G[j] = S(model.G[j]);
}

/// Computes G, J and rcond of a cluster that has them; if it is implicit, also its rows.
template <class S>
void cluster_embedding(const Model& model, Workspace<S>& data, const Cluster& c, int cluster) {
    if (c.embedding == Embedding::none) return;
    if (c.embedding == Embedding::implicit) invert_dependents(model, data, c, cluster);
    embed(model, data, c);
    if (!c.is_direct()) cluster_jacobians(model, data, c);
}

/// Computes g of a cluster with loops or polynomials, from k.
template <class S>
void embedding_bias(const Model& model, Workspace<S>& data, const Cluster& c) {
    S* g = data.g.data() + c.dof_begin;
    for (int j = 0; j < c.dofs; ++j) g[j] = S(0);
    solve_dependents(model, data, c, data.k.data() + c.row_begin, g);
}

/// Returns an entry of G for any embedding; the passes of explicit clusters do not store G in data.G.
template <class S>
S embedding_entry(const Model& model, const Workspace<S>& data, const Cluster& c, int row, int j) {
    if (c.embedding == Embedding::none) return S(row == j ? 1 : 0);
    const auto at = static_cast<std::size_t>(c.G_begin + row * c.m + j);
    return c.embedding == Embedding::constant ? S(model.G[at]) : data.G[at];
}

/// Returns g of one row; zero if G is constant.
template <class S>
S bias_of(const Workspace<S>& data, const Cluster& c, int dof) {
    return c.embedding == Embedding::implicit ? data.g[dof] : S(0);
}

/// Returns the columns J of body i for any embedding.
template <class S>
const Motion<S>* jacobian_of(const Model& model, const Workspace<S>& data, const Cluster& c, int i) {
    if (c.is_direct()) return &data.s[model.bodies[i].dof];
    return data.J.data() + c.J_begin + (i - c.bodies.first) * c.m;
}

/// Computes R, p, s of the bodies of one cluster, after turn_joints(), and K, G, J and rcond if it has them.
template <class S>
GRBDA_EXPORT void cluster_positions(const Model& model, Workspace<S>& data, const Cluster& c, int cluster,
                                    const S* q) {
    if (c.is_direct() && c.parent_body != world) {
        const auto parent = static_cast<std::size_t>(c.parent_body);
        place_body(model, data, c.bodies.first, data.R[parent], data.p[parent],
                   turn_of(data, model.bodies[c.bodies.first]), q);
    } else {
        const Placement<S> base = cluster_base(model, data, c, q);
        place_cluster(model, data, c, base, q);
        if (c.embedding == Embedding::implicit) constraint_rows(model, data, c, base, q);
        if (!c.rods.empty()) place_loose_rods(model, data, c, base);
    }
    cluster_embedding(model, data, c, cluster);
    if (c.embedding == Embedding::implicit && !c.rods.empty()) limit_by_spins(model, data, c, cluster);
}

template <class S>
void positions(const Model& model, Workspace<S>& data, const S* q) {
    ensure_room(model, data);
    turn_joints(model, data, q);
    for (int i = 0; i < model.cluster_count(); ++i) cluster_positions(model, data, model.clusters[i], i, q);
}

// Instantiated in src/kernels/.
extern template void invert_dependents(const Model&, Workspace<double>&, const Cluster&, int);
extern template void cluster_positions(const Model&, Workspace<double>&, const Cluster&, int, const double*);

}  // namespace grbda::kernels
