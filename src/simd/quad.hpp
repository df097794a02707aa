#pragma once

#include <cstring>
#include <type_traits>

// Sums of columns of a dense matrix, four rows at a time in one register: compilers take sums in arrays
// apart.

namespace grbda::kernels {

typedef double Double2 __attribute__((vector_size(16)));
typedef double Double4 __attribute__((vector_size(32)));

/// Four numbers one after the other.
template <class S>
struct Quad {
    S x[4]{};

    explicit Quad(const S* place) {
        for (int i = 0; i < 4; ++i) x[i] = place[i];
    }
    Quad(const S* row, const int* places) {
        for (int i = 0; i < 4; ++i) x[i] = row[places[i]];
    }
    Quad() = default;
    void add(const Quad& a, const S& factor) {
        for (int i = 0; i < 4; ++i) x[i] += a.x[i] * factor;
    }
    void subtract(const Quad& a, const S& factor) {
        for (int i = 0; i < 4; ++i) x[i] -= a.x[i] * factor;
    }
    void add(const Quad& a) {
        for (int i = 0; i < 4; ++i) x[i] += a.x[i];
    }
    void add_square(const Quad& a) {
        for (int i = 0; i < 4; ++i) x[i] += a.x[i] * a.x[i];
    }
    void scale(const S& factor) {
        for (int i = 0; i < 4; ++i) x[i] = x[i] * factor;
    }
    void scale_each(const double* factors) {
        for (int i = 0; i < 4; ++i) x[i] = x[i] * S(factors[i]);
    }
    const S& operator[](int i) const { return x[i]; }
    void store(S* place) const {
        for (int i = 0; i < 4; ++i) place[i] = x[i];
    }
};

/// In registers that the machine has: GCC takes wider ones apart, number by number.
template <class S, class Vector>
struct VectorQuad {
    static constexpr int width = sizeof(Vector) / sizeof(S), count = 4 / width;
    Vector x[count]{};

    VectorQuad() = default;
    [[gnu::always_inline]] explicit VectorQuad(const S* place) { std::memcpy(x, place, sizeof x); }
    [[gnu::always_inline]] VectorQuad(const S* row, const int* places) {
        if constexpr (width == 4)
            x[0] = Vector{row[places[0]], row[places[1]], row[places[2]], row[places[3]]};
        else
            for (int i = 0; i < count; ++i) x[i] = Vector{row[places[2 * i]], row[places[2 * i + 1]]};
    }
    [[gnu::always_inline]] void add(const VectorQuad& a, const S& factor) {
#pragma GCC unroll 2
        for (int i = 0; i < count; ++i) x[i] += a.x[i] * factor;
    }
    [[gnu::always_inline]] void subtract(const VectorQuad& a, const S& factor) {
#pragma GCC unroll 2
        for (int i = 0; i < count; ++i) x[i] -= a.x[i] * factor;
    }
    [[gnu::always_inline]] void add(const VectorQuad& a) {
#pragma GCC unroll 2
        for (int i = 0; i < count; ++i) x[i] += a.x[i];
    }
    [[gnu::always_inline]] void add_square(const VectorQuad& a) {
#pragma GCC unroll 2
        for (int i = 0; i < count; ++i) x[i] += a.x[i] * a.x[i];
    }
    [[gnu::always_inline]] void scale(const S& factor) {
#pragma GCC unroll 2
        for (int i = 0; i < count; ++i) x[i] *= factor;
    }
    [[gnu::always_inline]] void scale_each(const double* factors) {
        S own[4];
        for (int i = 0; i < 4; ++i) own[i] = static_cast<S>(factors[i]);
        VectorQuad scales(own);
#pragma GCC unroll 2
        for (int i = 0; i < count; ++i) x[i] *= scales.x[i];
    }
    [[gnu::always_inline]] S operator[](int i) const { return x[i / width][i % width]; }
    [[gnu::always_inline]] void store(S* place) const { std::memcpy(place, x, sizeof x); }
};
#if defined(__AVX__)
using DoublesOfQuad = Double4;
#else
using DoublesOfQuad = Double2;
#endif
#if !defined(GRBDA_WITHOUT_QUADS)  // benchmarks/kinds.sh
template <>
struct Quad<double> : VectorQuad<double, DoublesOfQuad> {
    using VectorQuad<double, DoublesOfQuad>::VectorQuad;
};
#endif

/// One number.
template <class S>
struct Single {
    S x{};

    explicit Single(const S* place) : x(*place) {}
    Single() = default;
    void add(const Single& a, const S& factor) { x += a.x * factor; }
    void scale_each(const double* factors) { x = x * S(*factors); }
    void store(S* place) const { *place = x; }
};

/// N blocks one after the other: the sums of one wait for each other, those of several do not.
template <class Block, int N, int rows>
struct Blocks {
    Block blocks[N]{};

    Blocks() = default;
    template <class S>
    [[gnu::always_inline]] explicit Blocks(const S* place) {
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i) blocks[i] = Block(place + i * rows);
    }
    template <class S>
    [[gnu::always_inline]] void add(const S* place, const S& factor) {
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i) blocks[i].add(Block(place + i * rows), factor);
    }
    template <class S>
    [[gnu::always_inline]] void subtract(const S* place, const S& factor) {
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i) blocks[i].subtract(Block(place + i * rows), factor);
    }
    template <class S>
    [[gnu::always_inline]] void subtract(const Blocks& other, const S& factor) {
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i) blocks[i].subtract(other.blocks[i], factor);
    }
    [[gnu::always_inline]] void add(const Blocks& other) {
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i) blocks[i].add(other.blocks[i]);
    }
    template <class S>
    [[gnu::always_inline]] void scale(const S& factor) {
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i) blocks[i].scale(factor);
    }
    template <class S>
    [[gnu::always_inline]] void store(S* place) const {
#pragma GCC unroll 4
        for (int i = 0; i < N; ++i) blocks[i].store(place + i * rows);
    }
};

/// Calls kernel(sums, first row) with zero sums for the rows of a range from there.
template <class S, class Kernel>
[[gnu::always_inline]] inline void each_block_of_rows(const Range& rows, const Kernel& kernel) {
    int row = rows.first;
    for (; row + 12 <= rows.last; row += 12) kernel(Blocks<Quad<S>, 3, 4>{}, row);
    for (; row + 4 <= rows.last; row += 4) kernel(Blocks<Quad<S>, 1, 4>{}, row);
    for (; row < rows.last; ++row) kernel(Blocks<Single<S>, 1, 1>{}, row);
}

}  // namespace grbda::kernels
