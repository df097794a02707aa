#pragma once

#include <array>
#include <cstddef>

#include "joint.hpp"

// Derivatives of X exp(δ) for the joints with a quaternion, where X is their pose in SO(3) or SE(3). A change
// of a pose is a twist of the child, in child axes at its origin, like q̇.
// source  Chirikjian, "Stochastic Models, Information Theory, and Lie Groups" 2, 2011, Sec. 10.1 and 10.7:
//         right Jacobians

namespace grbda::kernels {

/// Map of a twist [linear; angular] of a child: [A B; 0 A]; for a spherical joint only A.
template <class S>
struct TwistMap {
    Matrix3<S> A, B;
};

/// Functions of x = θ²: a = sin θ/θ, b = (1 − cos θ)/θ², c = (θ − sin θ)/θ³, and the derivatives of b and c
/// by x. Uses series if differences would cancel.
template <class S>
struct TurnFactors {
    S a, b, c, db, dc;
};

template <class S>
TurnFactors<S> turn_factors(const S& x) {
    constexpr int terms = 9;  // the next one is below 1e-17
    static constexpr std::array inverse_factorials = [] {
        std::array<double, 2 * terms + 4> result{};
        double factorial = 1;
        for (std::size_t n = 0; n < result.size(); ++n) {
            factorial *= n > 0 ? static_cast<double>(n) : 1;
            result[n] = 1 / factorial;
        }
        return result;
    }();
    if (value_of(x) >= 1) {
        const S angle = scalar::sqrt(x), half = scalar::sin(angle * S(0.5));
        const S a = scalar::sin(angle) / angle, b = S(2) * half * half / x, c = (S(1) - a) / x;
        return {a, b, c, (a - S(2) * b) / (S(2) * x), (b - S(3) * c) / (S(2) * x)};
    }
    TurnFactors<S> f{S(0), S(0), S(0), S(0), S(0)};
    for (int k = terms; k-- > 0;) {
        const double* term = inverse_factorials.data() + 2 * k + 1;
        f.a = S(term[0]) - x * f.a;
        f.b = S(term[1]) - x * f.b;
        f.c = S(term[2]) - x * f.c;
        f.db = S(-(k + 1) * term[3]) - x * f.db;
        f.dc = S(-(k + 1) * term[4]) - x * f.dc;
    }
    return f;
}

/// Returns a×.
template <class S>
Matrix3<S> cross_matrix(const Vector3<S>& a) {
    const S zero(0);
    return {{zero, a.z, -a.y}, {-a.z, zero, a.x}, {a.y, -a.x, zero}};
}

/// Returns a bᵀ.
template <class S>
Matrix3<S> outer(const Vector3<S>& a, const Vector3<S>& b) {
    return {a * b.x, a * b.y, a * b.z};
}

/// Returns 1 + first w× + second w×w×.
template <class S>
Matrix3<S> turn_series(const Vector3<S>& w, const S& first, const S& second) {
    const Matrix3<S> W = cross_matrix(w);
    return Matrix3<S>::identity() + W * first + W * W * second;
}

/// Returns Ad(exp(−δ)), which maps the change of X to that of X exp(δ).
template <class S>
TwistMap<S> change_by_start(const Vector3<S>& v, const Vector3<S>& w) {
    const TurnFactors<S> f = turn_factors(dot(w, w));
    const Matrix3<S> back = turn_series(w, S(-f.a), f.b);
    const Vector3<S> turn = cross(w, v);
    return {back, back * cross_matrix(-(v + turn * f.b + cross(w, turn) * f.c))};
}

/// Returns the right Jacobian, which maps the change of δ to that of X exp(δ).
///   A = 1 − b w× + c w×w×      B = Rᵀ ∂(V v)/∂w      V = 1 + b w× + c w×w×
template <class S>
TwistMap<S> end_by_displacement(const Vector3<S>& v, const Vector3<S>& w) {
    const TurnFactors<S> f = turn_factors(dot(w, w));
    const Vector3<S> turn = cross(w, v), twice = cross(w, turn);
    Matrix3<S> shift = outer(turn * f.db + twice * f.dc, w * S(2));
    shift -= cross_matrix(v * f.b + turn * f.c) + cross_matrix(w) * cross_matrix(v) * f.c;
    return {turn_series(w, S(-f.b), f.c), turn_series(w, S(-f.a), f.b) * shift};
}

/// Returns the inverse of the right Jacobian, for |w| < 2π. It maps the change of X exp(δ) to that of δ; for
/// −δ, the negative change of X.
template <class S>
TwistMap<S> displacement_by_end(const Vector3<S>& v, const Vector3<S>& w) {
    const S x = dot(w, w);
    S second = S(1. / 12) + x * (S(1. / 720) + x * (S(1. / 30240) + x * S(1. / 1209600)));
    if (value_of(x) >= 1e-3) {
        const TurnFactors<S> f = turn_factors(x);
        second = (S(1) - f.a / (S(2) * f.b)) / x;
    }
    const Matrix3<S> A = turn_series(w, S(0.5), second);
    return {A, A * end_by_displacement(v, w).B * A * S(-1)};
}

}  // namespace grbda::kernels
