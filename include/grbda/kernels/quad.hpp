#pragma once

#include <cstring>
#include <type_traits>

#include "grbda/model/structure.hpp"

// Sums of columns of a dense matrix, four rows at a time in one register: compilers take sums in arrays
// apart.

namespace grbda::kernels {

typedef double Double4 __attribute__((vector_size(32)));
typedef float Float4 __attribute__((vector_size(16)));

/// Four numbers one after the other.
template <class S>
struct Quad {
    S x[4]{};

    explicit Quad(const S* place) {
        for (int i = 0; i < 4; ++i) x[i] = place[i];
    }
    Quad() = default;
    void add(const Quad& a, const S& factor) {
        for (int i = 0; i < 4; ++i) x[i] += a.x[i] * factor;
    }
    void store(S* place) const {
        for (int i = 0; i < 4; ++i) place[i] = x[i];
    }
};

template <class S, class Vector>
struct VectorQuad {
    Vector x{};

    VectorQuad() = default;
    explicit VectorQuad(const S* place) { std::memcpy(&x, place, sizeof x); }
    void add(const VectorQuad& a, const S& factor) { x += a.x * factor; }
    void store(S* place) const { std::memcpy(place, &x, sizeof x); }
};
template <>
struct Quad<double> : VectorQuad<double, Double4> {
    using VectorQuad<double, Double4>::VectorQuad;
};
template <>
struct Quad<float> : VectorQuad<float, Float4> {
    using VectorQuad<float, Float4>::VectorQuad;
};

/// One number.
template <class S>
struct Single {
    S x{};

    explicit Single(const S* place) : x(*place) {}
    Single() = default;
    void add(const Single& a, const S& factor) { x += a.x * factor; }
    void store(S* place) const { *place = x; }
};

/// N blocks one after the other: the sums of one wait for each other, those of several do not.
template <class Block, int N, int rows>
struct Blocks {
    Block blocks[N]{};

    template <class S>
    [[gnu::always_inline]] void add(const S* place, const S& factor) {
        for (int i = 0; i < N; ++i) blocks[i].add(Block(place + i * rows), factor);
    }
    template <class S>
    [[gnu::always_inline]] void store(S* place) const {
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
