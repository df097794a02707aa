#pragma once

#include <algorithm>
#include <limits>
#include <type_traits>

#include "grbda/export.hpp"
#include "model/workspace.hpp"
#include "grbda/scalar.hpp"
#include "simd/quad.hpp"

// Small dense factorizations without data-dependent branches, for the matrices
// of one cluster: the projected inertia D and the dependent columns K_d.

namespace grbda::kernels {

/// Returns the floor of a pivot, raised for scalars with more rounding than double, so that the remaining sum
/// keeps a digit.
template <class S>
S pivot_floor(double floor) {
    constexpr double epsilon = std::numeric_limits<double>::epsilon();
    if constexpr (std::is_floating_point_v<S>)
        return S(floor * std::max(1., static_cast<double>(std::numeric_limits<S>::epsilon()) / epsilon));
    else
        return S(floor);
}

/// Factors the lower triangle of the row-major m × m matrix D into L diag(d) Lᵀ, in place. The strict lower
/// triangle becomes L and the diagonal 1/d. Returns the smallest d − floor.
template <int M, class S>
S factor_symmetric(S* D, int size, const double* floor) {
    const int m = M > 0 ? M : size;
    S margin = S(1e30);
    for (int j = 0; j < m; ++j) {
        S d = D[j * m + j];
        for (int k = 0; k < j; ++k) d -= D[j * m + k] * D[k * m + j];
        margin = scalar::min(S(d - pivot_floor<S>(floor[j])), margin);  // this order keeps a NaN
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

/// Computes x ← L⁻¹ x, for numbers or spatial vectors.
template <int M, class S, class X>
void solve_lower(const S* D, int size, X* x) {
    const int m = M > 0 ? M : size;
    for (int j = 1; j < m; ++j)
        for (int k = 0; k < j; ++k) x[j] -= x[k] * D[j * m + k];
}

/// Computes x ← L⁻ᵀ x.
template <int M, class S>
void solve_upper(const S* D, int size, S* x) {
    const int m = M > 0 ? M : size;
    for (int j = m - 2; j >= 0; --j)
        for (int k = m - 1; k > j; --k) x[j] -= x[k] * D[k * m + j];  // the most recent one last
}

/// Returns Σ x² of n numbers, where x(block, place) is a block of them. Several sums shorten the chain of
/// dependent additions.
template <class S, class X>
[[gnu::always_inline]] inline S sum_of_squares_of(int n, const X& x) {
    constexpr int sums = std::is_floating_point_v<S> ? 4 : 1;
    Quad<S> sum[sums];
    int i = 0;
    for (; i + sums * row_block <= n; i += sums * row_block)
#pragma GCC unroll 4
        for (int k = 0; k < sums; ++k) sum[k].add_square(x(Quad<S>{}, i + k * row_block));
    for (; i + row_block <= n; i += row_block) sum[0].add_square(x(Quad<S>{}, i));
    S rest(0);
    for (; i < n; ++i) {
        const S one = x(Single<S>{}, i).x;
        rest += one * one;
    }
    if constexpr (sums == 4) {
        sum[0].add(sum[2]);
        sum[1].add(sum[3]);
        sum[0].add(sum[1]);
    }
    return rest + ((sum[0][0] + sum[0][2]) + (sum[0][1] + sum[0][3]));
}

/// Returns Σ x² of n numbers.
template <class S>
GRBDA_EXPORT S sum_of_squares(const S* x, int n) {
    return sum_of_squares_of<S>(n, [x](auto block, int i) { return decltype(block)(x + i); });
}

/// Writes the products of n numbers to y and returns Σ y².
template <class S>
GRBDA_EXPORT S scale_numbers(const S* x, const double* scale, int n, S* y) {
    return sum_of_squares_of<S>(n, [=](auto block, int i) {
        decltype(block) product(x + i);
        product.scale_each(scale + i);
        product.store(y + i);
        return product;
    });
}

/// Computes the inverse of a square matrix of one to three rows by its cofactors; rows of P are one block.
template <class S>
void invert_few(const S* A, int size, int stride, S* P) {
    const auto put = [P](int row, const S& x, const S& y, const S& z) {
        const S block[row_block] = {x, y, z, S(0)};
        for (int l = 0; l < row_block; ++l) P[row * row_block + l] = block[l];
    };
    const S zero(0);
    if (size == 1) {
        put(0, S(1) / A[0], zero, zero);
        return;
    }
    const Vector3<S> a{A[0], A[1], A[2]}, b{A[stride], A[stride + 1], A[stride + 2]};
    if (size == 2) {
        const S inverse = S(1) / (a.x * b.y - a.y * b.x);
        put(0, b.y * inverse, -a.y * inverse, zero);
        put(1, -b.x * inverse, a.x * inverse, zero);
        return;
    }
    const S* last = A + 2 * stride;
    const Vector3<S> c{last[0], last[1], last[2]};
    const Vector3<S> across = cross(b, c);
    const S inverse = S(1) / dot(a, across);
    const Vector3<S> x = across * inverse, y = cross(c, a) * inverse, z = cross(a, b) * inverse;
    put(0, x.x, y.x, z.x);
    put(1, x.y, y.y, z.y);
    put(2, x.z, y.z, z.z);
}

/// Calls `kernel` with the number of independent velocities as a compile-time constant if a fixed-size path
/// exists (1, 2, 3, 4, 6). Otherwise calls it with 0, which selects the run-time size.
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

// Instantiated in src/kernels/.
extern template double sum_of_squares(const double*, int);
extern template double scale_numbers(const double*, const double*, int, double*);

}  // namespace grbda::kernels
