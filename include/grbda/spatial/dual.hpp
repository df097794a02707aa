#pragma once

#include <limits>

#include "grbda/scalar.hpp"

namespace grbda {

/// N numbers with arithmetic by entry.
template <class S, int N>
struct Slopes {
    S entries[N] = {};

    S operator[](int i) const { return entries[i]; }
    S& operator[](int i) { return entries[i]; }

    template <class F>
    static Slopes from(F&& entry) {
        Slopes result;
        for (int i = 0; i < N; ++i) result.entries[i] = entry(i);
        return result;
    }
    friend Slopes operator+(const Slopes& a, const Slopes& b) {
        return from([&](int i) { return a[i] + b[i]; });
    }
    friend Slopes operator-(const Slopes& a, const Slopes& b) {
        return from([&](int i) { return a[i] - b[i]; });
    }
    friend Slopes operator*(const S& a, const Slopes& b) {
        return from([&](int i) { return a * b[i]; });
    }
};
/// Stores four doubles in one vector register, as an array of them would go through memory.
template <class S, int N>
struct SlopesOf {
    using Type = Slopes<S, N>;
};
template <>
struct SlopesOf<double, 4> {
    typedef double Type __attribute__((vector_size(32), aligned(8)));
};

/// a + Σ bᵢ εᵢ with εᵢ εⱼ = 0: a number with its derivatives along N directions, as a scalar of the kernels.
template <class S, int N>
struct Dual {
    static constexpr int directions = N;

    S value = 0;
    typename SlopesOf<S, N>::Type slope = {};

    Dual() = default;
    explicit Dual(double v) : value(static_cast<S>(v)) {}
    explicit Dual(int v) : value(static_cast<S>(v)) {}

    /// f(x) with f'(x) as its derivative.
    Dual mapped(const S& f, const S& derivative) const {
        Dual result;
        result.value = f;
        result.slope = derivative * slope;
        return result;
    }

    Dual& operator+=(const Dual& b) {
        value += b.value;
        slope = slope + b.slope;
        return *this;
    }
    Dual& operator-=(const Dual& b) {
        value -= b.value;
        slope = slope - b.slope;
        return *this;
    }
    Dual& operator*=(const Dual& b) {
        slope = b.value * slope + value * b.slope;
        value *= b.value;
        return *this;
    }
    Dual& operator/=(const Dual& b) {
        const S inverse = 1 / b.value;
        value /= b.value;
        slope = inverse * (slope - value * b.slope);
        return *this;
    }

    friend Dual operator+(Dual a, const Dual& b) { return a += b; }
    friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
    friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
    friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
    friend Dual operator-(const Dual& a) { return a.mapped(-a.value, S(-1)); }

    /// The same number with the same derivatives.
    friend bool operator==(const Dual& a, const Dual& b) {
        bool same = a.value == b.value;
        for (int i = 0; i < N; ++i) same = same && a.slope[i] == b.slope[i];
        return same;
    }

    friend double value_of(const Dual& x) { return static_cast<double>(x.value); }
    friend Dual sin(const Dual& x) { return x.mapped(scalar::sin(x.value), scalar::cos(x.value)); }
    friend Dual cos(const Dual& x) { return x.mapped(scalar::cos(x.value), -scalar::sin(x.value)); }
    /// At zero, where the root has no derivative, it is taken as zero: for the norm of what stays zero.
    friend Dual sqrt(const Dual& x) {
        const S root = scalar::sqrt(x.value);
        return x.mapped(root, root > 0 ? S(0.5) / root : S(0));
    }
    friend Dual atan2(const Dual& y, const Dual& x) {
        const S square = x.value * x.value + y.value * y.value;
        Dual result = y.mapped(scalar::atan2(y.value, x.value), x.value / square);
        result.slope = result.slope - y.value / square * x.slope;
        return result;
    }
    friend Dual copysign(const Dual& size, const Dual& sign) {
        return scalar::copysign(size.value, sign.value) == size.value ? size : -size;
    }
    friend Dual min(const Dual& a, const Dual& b) { return b.value < a.value ? b : a; }
};

}  // namespace grbda

/// Rounding is that of the number.
template <class S, int N>
struct std::numeric_limits<grbda::Dual<S, N>> : std::numeric_limits<S> {};
