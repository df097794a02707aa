#pragma once

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

// Factors of dense matrices where they lie, without allocation: by columns from the left to the right, so
// that inner loops run along memory.

namespace grbda::simulation {

using Eigen::Index;

/// A = L Lᵀ of the first n rows and columns, from the lower triangle into it; what is right of four columns
/// is read and written once for all four.
inline void factor_positive(Eigen::MatrixXd& A, Index n) {
    constexpr Index width = 4;
    for (Index begin = 0; begin < n; begin += width) {
        const Index end = std::min(begin + width, n);
        for (Index j = begin; j < end; ++j) {
            double* const column = &A(0, j);
            for (Index p = begin; p < j; ++p) {
                const double* const before = &A(0, p);
                const double factor = before[j];
                for (Index i = j; i < n; ++i) column[i] -= before[i] * factor;
            }
            const double pivot = std::sqrt(column[j]), inverse = 1 / pivot;
            column[j] = pivot;
            for (Index i = j + 1; i < n; ++i) column[i] *= inverse;
        }
        if (end - begin < width) return;
        const double *const a = &A(0, begin), *const b = &A(0, begin + 1), *const c = &A(0, begin + 2),
                            *const d = &A(0, begin + 3);
        for (Index k = end; k < n; ++k) {
            double* const next = &A(0, k);
            const double of_a = a[k], of_b = b[k], of_c = c[k], of_d = d[k];
            for (Index i = k; i < n; ++i)
                next[i] -= (a[i] * of_a + b[i] * of_b) + (c[i] * of_c + d[i] * of_d);
        }
    }
}

/// x ← L⁻ᵀ L⁻¹ x
inline void solve_positive(const Eigen::MatrixXd& L, Index n, Eigen::VectorXd& x) {
    for (Index j = 0; j < n; ++j) {
        const double* const column = &L(0, j);
        x[j] /= column[j];
        for (Index i = j + 1; i < n; ++i) x[i] -= column[i] * x[j];
    }
    for (Index j = n - 1; j >= 0; --j) {
        const double* const column = &L(0, j);
        for (Index i = j + 1; i < n; ++i) x[j] -= column[i] * x[i];
        x[j] /= column[j];
    }
}

/// P A = L U of the first n rows and columns, with the largest pivot of each column; x ← A⁻¹ x. False: A is
/// singular.
inline bool solve_general(Eigen::MatrixXd& A, Index n, Eigen::VectorXd& x) {
    for (Index j = 0; j < n; ++j) {
        Index pivot = j;
        for (Index i = j + 1; i < n; ++i)
            if (std::abs(A(i, j)) > std::abs(A(pivot, j))) pivot = i;
        if (!(std::abs(A(pivot, j)) > 0)) return false;
        if (pivot != j) {
            for (Index k = 0; k < n; ++k) std::swap(A(pivot, k), A(j, k));
            std::swap(x[pivot], x[j]);
        }
        double* const column = &A(0, j);
        const double inverse = 1 / column[j];
        for (Index i = j + 1; i < n; ++i) column[i] *= inverse;
        for (Index k = j + 1; k < n; ++k) {
            double* const next = &A(0, k);
            const double factor = next[j];
            for (Index i = j + 1; i < n; ++i) next[i] -= column[i] * factor;
        }
        for (Index i = j + 1; i < n; ++i) x[i] -= column[i] * x[j];
    }
    for (Index j = n - 1; j >= 0; --j) {
        const double* const column = &A(0, j);
        x[j] /= column[j];
        for (Index i = 0; i < j; ++i) x[i] -= column[i] * x[j];
    }
    return true;
}

}  // namespace grbda::simulation
