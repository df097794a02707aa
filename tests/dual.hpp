#pragma once

#include <cmath>

// a + b ε with ε² = 0: a number with its derivative, as a scalar of the kernels.

namespace dual {

struct Dual {
    double value = 0, slope = 0;

    Dual() = default;
    explicit Dual(double v, double s = 0) : value(v), slope(s) {}
    explicit Dual(int v) : value(v) {}

    Dual& operator+=(const Dual& b) {
        value += b.value;
        slope += b.slope;
        return *this;
    }
    Dual& operator-=(const Dual& b) {
        value -= b.value;
        slope -= b.slope;
        return *this;
    }
    Dual& operator*=(const Dual& b) {
        slope = slope * b.value + value * b.slope;
        value *= b.value;
        return *this;
    }
    Dual& operator/=(const Dual& b) {
        value /= b.value;
        slope = (slope - value * b.slope) / b.value;
        return *this;
    }
};

inline Dual operator+(Dual a, const Dual& b) { return a += b; }
inline Dual operator-(Dual a, const Dual& b) { return a -= b; }
inline Dual operator*(Dual a, const Dual& b) { return a *= b; }
inline Dual operator/(Dual a, const Dual& b) { return a /= b; }
inline Dual operator-(const Dual& a) { return Dual(-a.value, -a.slope); }

inline Dual sin(const Dual& x) { return Dual(std::sin(x.value), std::cos(x.value) * x.slope); }
inline Dual cos(const Dual& x) { return Dual(std::cos(x.value), -std::sin(x.value) * x.slope); }
inline Dual sqrt(const Dual& x) {
    const double root = std::sqrt(x.value);
    return Dual(root, root > 0 ? x.slope / (2 * root) : 0);  // the norm of a column that is always zero
}
inline Dual atan2(const Dual& y, const Dual& x) {
    const double square = x.value * x.value + y.value * y.value;
    return Dual(std::atan2(y.value, x.value), (x.value * y.slope - y.value * x.slope) / square);
}
inline Dual copysign(const Dual& size, const Dual& sign) {
    return std::signbit(size.value) == std::signbit(sign.value) ? size : -size;
}
inline Dual min(const Dual& a, const Dual& b) { return b.value < a.value ? b : a; }
inline double value_of(const Dual& x) { return x.value; }

}  // namespace dual
