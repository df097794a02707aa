#pragma once

#include <cmath>
#include <cstddef>

#include "grbda/scalar.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

// Basis of simd/batch.hpp: vectors that fill the widest register this file is compiled for, and
// pairs of them where a batch is wider. All of it stands in a namespace named after the instruction set, so
// that the linker never merges what was compiled for one machine with what was compiled for another.

#if !defined(GRBDA_BATCH_NAMESPACE)
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define GRBDA_BATCH_NAMESPACE batch_avx512
#elif defined(__AVX2__) && defined(__FMA__)
#define GRBDA_BATCH_NAMESPACE batch_avx2
#elif defined(__AVX__)
#define GRBDA_BATCH_NAMESPACE batch_avx
#else
#define GRBDA_BATCH_NAMESPACE batch_baseline
#endif
#endif

namespace grbda {
inline namespace GRBDA_BATCH_NAMESPACE {
namespace registers {

#if defined(__AVX512F__) && defined(__AVX512DQ__)
inline constexpr int widest = 8;
#elif defined(__AVX__)
inline constexpr int widest = 4;
#else
inline constexpr int widest = 2;
#endif

// One type for each width: GCC drops the attribute where the size depends on a template parameter.
typedef double Vector2 __attribute__((vector_size(16)));
typedef double Vector4 __attribute__((vector_size(32)));
typedef double Vector8 __attribute__((vector_size(64)));

/// Type of the comparison of two vectors: −1 or 0 in each lane.
template <class V>
using BitsOf = decltype(V{} < V{});

template <class Half>
struct Pair {
    Half low, high;
};

template <int W, bool fits = (W <= widest)>
struct Lanes {
    using Numbers = Pair<typename Lanes<W / 2>::Numbers>;
    using Bits = Pair<typename Lanes<W / 2>::Bits>;
};
template <>
struct Lanes<2, true> {
    using Numbers = Vector2;
    using Bits = BitsOf<Numbers>;
};
template <>
struct Lanes<4, true> {
    using Numbers = Vector4;
    using Bits = BitsOf<Numbers>;
};
template <>
struct Lanes<8, true> {
    using Numbers = Vector8;
    using Bits = BitsOf<Numbers>;
};
template <int W>
using LanesOf = typename Lanes<W>::Numbers;
template <int W>
using MaskOf = typename Lanes<W>::Bits;

template <class H>
[[gnu::always_inline]] inline Pair<H> operator+(const Pair<H>& a, const Pair<H>& b) {
    return {a.low + b.low, a.high + b.high};
}
template <class H>
[[gnu::always_inline]] inline Pair<H> operator-(const Pair<H>& a, const Pair<H>& b) {
    return {a.low - b.low, a.high - b.high};
}
template <class H>
[[gnu::always_inline]] inline Pair<H> operator*(const Pair<H>& a, const Pair<H>& b) {
    return {a.low * b.low, a.high * b.high};
}
template <class H>
[[gnu::always_inline]] inline Pair<H> operator/(const Pair<H>& a, const Pair<H>& b) {
    return {a.low / b.low, a.high / b.high};
}
template <class H>
[[gnu::always_inline]] inline Pair<H> operator-(const Pair<H>& a) {
    return {-a.low, -a.high};
}
template <class H>
[[gnu::always_inline]] inline Pair<BitsOf<H>> operator>(const Pair<H>& a, const Pair<H>& b) {
    return {a.low > b.low, a.high > b.high};
}
template <class H>
[[gnu::always_inline]] inline Pair<BitsOf<H>> operator<(const Pair<H>& a, const Pair<H>& b) {
    return {a.low < b.low, a.high < b.high};
}
template <class H>
[[gnu::always_inline]] inline Pair<BitsOf<H>> operator>=(const Pair<H>& a, const Pair<H>& b) {
    return {a.low >= b.low, a.high >= b.high};
}

template <class V>
struct Filled {
    [[gnu::always_inline]] static V with(double x) { return x - V{}; }
};
template <class H>
struct Filled<Pair<H>> {
    [[gnu::always_inline]] static Pair<H> with(double x) { return {Filled<H>::with(x), Filled<H>::with(x)}; }
};
template <class V>
[[gnu::always_inline]] inline V filled(double x) {
    return Filled<V>::with(x);
}

/// Numbers in memory that is aligned for one of them. GCC 12 copies by halves with memcpy, which the load of
/// the whole then waits for.
template <class V>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
    V numbers;
};
template <class V>
struct Memory {
    [[gnu::always_inline]] static V load(const double* from) {
        return reinterpret_cast<const Unaligned<V>*>(from)->numbers;
    }
    [[gnu::always_inline]] static void store(const V& x, double* to) {
        reinterpret_cast<Unaligned<V>*>(to)->numbers = x;
    }
};
template <class H>
struct Memory<Pair<H>> {
    static constexpr std::size_t size = sizeof(H) / sizeof(double);

    [[gnu::always_inline]] static Pair<H> load(const double* from) {
        return {Memory<H>::load(from), Memory<H>::load(from + size)};
    }
    [[gnu::always_inline]] static void store(const Pair<H>& x, double* to) {
        Memory<H>::store(x.low, to);
        Memory<H>::store(x.high, to + size);
    }
};

// Compilers make vectors of these functions only without errno or with instructions named outright.
template <class V>
[[gnu::always_inline]] inline V root(const V& x) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    if constexpr (sizeof(V) == 64)
        return reinterpret_cast<V>(_mm512_maskz_sqrt_pd(0xff, reinterpret_cast<__m512d>(x)));
#endif
#if defined(__AVX__)
    if constexpr (sizeof(V) == 32) return reinterpret_cast<V>(_mm256_sqrt_pd(reinterpret_cast<__m256d>(x)));
#endif
#if defined(__SSE2__)
    if constexpr (sizeof(V) == 16) return reinterpret_cast<V>(_mm_sqrt_pd(reinterpret_cast<__m128d>(x)));
#elif defined(__aarch64__)
    return reinterpret_cast<V>(vsqrtq_f64(reinterpret_cast<float64x2_t>(x)));
#else
    V result;
    for (unsigned i = 0; i < sizeof(V) / sizeof(double); ++i) result[i] = std::sqrt(x[i]);
    return result;
#endif
}
template <class H>
[[gnu::always_inline]] inline Pair<H> root(const Pair<H>& x) {
    return {root(x.low), root(x.high)};
}

/// True if a mask is set in every lane.
template <class Bits>
[[gnu::always_inline]] inline bool all(const Bits& mask) {
#if defined(__AVX512F__) && defined(__AVX512DQ__)
    if constexpr (sizeof(Bits) == 64) return _mm512_movepi64_mask(reinterpret_cast<__m512i>(mask)) == 0xff;
#endif
#if defined(__AVX__)
    if constexpr (sizeof(Bits) == 32) return _mm256_movemask_pd(reinterpret_cast<__m256d>(mask)) == 0xf;
#endif
#if defined(__SSE2__)
    if constexpr (sizeof(Bits) == 16) return _mm_movemask_pd(reinterpret_cast<__m128d>(mask)) == 0x3;
#else
    bool result = true;
    for (unsigned i = 0; i < sizeof(Bits) / sizeof(mask[0]); ++i) result = result && mask[i] != 0;
    return result;
#endif
}
template <class H>
[[gnu::always_inline]] inline bool all(const Pair<H>& mask) {
    return all(mask.low) && all(mask.high);
}

template <class V>
[[gnu::always_inline]] inline BitsOf<V> sign_of(const V& x) {
    return reinterpret_cast<BitsOf<V>>(x) & reinterpret_cast<BitsOf<V>>(filled<V>(-0.0));
}

template <class V>
[[gnu::always_inline]] inline V with_sign(const V& size, const V& sign) {
    const BitsOf<V> bits = reinterpret_cast<BitsOf<V>>(size);
    return reinterpret_cast<V>((bits ^ sign_of(size)) | sign_of(sign));
}
template <class H>
[[gnu::always_inline]] inline Pair<H> with_sign(const Pair<H>& size, const Pair<H>& sign) {
    return {with_sign(size.low, sign.low), with_sign(size.high, sign.high)};
}

template <class V>
[[gnu::always_inline]] inline V smaller(const V& a, const V& b) {
    return b < a ? b : a;
}
template <class H>
[[gnu::always_inline]] inline Pair<H> smaller(const Pair<H>& a, const Pair<H>& b) {
    return {smaller(a.low, b.low), smaller(a.high, b.high)};
}

template <class V>
struct SineCosine {
    V sine, cosine;
};

/// Returns the results of the polynomials, corrected in the lanes for which they are not valid. The result of
/// a lane does not depend on its neighbours. Arguments are passed by value, because variables that a call
/// could write to would be kept in memory.
template <class V>
[[gnu::cold, gnu::noinline]] SineCosine<V> sincos_of_far_lanes(V x, V sine, V cosine) {
    for (unsigned i = 0; i < sizeof(V) / sizeof(double); ++i) {
        if (std::abs(x[i]) < scalar::small_angle) continue;
        sine[i] = std::sin(x[i]);
        cosine[i] = std::cos(x[i]);
    }
    return {sine, cosine};
}

/// As scalar::sincos(double).
template <class V>
[[gnu::always_inline]] inline void sincos(const V& x, V& s, V& c) {
    const V shifted = scalar::shifted_quadrant(x);
    const V r = scalar::less_quarters<V>(x, shifted - scalar::quadrant_offset);
    const BitsOf<V> quadrant = reinterpret_cast<BitsOf<V>>(shifted);
    const V sine = scalar::sine_polynomial(r), cosine = scalar::cosine_polynomial(r);
    const BitsOf<V> odd = (quadrant & 1) != 0;
    const V a = odd ? cosine : sine, b = odd ? sine : cosine;
    s = reinterpret_cast<V>(reinterpret_cast<BitsOf<V>>(a) ^ (quadrant & 2) << 62);
    c = reinterpret_cast<V>(reinterpret_cast<BitsOf<V>>(b) ^ ((quadrant + 1) & 2) << 62);
    const V size = with_sign(x, filled<V>(0));
    if (!all(size < filled<V>(scalar::small_angle))) [[unlikely]] {
        const SineCosine<V> far = sincos_of_far_lanes(x, s, c);
        s = far.sine;
        c = far.cosine;
    }
}
template <class H>
[[gnu::always_inline]] inline void sincos(const Pair<H>& x, Pair<H>& s, Pair<H>& c) {
    sincos(x.low, s.low, c.low);
    sincos(x.high, s.high, c.high);
}

}  // namespace registers
}  // namespace GRBDA_BATCH_NAMESPACE
}  // namespace grbda
