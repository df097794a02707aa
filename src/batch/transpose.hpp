#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "grbda/model/model.hpp"
#include "simd/batch.hpp"

// Transposition between columns of states and lanes of batches: K × K numbers at a time, K the
// length of a register, by log2 K rounds of exchanging halves, quarters, … between pairs of rows.

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

/// Numbers in a register; a batch may have several registers.
template <int W>
inline constexpr int tile = W < registers::widest ? W : registers::widest;

/// Reads `size` numbers of each of W columns into batches.
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

/// Transposes K numbers of K states, number i at from(i), to consecutive numbers in each state.
template <int K, class From>
[[gnu::always_inline]] inline void scatter_row(const From& from, double* const* columns, std::ptrdiff_t to) {
    using Register = registers::LanesOf<K>;
    using Memory = registers::Memory<Register>;
    Register rows[K];
    for (int i = 0; i < K; ++i) rows[i] = Memory::load(from(i));
    transpose<K>(rows);
    for (int i = 0; i < K; ++i) Memory::store(rows[i], columns[i] + to);
}

/// Writes batches of `size` numbers into W columns, some of which may coincide.
template <int W>
void scatter(const Batch<double, W>* batches, int size, double* const* columns) {
    constexpr int K = tile<W>;
    const double* from = reinterpret_cast<const double*>(batches);
    for (int lane = 0; lane < W; lane += K) {
        for (int row = 0; row + K <= size; row += K)
            scatter_row<K>([&](int i) { return from + (row + i) * W + lane; }, columns + lane, row);
        for (int row = size - size % K; row < size; ++row)
            for (int i = lane; i < lane + K; ++i) columns[i][row] = from[row * W + i];
    }
}

/// With fewer coordinates the lanes store the full mass matrix and write it in order; otherwise
/// only its lower triangle. Tiles that end beyond the matrix would cost more than they save.
constexpr bool held_whole(int coordinates) { return coordinates < 20; }
/// With this many, the matrices of all lanes fill the caches.
constexpr bool fill_caches(int coordinates) { return coordinates >= 30; }

/// Tiles of mass matrices [nv × nv] with entries that may be nonzero, because two coordinates move
/// a common body. A last tile that would exceed the matrix begins earlier by as many columns.
template <int W>
class Tiles {
public:
    explicit Tiles(const Model& model)
        : size_(model.nv), count_((size_ + K - 1) / K), holds_(static_cast<std::size_t>(count_ * count_)) {
        for (const Cluster& c : model.clusters) {
            const Cluster& last = model.clusters[c.after - 1];
            for (int j = c.y_begin; j < c.y_begin + c.m; ++j)
                for (int i = c.y_begin; i < last.y_begin + last.m; ++i)
                    mark(model.y_index[i], model.y_index[j]);
        }
    }

    /// True if the tile that begins at row i and column j may be nonzero.
    bool operator()(std::ptrdiff_t i, std::ptrdiff_t j) const {
        return holds_[static_cast<std::size_t>((i + K - 1) / K * count_ + (j + K - 1) / K)];
    }

private:
    static constexpr std::ptrdiff_t K = tile<W>;

    void mark(std::ptrdiff_t i, std::ptrdiff_t j) {
        const auto last = [this](std::ptrdiff_t at) { return at >= size_ - K ? count_ - 1 : at / K; };
        for (const std::ptrdiff_t row : {i / K, last(i)})
            for (const std::ptrdiff_t column : {j / K, last(j)})
                holds_[static_cast<std::size_t>(row * count_ + column)] =
                    holds_[static_cast<std::size_t>(column * count_ + row)] = 1;
    }

    std::ptrdiff_t size_, count_;
    std::vector<char> holds_;
};

/// Writes one tile of K states from their lower triangles [size × size],
/// W numbers apart, and its transposed tile, if that is another one.
template <int W, int K>
[[gnu::always_inline]] inline void scatter_tiles(const double* from, std::ptrdiff_t size, double* const* to,
                                                 std::ptrdiff_t row, std::ptrdiff_t column) {
    const auto at = [&](std::ptrdiff_t i, std::ptrdiff_t j) { return from + (j * size + i) * W; };
    for (std::ptrdiff_t j = column; j < column + K; ++j) {
        if (row == column)
            scatter_row<K>([&](int i) { return at(std::max(row + i, j), std::min(row + i, j)); }, to,
                           j * size + row);
        else
            scatter_row<K>([&](int i) { return at(row + i, j); }, to, j * size + row);
    }
    if (row == column) return;
    for (std::ptrdiff_t i = row; i < row + K; ++i)
        scatter_row<K>([&](int j) { return at(i, column + j); }, to, i * size + column);
}

/// Writes the lower triangles of mass matrices [n × n], n ≥ K, into both triangles of W columns.
template <int W>
void scatter_symmetric(const Batch<double, W>* batches, int n, double* const* columns,
                       const Tiles<W>& tiles) {
    constexpr int K = tile<W>;
    const std::ptrdiff_t size = n;
    const bool cleared = fill_caches(n);  // all at once: line by line, with the tiles, it is slower
    for (int lane = 0; lane < W && cleared; ++lane) std::fill_n(columns[lane], size * size, 0.0);
    for (int lane = 0; lane < W; lane += K)
        for (std::ptrdiff_t j = 0; j < size; j += K)
            for (std::ptrdiff_t i = j; i < size; i += K) {
                const std::ptrdiff_t row = std::min(i, size - K), column = std::min(j, size - K);
                if (!cleared || tiles(row, column))
                    scatter_tiles<W, K>(reinterpret_cast<const double*>(batches) + lane, size, columns + lane,
                                        row, column);
            }
}

}  // namespace lanes
}  // namespace GRBDA_BATCH_NAMESPACE
}  // namespace grbda
