#pragma once

#include "grbda/scalar.hpp"

// Small dense factorizations without data-dependent branches, for the matrices
// of one cluster: the projected inertia D and the dependent columns K_d.

namespace grbda::kernels {

/// L diag(d) Lᵀ of the lower triangle of the row-major m × m matrix D, in place. The strict lower
/// triangle becomes L and the diagonal 1/d. Returns the smallest d − floor.
template <int M, class S>
S factor_symmetric(S* D, int size, const double* floor) {
    const int m = M > 0 ? M : size;
    S margin = S(1e30);
    for (int j = 0; j < m; ++j) {
        S d = D[j * m + j];
        for (int k = 0; k < j; ++k) d -= D[j * m + k] * D[k * m + j];
        margin = scalar::min(margin, S(d - S(floor[j])));
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
        for (int k = j + 1; k < m; ++k) x[j] -= x[k] * D[k * m + j];
}

/// Householder QR of the column-major rows × columns matrix A, in place: reflectors v below and on the
/// diagonal with vᵀv = 2, the diagonal of R in `diagonal`, R above. Full column rank is the caller's test.
template <class S>
void factor_qr(S* A, int rows, int columns, S* diagonal) {
    for (int j = 0; j < columns; ++j) {
        S* a = A + j * rows;
        S square(0);
        for (int i = j; i < rows; ++i) square += a[i] * a[i];
        const S norm = scalar::sqrt(square);
        const S head = a[j] + scalar::copysign(norm, a[j]);
        diagonal[j] = -scalar::copysign(norm, a[j]);
        // v = (head, a_{j+1}, …), |v|² = 2 norm |head|; a zero column leaves v = 0
        const S length = norm * scalar::copysign(head, S(1));
        const S scale = S(1) / scalar::sqrt(length + S(1e-30));
        a[j] = head * scale;
        for (int i = j + 1; i < rows; ++i) a[i] *= scale;
        for (int c = j + 1; c < columns; ++c) {
            S* x = A + c * rows;
            S along(0);
            for (int i = j; i < rows; ++i) along += a[i] * x[i];
            for (int i = j; i < rows; ++i) x[i] -= a[i] * along;
        }
    }
}

/// Least-squares solution of A x = b from factor_qr; b [rows] is overwritten, its head becomes x.
template <class S>
void solve_qr(const S* A, int rows, int columns, const S* diagonal, S* b) {
    for (int j = 0; j < columns; ++j) {
        const S* a = A + j * rows;
        S along(0);
        for (int i = j; i < rows; ++i) along += a[i] * b[i];
        for (int i = j; i < rows; ++i) b[i] -= a[i] * along;
    }
    for (int j = columns - 1; j >= 0; --j) {
        b[j] = b[j] / diagonal[j];
        for (int i = 0; i < j; ++i) b[i] -= A[j * rows + i] * b[j];
    }
}

/// ‖R⁻¹‖_F² of the triangular factor; `x` is scratch [columns].
template <class S>
S inverse_norm_squared(const S* A, int rows, int columns, const S* diagonal, S* x) {
    S sum(0);
    for (int c = 0; c < columns; ++c) {
        for (int i = 0; i < c; ++i) x[i] = S(0);
        x[c] = S(1);
        for (int j = c; j >= 0; --j) {
            x[j] = x[j] / diagonal[j];
            sum += x[j] * x[j];
            for (int i = 0; i < j; ++i) x[i] -= A[j * rows + i] * x[j];
        }
    }
    return sum;
}

}  // namespace grbda::kernels
