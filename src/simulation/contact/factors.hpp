#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "grbda/model/structure.hpp"

// Products and factors of small dense matrices, without allocation. Columns are processed in whole blocks of
// rows, which compilers keep in one register each, and four columns at a time. Vectors and columns have the
// length of whole blocks, with finite entries after their last row.

namespace grbda::simulation {

using Eigen::Index;

constexpr Index block = row_block;
constexpr Index whole(Index rows) { return (rows + block - 1) / block * block; }

/// Returns xᵀ y over whole blocks.
inline double dot_blocks(const double* x, const double* y, Index rows) {
    double sum[block] = {};
    for (Index i = 0; i < rows; i += block)
        for (Index k = 0; k < block; ++k) sum[k] += x[i + k] * y[i + k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/// Computes y += a x in the blocks of rows from `first` to `last`.
inline void add_column(double* y, const double* x, double a, Index first, Index last) {
    for (Index i = first; i < last; i += block) {
        double sum[block];
        for (Index k = 0; k < block; ++k) sum[k] = y[i + k] + x[i + k] * a;
        for (Index k = 0; k < block; ++k) y[i + k] = sum[k];
    }
}

/// Computes y += A x for four columns of A, in the same blocks.
inline void add_columns(double* y, const double* A, Index stride, const double* x, Index first, Index last) {
    const double *const a = A, *const b = a + stride, *const c = b + stride, *const d = c + stride;
    const double of_a = x[0], of_b = x[1], of_c = x[2], of_d = x[3];
    for (Index i = first; i < last; i += block) {
        double sum[block];
        for (Index k = 0; k < block; ++k)
            sum[k] = y[i + k] + ((a[i + k] * of_a + b[i + k] * of_b) + (c[i + k] * of_c + d[i + k] * of_d));
        for (Index k = 0; k < block; ++k) y[i + k] = sum[k];
    }
}

/// Factors the first n rows and columns, A = L D Lᵀ. Writes L D into the lower triangle and D⁻¹ into
/// `inverse`. Reads each column from the first row of its diagonal block on.
inline void factor_positive(Eigen::MatrixXd& A, Index n, double* inverse) {
    const Index rows = whole(n), stride = A.outerStride();
    double* const first = A.data();
    for (Index begin = 0; begin < n; begin += block) {
        const Index end = std::min(begin + block, n);
        for (Index j = begin; j < end; ++j) {
            const double* const column = first + j * stride;
            inverse[j] = 1 / column[j];
            for (Index k = j + 1; k < end; ++k)
                add_column(first + k * stride, column, -column[k] * inverse[j], begin, rows);
        }
        for (Index k = end; k < n; ++k) {
            double factors[block];
            for (Index j = 0; j < block; ++j)
                factors[j] = -first[(begin + j) * stride + k] * inverse[begin + j];
            add_columns(first + k * stride, first + begin * stride, stride, factors, k / block * block, rows);
        }
    }
}

/// Computes x ← (L D Lᵀ)⁻¹ x.
inline void solve_positive(const Eigen::MatrixXd& L, Index n, const double* inverse, double* x) {
    const Index rows = whole(n), stride = L.outerStride();
    const double* const first = L.data();
    for (Index i = n; i < rows; ++i) x[i] = 0;
    for (Index begin = 0; begin < n; begin += block) {
        const Index end = std::min(begin + block, n);
        double factors[block] = {};
        for (Index j = begin; j < end; ++j) {
            factors[j - begin] = -x[j] * inverse[j];
            for (Index i = j + 1; i < end; ++i) x[i] += first[j * stride + i] * factors[j - begin];
        }
        if (end < n) add_columns(x, first + begin * stride, stride, factors, end, rows);
    }
    for (Index begin = rows - block; begin >= 0; begin -= block)
        for (Index j = std::min(begin + block, n) - 1; j >= begin; --j) {
            const double* const column = first + j * stride;
            double sum = x[j];
            for (Index i = j + 1; i < std::min(begin + block, n); ++i) sum -= column[i] * x[i];
            const Index below = begin + block;
            if (below < rows) sum -= dot_blocks(column + below, x + below, rows - below);
            x[j] = sum * inverse[j];
        }
}

/// Computes X ← A⁻¹ X with P A = L U of the first n rows and columns, with partial pivoting. Returns false if
/// A is singular.
inline bool solve_general(Eigen::MatrixXd& A, Index n, Eigen::Ref<Eigen::MatrixXd> X) {
    for (Index j = 0; j < n; ++j) {
        Index pivot = j;
        for (Index i = j + 1; i < n; ++i)
            if (std::abs(A(i, j)) > std::abs(A(pivot, j))) pivot = i;
        if (!(std::abs(A(pivot, j)) > 0)) return false;
        if (pivot != j) {
            for (Index k = 0; k < n; ++k) std::swap(A(pivot, k), A(j, k));
            for (Index k = 0; k < X.cols(); ++k) std::swap(X(pivot, k), X(j, k));
        }
        double* const column = &A(0, j);
        const double inverse = 1 / column[j];
        for (Index i = j + 1; i < n; ++i) column[i] *= inverse;
        for (Index k = j + 1; k < n; ++k) {
            double* const next = &A(0, k);
            const double factor = next[j];
            for (Index i = j + 1; i < n; ++i) next[i] -= column[i] * factor;
        }
        for (Index k = 0; k < X.cols(); ++k)
            for (Index i = j + 1; i < n; ++i) X(i, k) -= column[i] * X(j, k);
    }
    for (Index k = 0; k < X.cols(); ++k)
        for (Index j = n - 1; j >= 0; --j) {
            const double* const column = &A(0, j);
            X(j, k) /= column[j];
            for (Index i = 0; i < j; ++i) X(i, k) -= column[i] * X(j, k);
        }
    return true;
}

}  // namespace grbda::simulation
