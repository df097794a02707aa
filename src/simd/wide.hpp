#pragma once

#include <type_traits>

#include "grbda/spatial/spatial.hpp"

// Vectors of three doubles in one register of four lanes; the fourth lane is not used. They have the products
// of spatial.hpp that composite inertias need. Other scalars and machines use those of spatial.hpp. All is
// inlined, so that the linker sees none of it.

namespace grbda {

/// Functions that depend on it have it as a template parameter: programs may be compiled for another machine
/// than the library, and the linker must not confuse the two.
#if defined(__AVX__) && !defined(GRBDA_WITHOUT_WIDE)  // benchmarks/kinds.sh
template <class S>
inline constexpr bool has_wide = std::is_same_v<S, double>;
#else
template <class S>
inline constexpr bool has_wide = false;
#endif

#if defined(__AVX__)

namespace wide {

typedef double Vector __attribute__((vector_size(32)));
typedef double Half __attribute__((vector_size(16)));

/// Numbers in memory that is aligned for one of them.
template <class V>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
    V numbers;
};
template <class V>
[[gnu::always_inline]] inline V load(const double* from) {
    return reinterpret_cast<const Unaligned<V>*>(from)->numbers;
}
template <class V>
[[gnu::always_inline]] inline void store(const V& x, double* to) {
    reinterpret_cast<Unaligned<V>*>(to)->numbers = x;
}

[[gnu::always_inline]] inline Vector of(const Vector3<double>& a) { return Vector{a.x, a.y, a.z, 0}; }
[[gnu::always_inline]] inline Vector yzx(const Vector& a) {
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}
[[gnu::always_inline]] inline Vector zxy(const Vector& a) {
    return __builtin_shufflevector(a, a, 2, 0, 1, 3);
}
[[gnu::always_inline]] inline Half low(const Vector& a) { return __builtin_shufflevector(a, a, 0, 1); }
[[gnu::always_inline]] inline Vector twice(const Half& a) {
    return __builtin_shufflevector(a, a, 0, 1, 0, 1);
}
[[gnu::always_inline]] inline void store(const Vector& a, Vector3<double>& to) {
    store(low(a), &to.x);
    to.z = a[2];
}

/// a × b
[[gnu::always_inline]] inline Vector cross(const Vector& a, const Vector& b) {
    return yzx(a * yzx(b) - yzx(a) * b);
}

/// 3×3 matrix by columns.
struct Matrix {
    Vector x, y, z;

    [[gnu::always_inline]] Vector operator*(const Vector3<double>& b) const {
        return x * b.x + y * b.y + z * b.z;
    }
};
[[gnu::always_inline]] inline Matrix of(const Matrix3<double>& A) { return {of(A.x), of(A.y), of(A.z)}; }
/// Each column's fourth lane lies where the next one begins.
[[gnu::always_inline]] inline void store(const Matrix& A, Matrix3<double>& to) {
    static_assert(sizeof(to) == 9 * sizeof(double));
    store(A.x, &to.x.x);
    store(A.y, &to.y.x);
    store(A.z, to.z);
}

/// A motion or a force. Loads and stores are of the same numbers, so that none waits for several.
struct Pair {
    Vector linear, angular;
};
[[gnu::always_inline]] inline Pair load_pair(const double* from) {
    const Vector first = load<Vector>(from), last = twice(load<Half>(from + 4));
    return {first, __builtin_shufflevector(first, last, 3, 4, 5, 5)};
}
[[gnu::always_inline]] inline void store_pair(const Pair& a, double* to) {
    store(__builtin_shufflevector(a.linear, a.angular, 0, 1, 2, 4), to);
    store(__builtin_shufflevector(a.angular, a.angular, 1, 2), to + 4);
}
[[gnu::always_inline]] inline Pair of(const Motion<double>& m) {
    static_assert(sizeof(m) == 6 * sizeof(double));
    return load_pair(&m.linear.x);
}
[[gnu::always_inline]] inline void store(const Pair& a, Motion<double>& to) { store_pair(a, &to.linear.x); }
[[gnu::always_inline]] inline void store(const Pair& a, Force<double>& to) { store_pair(a, &to.linear.x); }

/// Power of a force on a motion.
[[gnu::always_inline]] inline double dot(const Pair& m, const Pair& f) {
    const Vector products = m.linear * f.linear + m.angular * f.angular;
    return products[0] + products[1] + products[2];
}

/// Rigid inertia as it lies in memory: mass and h; xx, yy, zz and xy; xz and yz.
struct Inertia {
    Vector mass_h, diagonal;
    Half last;

    [[gnu::always_inline]] Inertia& operator+=(const Inertia& b) {
        mass_h += b.mass_h;
        diagonal += b.diagonal;
        last += b.last;
        return *this;
    }
};
[[gnu::always_inline]] inline Inertia of(const RigidInertia<double>& I) {
    static_assert(sizeof(I) == 10 * sizeof(double));
    return {load<Vector>(&I.mass), load<Vector>(&I.angular.xx), load<Half>(&I.angular.xz)};
}
[[gnu::always_inline]] inline void store(const Inertia& I, RigidInertia<double>& to) {
    store(I.mass_h, &to.mass);
    store(I.diagonal, &to.angular.xx);
    store(I.last, &to.angular.xz);
}

/// As rigid_inertia().
[[gnu::always_inline]] inline Inertia rigid_inertia(double mass, const Vector& c, double about_com,
                                                    const Vector& a, const Vector& b) {
    const Vector h = c * mass, squares = h * c, masses = {mass, mass, mass, mass};
    const Vector diagonal = a * a + b * b + (yzx(squares) + zxy(squares) + about_com);
    const Vector others = a * yzx(a) + b * yzx(b) - h * yzx(c);  // xy, yz, zx
    return {__builtin_shufflevector(masses, h, 0, 4, 5, 6),
            __builtin_shufflevector(diagonal, others, 0, 1, 2, 4),
            __builtin_shufflevector(others, others, 2, 1)};
}

[[gnu::always_inline]] inline Pair operator*(const Inertia& I, const Pair& v) {
    const Vector mass = __builtin_shufflevector(I.mass_h, I.mass_h, 0, 0, 0, 0);
    const Vector h = __builtin_shufflevector(I.mass_h, I.mass_h, 1, 2, 3, 3);
    const Vector others = __builtin_shufflevector(I.diagonal, twice(I.last), 3, 5, 4, 4);  // xy, yz, zx
    const Vector& a = v.angular;
    return {v.linear * mass + cross(a, h),
            cross(h, v.linear) + I.diagonal * a + others * yzx(a) + zxy(others) * zxy(a)};
}

}  // namespace wide

#endif

}  // namespace grbda
