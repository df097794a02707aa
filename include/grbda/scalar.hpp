#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

// A scalar of a kernel needs arithmetic, construction from double, and
// sin, cos, sqrt, copysign, atan2 and min by argument-dependent lookup; value_of()
// is the plain number used to decide about convergence and status.

namespace grbda {

inline double value_of(double x) { return x; }
inline double value_of(long double x) { return static_cast<double>(x); }

/// Upper bound for the input of a state: the root of the sum of the squares of its numbers must be smaller.
/// A product of three such numbers, for example two velocities and a length, is still finite: overflow cannot
/// hide in a quotient.
inline constexpr double largest_given = 1e100;

/// Calls find the functions of plain numbers in std, and those of other scalars in their type's namespace.
namespace scalar {

template <class S>
inline S sin(const S& x) {
    using std::sin;
    return sin(x);
}
template <class S>
inline S cos(const S& x) {
    using std::cos;
    return cos(x);
}
template <class S>
inline S sqrt(const S& x) {
    using std::sqrt;
    return sqrt(x);
}
template <class S>
inline S copysign(const S& size, const S& sign) {
    using std::copysign;
    return copysign(size, sign);
}
template <class S>
inline S atan2(const S& y, const S& x) {
    using std::atan2;
    return atan2(y, x);
}
template <class S>
inline S min(const S& a, const S& b) {
    using std::min;
    return min(a, b);
}

/// sin and cos of one angle.
template <class S>
inline void sincos(const S& x, S& s, S& c) {
    s = sin(x);
    c = cos(x);
}

/// |x| below which the polynomials apply: the product of n with each of the three parts of π/2 is exact.
constexpr double small_angle = 1e5;

// The steps of sin and cos of |x| < small_angle, to 3 ulp and without branches, for one number and for
// vectors. Forced inline: compiled for several instruction sets, they must leave no symbol that the linker
// could merge.

/// Adding it to a number leaves the nearest integer in the last bits: 1.5 · 2⁵².
inline constexpr double quadrant_offset = 6755399441055744.0;
/// x in quarter turns, plus that offset.
template <class T>
[[gnu::always_inline]] inline T shifted_quadrant(const T& x) {
    return x * 0.63661977236758134308 + quadrant_offset;
}
/// x minus n quarter turns, in [−π/4, π/4]: π/2 in three parts.
template <class T>
[[gnu::always_inline]] inline T less_quarters(const T& x, const T& n) {
    return ((x - n * 1.57079632673412561417) - n * 6.07710050630396597660e-11) -
           n * 2.02226624879595063154e-21;
}
/// Minimax polynomials of fdlibm on [−π/4, π/4].
template <class T>
[[gnu::always_inline]] inline T sine_polynomial(const T& r) {
    const T z = r * r;
    return r + r * z *
                   (-1.66666666666666324348e-01 +
                    z * (8.33333333332248946124e-03 +
                         z * (-1.98412698298579493134e-04 +
                              z * (2.75573137070700676789e-06 +
                                   z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
}
template <class T>
[[gnu::always_inline]] inline T cosine_polynomial(const T& r) {
    const T z = r * r, half = 0.5 * z, w = 1.0 - half;
    return w + (((1.0 - w) - half) +
                z * z *
                    (4.16666666666666019037e-02 +
                     z * (-1.38888888888741095749e-03 +
                          z * (2.48015872894767294178e-05 +
                               z * (-2.75573143513906633035e-07 +
                                    z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))))));
}

#if defined(__cpp_lib_bit_cast)
using std::bit_cast;
#else  // as in libc++ 13
template <class To, class From>
[[gnu::always_inline]] inline To bit_cast(const From& from) {
    return __builtin_bit_cast(To, from);
}
#endif

[[gnu::always_inline]] inline void small_sincos(double x, double& s, double& c) {
    const double shifted = shifted_quadrant(x), r = less_quarters(x, shifted - quadrant_offset);
    const auto quadrant = bit_cast<std::uint64_t>(shifted);
    const double sine = sine_polynomial(r), cosine = cosine_polynomial(r);
    const bool odd = (quadrant & 1) != 0;
    const double a = odd ? cosine : sine, b = odd ? sine : cosine;
    s = bit_cast<double>(bit_cast<std::uint64_t>(a) ^ (quadrant & 2) << 62);
    c = bit_cast<double>(bit_cast<std::uint64_t>(b) ^ ((quadrant + 1) & 2) << 62);
}

inline void sincos(double x, double& s, double& c) {
    if (std::abs(x) < small_angle) {
        small_sincos(x, s, c);
    } else {
        s = std::sin(x);
        c = std::cos(x);
    }
}

/// sin and cos of n angles.
template <class S>
void sincos(const S* x, int n, S* s, S* c) {
    for (int i = 0; i < n; ++i) sincos(x[i], s[i], c[i]);
}
inline void sincos(const double* x, int n, double* s, double* c) {
    bool small = true;
    for (int i = 0; i < n; ++i) small &= std::abs(x[i]) < small_angle;
    if (small)
        for (int i = 0; i < n; ++i) small_sincos(x[i], s[i], c[i]);
    else
        for (int i = 0; i < n; ++i) sincos(x[i], s[i], c[i]);
}

}  // namespace scalar
}  // namespace grbda
