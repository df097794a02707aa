#pragma once

#include "grbda/lanes/batch.hpp"

// Between the columns of states and the lanes of batches: K × K numbers at a time, K what a register holds,
// by log2 K rounds of exchanging halves, quarters, … between pairs of rows.

namespace grbda {
inline namespace GRBDA_BATCH_NAMESPACE {
namespace lanes {

/// Swaps the odd blocks of `Block` lanes of a with the even ones of b.
template <int K, int Block, class V>
[[gnu::always_inline]] inline void exchange(V& a, V& b) {
    const V x = a, y = b;
    if constexpr (K == 2) {
        a = __builtin_shufflevector(x, y, 0, 2);
        b = __builtin_shufflevector(x, y, 1, 3);
    } else if constexpr (K == 4 && Block == 1) {
        a = __builtin_shufflevector(x, y, 0, 4, 2, 6);
        b = __builtin_shufflevector(x, y, 1, 5, 3, 7);
    } else if constexpr (K == 4) {
        a = __builtin_shufflevector(x, y, 0, 1, 4, 5);
        b = __builtin_shufflevector(x, y, 2, 3, 6, 7);
    } else if constexpr (Block == 1) {
        a = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14);
        b = __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
    } else if constexpr (Block == 2) {
        a = __builtin_shufflevector(x, y, 0, 1, 8, 9, 4, 5, 12, 13);
        b = __builtin_shufflevector(x, y, 2, 3, 10, 11, 6, 7, 14, 15);
    } else {
        a = __builtin_shufflevector(x, y, 0, 1, 2, 3, 8, 9, 10, 11);
        b = __builtin_shufflevector(x, y, 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

template <int K, int Block = K / 2, class V>
[[gnu::always_inline]] inline void transpose(V* rows) {
    if constexpr (Block > 1) transpose<K, Block / 2>(rows);
    for (int i = 0; i < K; ++i)
        if (!(i & Block)) exchange<K, Block>(rows[i], rows[i + Block]);
}

/// Numbers in a register, of which there may be several in a batch.
template <int W>
inline constexpr int tile = W < registers::widest ? W : registers::widest;

/// `size` numbers of each of W columns into batches.
template <int W>
void gather(const double* const* columns, int size, Batch<double, W>* batches) {
    constexpr int K = tile<W>;
    using Register = registers::LanesOf<K>;
    using Memory = registers::Memory<Register>;
    double* to = reinterpret_cast<double*>(batches);
    for (int lane = 0; lane < W; lane += K) {
        for (int row = 0; row + K <= size; row += K) {
            Register rows[K];
            for (int i = 0; i < K; ++i) rows[i] = Memory::load(columns[lane + i] + row);
            transpose<K>(rows);
            for (int i = 0; i < K; ++i) Memory::store(rows[i], to + (row + i) * W + lane);
        }
        for (int row = size - size % K; row < size; ++row)
            for (int i = lane; i < lane + K; ++i) to[row * W + i] = columns[i][row];
    }
}

/// Batches of `size` numbers into the first `count` of W columns.
template <int W>
void scatter(const Batch<double, W>* batches, int size, double* const* columns, int count) {
    constexpr int K = tile<W>;
    using Register = registers::LanesOf<K>;
    using Memory = registers::Memory<Register>;
    const double* from = reinterpret_cast<const double*>(batches);
    for (int lane = 0; lane < count; lane += K) {
        for (int row = 0; row + K <= size; row += K) {
            Register rows[K];
            for (int i = 0; i < K; ++i) rows[i] = Memory::load(from + (row + i) * W + lane);
            transpose<K>(rows);
            for (int i = 0; i < K; ++i)
                if (lane + i < count) Memory::store(rows[i], columns[lane + i] + row);
        }
        for (int row = size - size % K; row < size; ++row)
            for (int i = lane; i < lane + K && i < count; ++i) columns[i][row] = from[row * W + i];
    }
}

}  // namespace lanes
}  // namespace GRBDA_BATCH_NAMESPACE
}  // namespace grbda
