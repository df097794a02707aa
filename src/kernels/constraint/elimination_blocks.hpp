#pragma once

#include <algorithm>
#include <type_traits>

#include "dense.hpp"
#include "simd/quad.hpp"

// Computes the pseudo-inverse P of the dependent columns K_d of one cluster, block by block
// (kernels/constraint/elimination.hpp). The rows of a block have the columns A, which the block determines,
// and the columns B of other blocks, which it meets. Modified Gram–Schmidt without roots computes A = Q R
// with QᵀQ diagonal and R with a unit diagonal, and B = Q R_B + B'. The remainder B' is passed to later
// blocks; it is zero if the rows contain no more information. Then, from the last block to the first, R P_A +
// R_B P_B = (QᵀQ)⁻¹ Qᵀ. There are no branches on numbers: a K_d without full rank gives infinity or NaN.

namespace grbda::kernels {

template <class S, int W>
using Quads = Blocks<Quad<S>, W, row_block>;

/// One block: A, its rows and columns as gathered [rows × stride], R with the same stride, and its place in
/// P.
template <class S>
struct BlockMatrices {
    S* A;
    int rows, columns, all, stride;  ///< all: including the columns that it meets
    bool passes;                     ///< the remainder of the columns that it meets is needed
    const int* row;                  ///< indices of its rows in P
    S* R;                            ///< columns × stride, then R_B
    S* P;                            ///< its first row in P
    int width;                       ///< length of a row of P
};

/// Computes products of column j of A with W quads of columns from c on. Several sums shorten the chain of
/// dependent additions.
template <int W, class S>
[[gnu::always_inline]] inline Quads<S, W> multiply_columns(const S* A, int rows, int stride, int j, int c) {
    constexpr int sums = W == 1 ? 4 : 2;
    Quads<S, W> sum[sums];
    int i = 0;
    for (; i + sums <= rows; i += sums)
#pragma GCC unroll 4
        for (int k = 0; k < sums; ++k) sum[k].add(A + (i + k) * stride + c, A[(i + k) * stride + j]);
    for (; i < rows; ++i) sum[0].add(A + i * stride + c, A[i * stride + j]);
    if constexpr (sums == 4) {
        sum[0].add(sum[2]);
        sum[1].add(sum[3]);
    }
    sum[0].add(sum[1]);
    return sum[0];
}

/// Subtracts r times column j of A from W quads of columns from c on.
template <int W, class S>
[[gnu::always_inline]] inline void subtract_column(S* A, int rows, int stride, int j, int c,
                                                   const Quads<S, W>& r) {
    for (int i = 0; i < rows; ++i) {
        const S a = A[i * stride + j];
        Quads<S, W> row(A + i * stride + c);
        row.subtract(r, a);
        row.store(A + i * stride + c);
    }
}

/// Calls kernel(width, column) for the quads of columns [begin, end).
template <class Kernel>
[[gnu::always_inline]] inline void each_quad(int begin, int end, const Kernel& kernel) {
    int c = begin;
    for (; c + 2 * row_block <= end; c += 2 * row_block) kernel(std::integral_constant<int, 2>{}, c);
    if (c < end) kernel(std::integral_constant<int, 1>{}, c);
}

/// Makes the columns after j orthogonal to it: its own W quads and the needed columns behind them.
template <int W, class S>
[[gnu::always_inline]] inline void orthogonalize(const BlockMatrices<S>& f, int j) {
    const int first = j / row_block * row_block, behind = first + W * row_block;
    S* const r = f.R + j * f.stride;
    Quads<S, W> own = multiply_columns<W>(f.A, f.rows, f.stride, j, first);
    own.store(r + first);
    const S inverse = S(1) / r[j];
    own.scale(inverse);
    own.store(r + first);
    S* const P = f.P + j * f.width;
    for (int i = 0; i < f.rows; ++i) P[f.row[i]] = f.A[i * f.stride + j] * inverse;
    const bool more = j + 1 < f.columns || f.passes;
    each_quad(behind, f.stride, [&](auto width, int c) {
        Quads<S, width> other = multiply_columns<width>(f.A, f.rows, f.stride, j, c);
        other.scale(inverse);
        other.store(r + c);
        if (more) subtract_column<width>(f.A, f.rows, f.stride, j, c, other);
    });
    if (more) subtract_column<W>(f.A, f.rows, f.stride, j, first, own);
}

/// Orthogonalizes a block of R rows of W quads, kept in registers, one column after another from J on.
template <int J, int R, int W, class S>
[[gnu::always_inline]] inline void orthogonalize_in_registers(Quad<S> (&A)[R][W], const BlockMatrices<S>& f) {
    if constexpr (J < W * row_block) {
        if (J == f.columns) return;
        constexpr int first = J / row_block;
        S a[R];
#pragma GCC unroll 8
        for (int i = 0; i < R; ++i) a[i] = A[i][first][J % row_block];
        Quad<S> even[W], odd[W];
#pragma GCC unroll 8
        for (int i = 0; i < R; ++i)
#pragma GCC unroll 8
            for (int w = first; w < W; ++w) (i % 2 == 0 ? even : odd)[w].add(A[i][w], a[i]);
#pragma GCC unroll 8
        for (int w = first; w < W; ++w) even[w].add(odd[w]);
        const S inverse = S(1) / even[first][J % row_block];
#pragma GCC unroll 8
        for (int w = first; w < W; ++w) {
            even[w].scale(inverse);
            even[w].store(f.R + J * f.stride + w * row_block);
        }
#pragma GCC unroll 8
        for (int i = 0; i < R; ++i) f.P[J * f.width + f.row[i]] = a[i] * inverse;
#pragma GCC unroll 8
        for (int i = 0; i < R; ++i)
#pragma GCC unroll 8
            for (int w = first; w < W; ++w) A[i][w].subtract(even[w], a[i]);
        orthogonalize_in_registers<J + 1>(A, f);
    }
}

/// Loads the block from memory, orthogonalizes it, and stores the columns that are needed.
template <int R, int W, class S>
void orthogonalize_in_registers(const BlockMatrices<S>& f) {
    Quad<S> A[R][W];
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i)
#pragma GCC unroll 8
        for (int w = 0; w < W; ++w) A[i][w] = Quad<S>(f.A + i * f.stride + w * row_block);
    orthogonalize_in_registers<0>(A, f);
    if (!f.passes) return;
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i)
#pragma GCC unroll 8
        for (int w = 0; w < W; ++w) A[i][w].store(f.A + i * f.stride + w * row_block);
}

/// Orthogonalizes number by number, for scalars that fill registers by themselves.
template <class S>
void orthogonalize_singly(const BlockMatrices<S>& f) {
    for (int j = 0; j < f.columns; ++j) {
        S* const r = f.R + j * f.stride;
        for (int c = j; c < f.all; ++c) {
            S sum = f.A[j] * f.A[c];
            for (int i = 1; i < f.rows; ++i) sum += f.A[i * f.stride + j] * f.A[i * f.stride + c];
            r[c] = sum;
        }
        const S inverse = S(1) / r[j];
        S* const P = f.P + j * f.width;
        for (int c = j + 1; c < f.all; ++c) r[c] = r[c] * inverse;
        const bool more = j + 1 < f.columns || f.passes;
        for (int i = 0; i < f.rows; ++i) {
            S* const row = f.A + i * f.stride;
            P[f.row[i]] = row[j] * inverse;
            for (int c = j + 1; more && c < f.all; ++c) row[c] -= row[j] * r[c];
        }
    }
}

template <class S>
void orthogonalize(const BlockMatrices<S>& f) {
    if constexpr (!std::is_floating_point_v<S>) {
        orthogonalize_singly(f);
    } else {
        const int quads = f.stride / row_block;
        if (f.rows == 6 && quads == 2)
            orthogonalize_in_registers<6, 2>(f);
        else if (f.rows == 3 && quads == 1)
            orthogonalize_in_registers<3, 1>(f);
        else if (f.rows == 3 && quads == 2)
            orthogonalize_in_registers<3, 2>(f);
        else
            for (int j = 0; j < f.columns; ++j) switch (quads - j / row_block) {
                    case 1: orthogonalize<1>(f, j); break;
                    case 2: orthogonalize<2>(f, j); break;
                    default: orthogonalize<3>(f, j); break;
                }
    }
}

/// Inverts a block with as many rows as columns, up to three, in closed form: A⁻¹ into P, and A⁻¹ B in place
/// of R_B.
template <class S>
void invert_square(const BlockMatrices<S>& f) {
    S inverse[largest_closed_form * row_block];
    invert_few(f.A, f.columns, f.stride, inverse);
    const int met = f.columns / row_block * row_block;
    for (int i = 0; i < f.columns; ++i) {
        const S* own = inverse + i * row_block;
        for (int k = 0; k < f.rows; ++k) f.P[i * f.width + f.row[k]] = own[k];
        for (int c = met; c < f.stride; c += row_block) {
            Quads<S, 1> sum;
            for (int k = 0; k < f.rows; ++k) sum.add(f.A + k * f.stride + c, own[k]);
            sum.store(f.R + i * f.stride + c);
        }
    }
}

[[gnu::always_inline]] inline bool is_closed_form(const EliminationBlock& block) {
    return block.columns.size() == block.rows && block.rows <= largest_closed_form;
}

/// Solves W quads, from s on, of row i of a block's part of P. The rows of the columns that it meets, and its
/// own later rows up to `end`, are already solved.
template <int W, class S>
[[gnu::always_inline]] inline void solve_row(const EliminationBlock& block, const int* met, const S* R, S* P,
                                             int width, int i, int end, int s) {
    const int first = block.columns.first;
    S* const place = P + (first + i) * width + s;
    Quads<S, W> row(place);
    for (int k = 0; k < block.met; ++k) row.subtract(P + met[k] * width + s, R[block.columns.size() + k]);
    // The most recent one last.
    for (int j = end - 1; j > i; --j) row.subtract(P + (first + j) * width + s, R[j]);
    row.store(place);
}

/// Computes P of a block of C columns that meets no others, with rows of W quads kept in registers.
template <int C, int W, class S>
void solve_in_registers(const S* R, S* P) {
    constexpr int stride = padded(C), width = W * row_block;
    Quad<S> x[C][W];
#pragma GCC unroll 8
    for (int i = C - 1; i >= 0; --i)
#pragma GCC unroll 8
        for (int w = 0; w < W; ++w) {
            x[i][w] = Quad<S>(P + i * width + w * row_block);
#pragma GCC unroll 8
            for (int j = C - 1; j > i; --j) x[i][w].subtract(x[j][w], R[i * stride + j]);
            x[i][w].store(P + i * width + w * row_block);
        }
}

/// Computes P of a block from that of later ones.
template <class S>
void solve_block(const EliminationBlock& block, const int* met, const S* R, int stride, S* P, int width) {
    const int columns = block.columns.size();
    const bool closed = is_closed_form(block);
    if (closed && block.met == 0) return;
    if constexpr (std::is_floating_point_v<S>)
        if (columns == 6 && block.met == 0 && width == 2 * row_block) {
            solve_in_registers<6, 2>(R, P + block.columns.first * width);
            return;
        }
    for (int i = columns - 1; i >= 0; --i) {
        const int end = closed ? i : columns;
        if (end <= i + 1 && block.met == 0) continue;
        const S* const r = R + i * stride;
        int s = block.support.first;
        for (; s + 3 * row_block <= block.support.last; s += 3 * row_block)
            solve_row<3>(block, met, r, P, width, i, end, s);
        each_quad(s, block.support.last,
                  [&](auto quads, int at) { solve_row<quads>(block, met, r, P, width, i, end, at); });
    }
}

/// Copies the columns of K that a block uses to A; rows of K have `columns` numbers.
template <class S>
[[gnu::always_inline]] inline void gather_block(const EliminationBlock& block, const int* list, const S* K,
                                                int columns, int stride, S* A) {
    const int* const places = list + block.rows;
    for (int r = 0; r < block.rows; ++r)
        for (int c = 0; c < stride; c += row_block)
            Quad<S>(K + list[r] * columns, places + c).store(A + r * stride + c);
}

/// Writes the remainder of the columns that a block meets back into K.
template <class S>
void scatter_block(const EliminationBlock& block, const int* list, const S* A, int stride, int columns,
                   S* K) {
    const int own = block.columns.size();
    const int* const places = list + block.rows + own;
    for (int r = 0; r < block.rows; ++r)
        for (int c = 0; c < block.met; ++c) K[list[r] * columns + places[c]] = A[r * stride + own + c];
}

/// Eliminates two columns from three rows. The remainder is one row, along the normal of the two columns; it
/// is written to the first of the rows of K. The unit normal is written to the entries of these rows in
/// `normals`.
template <class S>
void reduce_to_normal(const EliminationBlock& block, const int* list, const S* A, int stride, int columns,
                      S* K, S* normals) {
    const Vector3<S> a{A[0], A[stride], A[2 * stride]}, b{A[1], A[stride + 1], A[2 * stride + 1]};
    const Vector3<S> across = cross(a, b);
    const Vector3<S> n = across * (S(1) / scalar::sqrt(dot(across, across)));
    normals[list[0]] = n.x;
    normals[list[1]] = n.y;
    normals[list[2]] = n.z;
    const int* const places = list + block.rows + 2;
    for (int c = 0; c < block.met; ++c) {
        const S* x = A + 2 + c;
        K[list[0] * columns + places[c]] = n.x * x[0] + n.y * x[stride] + n.z * x[2 * stride];
    }
}

/// Computes P of three rows each from that of their normals.
template <class S>
void expand_normals(const EliminationBlock& block, const int* list, const S* normals, S* P, int width) {
    for (int j = 0; j < block.columns.size(); ++j)
        for (int i = 0; i < block.normals; ++i) {
            S* const place = P + j * width + list[i];
            const S* const n = normals + list[i];
            const S x = place[0];
            for (int k = 0; k < 3; ++k) place[k] = x * n[k];
        }
}

/// Computes the pseudo-inverse of the dependent columns of K, dimensionless, which is overwritten; on a
/// tangent, of the single block in A. P [dependents × padded rows]; A and R [rows, dependents × padded
/// dependents], with one additional number per row after R.
template <class S>
GRBDA_EXPORT void invert_blocks(const Cluster& c, const Chart& chart, S* K, S* A, S* R, S* P) {
    const EliminationBlock* const blocks = chart.blocks.data() + c.blocks.first;
    const int* const lists = chart.block_lists.data() + c.block_lists.first;
    const int count = chart.block_count[c.index], width = padded(c.rows), most = padded(c.dependents());
    S* const normals = R + c.dependents() * most;
    const bool gathered = chart.tangent[c.index] != 0;
    if (count == 1 && is_closed_form(blocks[0])) {
        if (!gathered) gather_block(blocks[0], lists, K, c.dofs, row_block, A);
        invert_few(A, blocks[0].rows, row_block, P);
        return;
    }
    std::fill_n(P, c.dependents() * width, S(0));
    for (int f = 0; f < count; ++f) {
        const EliminationBlock& block = blocks[f];
        const int* const list = lists + block.list;
        const int own = block.columns.size(), stride = padded(own + block.met);
        const BlockMatrices<S> matrices{A,
                                        block.rows,
                                        own,
                                        own + block.met,
                                        stride,
                                        block.passes && !block.normal,
                                        list,
                                        R + block.columns.first * most,
                                        P + block.columns.first * width,
                                        width};
        if (!gathered) gather_block(block, list, K, c.dofs, stride, A);
        if (block.normal) reduce_to_normal(block, list, A, stride, c.dofs, K, normals);
        if (is_closed_form(block))
            invert_square(matrices);
        else
            orthogonalize(matrices);
        if (block.normals > 0) expand_normals(block, list, normals, matrices.P, width);
        if (matrices.passes) scatter_block(block, list, A, stride, c.dofs, K);
    }
    for (int f = count - 1; f >= 0; --f) {
        const EliminationBlock& block = blocks[f];
        const int stride = padded(block.columns.size() + block.met);
        solve_block(block, lists + block.list + block.rows + stride, R + block.columns.first * most, stride,
                    P, width);
    }
}

// Instantiated in src/kernels/.
extern template void invert_blocks(const Cluster&, const Chart&, double*, double*, double*, double*);

}  // namespace grbda::kernels
