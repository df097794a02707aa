#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/scalar.hpp"

// Small dense factorizations without data-dependent branches, for the matrices
// of one cluster: the projected inertia D and the dependent columns K_d.

namespace grbda::kernels {

/// A pivot's floor in double, raised by what a scalar rounds more: what is left of the terms keeps a digit.
template <class S>
S pivot_floor(double floor) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    if constexpr (std::is_floating_point_v<S>)
        return S(floor * std::max(1., static_cast<double>(std::numeric_limits<S>::epsilon()) / epsilon));
    else
        return S(floor);
}

/// L diag(d) Lᵀ of the lower triangle of the row-major m × m matrix D, in place. The strict lower
/// triangle becomes L and the diagonal 1/d. Returns the smallest d − floor.
template <int M, class S>
S factor_symmetric(S* D, int size, const double* floor) {
    const int m = M > 0 ? M : size;
    S margin = S(1e30);
    for (int j = 0; j < m; ++j) {
        S d = D[j * m + j];
        for (int k = 0; k < j; ++k) d -= D[j * m + k] * D[k * m + j];
        margin = scalar::min(S(d - pivot_floor<S>(floor[j])), margin);  // in this order a NaN stays
        const S inverse = S(1) / d;
        D[j * m + j] = inverse;
        for (int i = j + 1; i < m; ++i) {
            S l = D[i * m + j];
            for (int k = 0; k < j; ++k) l -= D[i * m + k] * D[k * m + j];
            D[j * m + i] = l;  // d_j L_ij, kept above the diagonal for the next columns
            D[i * m + j] = l * inverse;
        }
    }
    return margin;
}

/// x ← L⁻¹ x, for numbers or spatial vectors.
template <int M, class S, class X>
void solve_lower(const S* D, int size, X* x) {
    const int m = M > 0 ? M : size;
    for (int j = 1; j < m; ++j)
        for (int k = 0; k < j; ++k) x[j] -= x[k] * D[j * m + k];
}

/// x ← L⁻ᵀ x
template <int M, class S>
void solve_upper(const S* D, int size, S* x) {
    const int m = M > 0 ? M : size;
    for (int j = m - 2; j >= 0; --j)
        for (int k = m - 1; k > j; --k) x[j] -= x[k] * D[k * m + j];  // the newest one last
}

/// Σ x² of n numbers, in several sums: a single one would wait for each addition.
template <class S>
GRBDA_EXPORT S sum_of_squares(const S* x, int n) {
    S sum[2 * row_block] = {};
    int i = 0;
    for (; i + 2 * row_block <= n; i += 2 * row_block)
        for (int l = 0; l < 2 * row_block; ++l) sum[l] += x[i + l] * x[i + l];
    for (int l = 0; i + l < n; ++l) sum[l] += x[i + l] * x[i + l];
    for (int width = row_block; width > 0; width /= 2)
        for (int l = 0; l < width; ++l) sum[l] += sum[l + width];
    return sum[0];
}

/// Σ x_i Y_i over n ≥ 1 numbers x, one in each `step`, and the first W columns of the rows of Y: in two sums,
/// as each addition waits for the one before.
template <int W, class S>
[[gnu::always_inline]] inline void sum_products(const S* x, int step, const S* Y, int stride, int n,
                                                S* sums) {
    S even[W], odd[W] = {};
    for (int l = 0; l < W; ++l) even[l] = x[0] * Y[l];
    int i = 1;
    for (; i + 2 <= n; i += 2)
        for (int l = 0; l < W; ++l) {
            odd[l] += x[i * step] * Y[i * stride + l];
            even[l] += x[(i + 1) * step] * Y[(i + 1) * stride + l];
        }
    if (i < n)
        for (int l = 0; l < W; ++l) odd[l] += x[i * step] * Y[i * stride + l];
    for (int l = 0; l < W; ++l) sums[l] = even[l] + odd[l];
}

/// Products of column j of A, which is zero outside of `rows`, with the W columns from c on.
template <int W, class S>
[[gnu::always_inline]] inline void multiply_columns(const S* A, const Range& rows, int stride, int j, int c,
                                                    S* products) {
    const S* first = A + rows.first * stride;
    sum_products<W>(first + j, stride, first + c, stride, rows.size(), products + c);
}

/// Makes the W columns from c on perpendicular to the column a of which P holds aᵀ/|a|²; r holds its products
/// with them, then how often it was subtracted. Whole rows go through registers: what is written in parts is
/// slow to read as a whole.
template <int W, class S>
[[gnu::always_inline]] inline void subtract_column(S* A, const Range& rows, int stride, const S* P, int c,
                                                   const S& inverse, S* r) {
    for (int i = rows.first; i < rows.last; ++i) {
        S row[W];
        for (int l = 0; l < W; ++l) row[l] = A[i * stride + c + l];
        for (int l = 0; l < W; ++l) row[l] -= P[i] * r[c + l];
        for (int l = 0; l < W; ++l) A[i * stride + c + l] = row[l];
    }
    for (int l = 0; l < W; ++l) r[c + l] = r[c + l] * inverse;
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

/// One step of Gram and Schmidt on the rows × columns matrix A, rows padded: makes all later columns
/// perpendicular to column j, a, which is zero outside of `rows`, by what stands in row j of R; aᵀ/|a|² into
/// these places of P. Of the columns up to j nothing is needed any more.
template <class S>
void orthogonalize(S* A, const Range& rows, int columns, int j, S* R, S* P) {
    const int stride = padded(columns), begin = j / row_block * row_block;
    S* r = R + j * stride;
    each_block(begin, stride, [&](auto width, int c) { multiply_columns<width>(A, rows, stride, j, c, r); });
    const S inverse = S(1) / r[j];
    for (int i = rows.first; i < rows.last; ++i) P[i] = A[i * stride + j] * inverse;
    if (j + 1 == columns) return;
    each_block(begin, stride,
               [&](auto width, int c) { subtract_column<width>(A, rows, stride, P, c, inverse, r); });
}

/// The inverse of a square matrix of one to three rows by its cofactors; the rows of both are one block.
template <class S>
void invert_few(const S* A, int size, S* P) {
    const auto put = [P](int row, const S& x, const S& y, const S& z) {
        const S block[row_block] = {x, y, z, S(0)};
        for (int l = 0; l < row_block; ++l) P[row * row_block + l] = block[l];
    };
    const S zero(0);
    if (size == 1) {
        put(0, S(1) / A[0], zero, zero);
        return;
    }
    const Vector3<S> a{A[0], A[1], A[2]}, b{A[row_block], A[row_block + 1], A[row_block + 2]};
    if (size == 2) {
        const S inverse = S(1) / (a.x * b.y - a.y * b.x);
        put(0, b.y * inverse, -a.y * inverse, zero);
        put(1, -b.x * inverse, a.x * inverse, zero);
        return;
    }
    const S* last = A + 2 * row_block;
    const Vector3<S> c{last[0], last[1], last[2]};
    const Vector3<S> across = cross(b, c);
    const S inverse = S(1) / dot(a, across);
    const Vector3<S> x = across * inverse, y = cross(c, a) * inverse, z = cross(a, b) * inverse;
    put(0, x.x, y.x, z.x);
    put(1, x.y, y.y, z.y);
    put(2, x.z, y.z, z.z);
}

/// P = (AᵀA)⁻¹ Aᵀ [columns × rows] of a rows × columns matrix A of full column rank, which is overwritten;
/// the rows of all matrices are padded. Modified Gram–Schmidt without roots: A = Q R, QᵀQ diagonal, R
/// [columns × columns] with ones on its diagonal; then P = R⁻¹ (QᵀQ)⁻¹ Qᵀ. P b is wrong by rounding times the
/// square of A's condition at worst, as G is by rounding of q. Infinite or NaN where A has not full rank.
/// Column j is zero outside of range[j], also once it is orthogonal to those before it.
template <class S>
void pseudo_inverse(S* A, int rows, int columns, const Range* range, S* R, S* P) {
    const int stride = padded(columns), width = padded(rows);
    if (rows == columns && 0 < rows && rows <= 3) {
        invert_few(A, rows, P);
        return;
    }
    for (int i = 0; i < columns * width; ++i) P[i] = S(0);
    for (int j = 0; j < columns; ++j) orthogonalize(A, range[j], columns, j, R, P + j * width);
    for (int i = columns - 2; i >= 0; --i)
        for (int r = 0; r < width; r += row_block) {
            S row[row_block];
            for (int l = 0; l < row_block; ++l) row[l] = P[i * width + r + l];
            for (int j = columns - 1; j > i; --j)  // the newest row last
                for (int l = 0; l < row_block; ++l) row[l] -= R[i * stride + j] * P[j * width + r + l];
            for (int l = 0; l < row_block; ++l) P[i * width + r + l] = row[l];
        }
}

/// Calls `kernel` with the number of independent velocities as a compile-time constant where a
/// fixed-size path exists (1, 2, 3, 4, 6), and with 0 otherwise: then the run-time size counts.
template <class Kernel>
void with_size(int m, Kernel&& kernel) {
    switch (m) {
        case 1: kernel(std::integral_constant<int, 1>{}); return;
        case 2: kernel(std::integral_constant<int, 2>{}); return;
        case 3: kernel(std::integral_constant<int, 3>{}); return;
        case 4: kernel(std::integral_constant<int, 4>{}); return;
        case 6: kernel(std::integral_constant<int, 6>{}); return;
        default: kernel(std::integral_constant<int, 0>{}); return;
    }
}

// Compiled once for all, in src/kernels/.
extern template double sum_of_squares(const double*, int);
extern template float sum_of_squares(const float*, int);

}  // namespace grbda::kernels
