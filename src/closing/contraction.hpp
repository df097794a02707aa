#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/constraint/embedding.hpp"

// Uses the inverse P of K_d near the point at which it was computed: solves with it, and measures the change
// of K_d.

namespace grbda::closing {

using namespace kernels;

/// Computes x [dofs], the motion of the dependents with K_d x_d = b [rows], by the last inverse.
template <class S>
void solve_by_inverse(const Model& model, Workspace<S>& data, const Cluster& c, const S* b, S* x) {
    for (int j = 0; j < c.dofs; ++j) x[j] = S(0);
    if (is_on_tangent(data, c)) [[unlikely]] {
        solve_dependents(model, data, c, b, x);
        return;
    }
    const int width = padded(c.rows);
    ScratchScope scope(data.scratch);
    S* scaled = scope.take(width);
    for (int r = 0; r < c.rows; ++r) scaled[r] = b[r] * S(model.row_scale[c.row_begin + r]);
    for (int r = c.rows; r < width; ++r) scaled[r] = S(0);
    const S* P = data.inverse.data() + c.inverse_begin;
    for (int d = c.dependent_begin; d < c.dependent_begin + c.dependents(); ++d, P += width) {
        S sum[row_block] = {};
        for (int r = 0; r < width; r += row_block)
            for (int l = 0; l < row_block; ++l) sum[l] += P[r + l] * scaled[r + l];
        const int dof = data.chart.dependent[d];
        x[dof - c.dof_begin] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * S(model.column_scale[dof]);
    }
}

/// Computes b ← b − K x.
template <class S>
void subtract_rows(const Workspace<S>& data, const Cluster& c, const S* x, S* b) {
    for (int r = 0; r < c.rows; ++r) {
        const S* K = data.K.data() + c.K_begin + r * c.dofs;
        S sum[row_block] = {};
        int j = 0;
        for (; j + row_block <= c.dofs; j += row_block)
            for (int l = 0; l < row_block; ++l) sum[l] += K[j + l] * x[j + l];
        for (; j < c.dofs; ++j) sum[0] += K[j] * x[j];
        b[r] -= (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

/// Stores K_d, or on a tangent K B, dimensionless and with padded rows, in A, behind a scaled K.
template <class S>
void gather_scaled(const Model& model, const Workspace<S>& data, const Cluster& c, S* scaled, S* A) {
    if (is_on_tangent(data, c)) [[unlikely]] {
        scale_rows(model, data, c, scaled);
        times_complement(data, c, scaled, A);
        return;
    }
    const int n = c.dependents(), stride = padded(n);
    const int* dependent = data.chart.dependent.data() + c.dependent_begin;
    for (int r = 0; r < c.rows; ++r, A += stride) {
        const int row = c.K_begin + r * c.dofs - c.dof_begin;
        for (int d = 0; d < n; ++d) A[d] = data.K[row + dependent[d]] * S(model.K_scale[row + dependent[d]]);
        for (int d = n; d < stride; ++d) A[d] = S(0);
    }
}

/// Computes Σ x_i Y_i over n ≥ 1 numbers x and the first W columns of the rows of Y. Two sums shorten the
/// chain of dependent additions.
template <int W, class S>
[[gnu::always_inline]] inline void sum_products(const S* x, const S* Y, int stride, int n, S* sums) {
    S even[W], odd[W] = {};
    for (int l = 0; l < W; ++l) even[l] = x[0] * Y[l];
    int i = 1;
    for (; i + 2 <= n; i += 2)
        for (int l = 0; l < W; ++l) {
            odd[l] += x[i] * Y[i * stride + l];
            even[l] += x[i + 1] * Y[(i + 1) * stride + l];
        }
    if (i < n)
        for (int l = 0; l < W; ++l) odd[l] += x[i] * Y[i * stride + l];
    for (int l = 0; l < W; ++l) sums[l] = even[l] + odd[l];
}

/// Calls kernel(width, first column) for the columns [begin, end), two blocks at a time.
template <class Kernel>
[[gnu::always_inline]] inline void each_block(int begin, int end, const Kernel& kernel) {
    constexpr std::integral_constant<int, row_block> one;
    constexpr std::integral_constant<int, 2 * row_block> two;
    int c = begin;
    for (; c + 2 * row_block <= end; c += 2 * row_block) kernel(two, c);
    if (c < end) kernel(one, c);
}

/// |1 − P K_d'|, which measures how well P contracts.
struct Change {
    /// The smaller one of two norms: `together`, and the largest row sum, in which each dependent is measured
    /// by its motion along data.tangent. The latter is much larger if some dependents hardly move.
    double least;
    double together;  ///< root of the sum of all squares
};

/// Computes the change from the point of P to the point of K. On a tangent, the motion of a dependent is
/// almost zero where the tangent was computed; the scale is then the motion of all joints.
template <class S>
Change change_of_rows(const Model& model, Workspace<S>& data, const Cluster& c) {
    constexpr double least = 0.1;  // of the largest motion
    const int n = c.dependents(), stride = padded(n), width = padded(c.rows);
    ScratchScope scope(data.scratch);
    S* scaled = scope.take(c.rows * c.dofs);
    S* A = scope.take(c.rows * stride);
    S* moved = scope.take(stride);
    S* row = scope.take(stride);
    gather_scaled(model, data, c, scaled, A);
    double furthest = std::numeric_limits<double>::min();
    for (int j = 0; j < n; ++j) {
        moved[j] = S(std::abs(dependent_motion(model, data, c, data.tangent.data(), j)));
        furthest = std::max(furthest, value_of(moved[j]));
    }
    for (int j = 0; is_on_tangent(data, c) && j < c.dofs; ++j) {
        const std::size_t dof = static_cast<std::size_t>(c.dof_begin + j);
        furthest = std::max(furthest, std::abs(value_of(data.tangent[dof])) / model.column_scale[dof]);
    }
    for (int j = 0; j < n; ++j) moved[j] = S(std::max(value_of(moved[j]), least * furthest));
    double worst = 0, squares = 0;
    const S* P = data.inverse.data() + c.inverse_begin;
    for (int i = 0; i < n; ++i, P += width) {
        each_block(0, stride, [&](auto w, int j) { sum_products<w>(P, A + j, stride, c.rows, row + j); });
        row[i] -= S(1);
        double sum = 0;
        for (int j = 0; j < n; ++j) {
            const double entry = value_of(row[j]);
            squares += entry * entry;
            sum += std::abs(entry) * value_of(moved[j]);
        }
        sum /= value_of(moved[i]);
        if (!(sum <= worst) && worst == worst) worst = sum;  // keeps a NaN
    }
    return {std::min(worst, std::sqrt(squares)), std::sqrt(squares)};
}

}  // namespace grbda::closing
