#pragma once

#include "dense.hpp"
#include "grbda/export.hpp"

// Coordinates of a cluster according to its chart. For a subset of q̇, kernels read the two lists of the
// chart. This file handles tangents: q̇ = S (N ẏ + B w), where the columns of S N and S B replace unit
// vectors.

namespace grbda::kernels {

template <class S>
[[gnu::always_inline]] inline bool is_on_tangent(const Workspace<S>& data, const Cluster& c) {
    return data.chart.tangent[c.index] != 0;
}

/// Calls use(dof) for the independent velocities, if they are a subset of q̇.
template <class S, class Use>
void each_independent(const Workspace<S>& data, const Cluster& c, const Use& use) {
    if (is_on_tangent(data, c)) return;
    for (int i = c.y_begin; i < c.y_begin + c.m; ++i) use(data.chart.independent[i]);
}

/// Calls use(dof) for the velocities that loops determine; on a tangent, for all.
template <class S, class Use>
void each_dependent(const Workspace<S>& data, const Cluster& c, const Use& use) {
    if (is_on_tangent(data, c)) {
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof) use(dof);
        return;
    }
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d) use(data.chart.dependent[d]);
}

/// Returns the row of [N B] for a velocity of the cluster, counted from its first.
template <class S>
const double* basis_row(const Workspace<S>& data, const Cluster& c, int row) {
    return data.chart.basis.data() + c.basis_begin + row * c.dofs;
}

/// Computes K B of a scaled K [rows × dofs], with padded rows, in A.
template <class S>
[[gnu::noinline]] GRBDA_EXPORT void times_complement(const Workspace<S>& data, const Cluster& c,
                                                     const S* scaled, S* A) {
    const int n = c.dependents(), stride = padded(n);
    for (int r = 0; r < c.rows; ++r) {
        S* row = A + r * stride;
        for (int d = 0; d < stride; ++d) row[d] = S(0);
        for (int i = 0; i < c.dofs; ++i) {
            const double* B = basis_row(data, c, i) + c.m;
            for (int d = 0; d < n; ++d) row[d] += scaled[r * c.dofs + i] * S(B[d]);
        }
    }
}

/// Adds S B w to x, whose entries are `stride` apart; w is the solution of K B w = b by the pseudo-inverse.
template <class S>
[[gnu::noinline]] void add_complement(const Model& model, const Workspace<S>& data, const Cluster& c,
                                      const S* b, int stride, S* x) {
    const int width = padded(c.rows);
    const S* P = data.inverse.data() + c.inverse_begin;
    for (int d = 0; d < c.dependents(); ++d) {
        S w = S(0);
        for (int r = 0; r < c.rows; ++r) w += P[d * width + r] * b[r];
        for (int i = 0; i < c.dofs; ++i)
            x[i * stride] += w * S(model.column_scale[c.dof_begin + i] * basis_row(data, c, i)[c.m + d]);
    }
}

/// Computes column j of G: S N_j plus the motion that the loops add.
template <class S>
[[gnu::noinline]] void solve_tangent_column(const Model& model, Workspace<S>& data, const Cluster& c, int j) {
    S* G = data.G.data() + c.G_begin + j;
    ScratchScope scope(data.scratch);
    S* b = scope.take(c.rows);
    for (int i = 0; i < c.dofs; ++i)
        G[i * c.m] = S(model.column_scale[c.dof_begin + i] * basis_row(data, c, i)[j]);
    for (int r = 0; r < c.rows; ++r) {
        const S* K = data.K.data() + c.K_begin + r * c.dofs;
        S sum = S(0);
        for (int i = 0; i < c.dofs; ++i) sum += K[i] * G[i * c.m];
        b[r] = sum * S(-model.row_scale[c.row_begin + r]);
    }
    add_complement(model, data, c, b, c.m, G);
}

/// Returns the motion of dependent d in a motion x [nv_tree], dimensionless; on a tangent, the motion along
/// column d of B.
template <class S>
double dependent_motion(const Model& model, const Workspace<S>& data, const Cluster& c, const S* x, int d) {
    if (!is_on_tangent(data, c)) {
        const int dof = data.chart.dependent[c.dependent_begin + d];
        return value_of(x[dof]) / model.column_scale[dof];
    }
    double sum = 0;
    for (int i = 0; i < c.dofs; ++i)
        sum += value_of(x[c.dof_begin + i]) / model.column_scale[c.dof_begin + i] *
               basis_row(data, c, i)[c.m + d];
    return sum;
}

/// Returns the force on dependent d, in its dimensionless motion, of joint forces x [nv_tree].
template <class S>
S dependent_force(const Model& model, const Workspace<S>& data, const Cluster& c, const S* x, int d) {
    if (!is_on_tangent(data, c)) {
        const int dof = data.chart.dependent[c.dependent_begin + d];
        return x[dof] * S(model.column_scale[dof]);
    }
    S sum = S(0);
    for (int i = 0; i < c.dofs; ++i) {
        const int dof = c.dof_begin + i;
        sum += x[dof] * S(model.column_scale[dof] * basis_row(data, c, i)[c.m + d]);
    }
    return sum;
}

/// Returns the unit of component j of ẏ: 1 or, for a slide, the size of the cluster.
template <class S>
double unit_of_rate(const Model& model, const Workspace<S>& data, const Cluster& c, int j) {
    return is_on_tangent(data, c) ? 1 : model.column_scale[data.chart.independent[c.y_begin + j]];
}

/// Returns component j of ẏ of a motion x(dof) of the cluster that satisfies its loops.
template <class S, class Motion>
S independent_motion(const Model& model, const Workspace<S>& data, const Cluster& c, const Motion& x, int j) {
    if (!is_on_tangent(data, c)) return x(data.chart.independent[c.y_begin + j]);
    S sum = S(0);
    for (int i = 0; i < c.dofs; ++i) {
        const int dof = c.dof_begin + i;
        sum += x(dof) * S(basis_row(data, c, i)[j] / model.column_scale[dof]);
    }
    return sum;
}

/// Adds joint forces that are equivalent to component j of τ to f(dof).
template <class S, class Forces>
void add_independent_force(const Model& model, const Workspace<S>& data, const Cluster& c, int j,
                           const S& tau, const Forces& f) {
    if (!is_on_tangent(data, c)) {
        f(data.chart.independent[c.y_begin + j]) += tau;
        return;
    }
    for (int i = 0; i < c.dofs; ++i) {
        const int dof = c.dof_begin + i;
        f(dof) += tau * S(basis_row(data, c, i)[j] / model.column_scale[dof]);
    }
}

/// Adds `portion` of the motion of component j of ẏ, without the part that the loops add, to x [nv_tree].
template <class S>
void add_independent_motion(const Model& model, const Workspace<S>& data, const Cluster& c, int j,
                            const S& portion, S* x) {
    if (!is_on_tangent(data, c)) {
        x[data.chart.independent[c.y_begin + j]] += portion;
        return;
    }
    for (int i = 0; i < c.dofs; ++i)
        x[c.dof_begin + i] += portion * S(model.column_scale[c.dof_begin + i] * basis_row(data, c, i)[j]);
}

// Instantiated in src/kernels/.
extern template void times_complement(const Workspace<double>&, const Cluster&, const double*, double*);

}  // namespace grbda::kernels
