#pragma once

#include <cmath>

// a + b ε with ε² = 0: a number with its derivative, as a scalar of the kernels. Dual numbers of dual numbers
// have second derivatives, slope.slope.

namespace dual {

template <class T = double>
struct Dual {
    T value{0}, slope{0};

    Dual() = default;
    explicit Dual(double v) : value(v) {}
    explicit Dual(int v) : value(v) {}
    Dual(const T& v, const T& s) : value(v), slope(s) {}

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
    friend Dual operator+(Dual a, const Dual& b) { return a += b; }
    friend Dual operator-(Dual a, const Dual& b) { return a -= b; }
    friend Dual operator*(Dual a, const Dual& b) { return a *= b; }
    friend Dual operator/(Dual a, const Dual& b) { return a /= b; }
    friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
};

inline double value_of(double x) { return x; }
template <class T>
double value_of(const Dual<T>& x) {
    return value_of(x.value);
}

template <class T>
Dual<T> sin(const Dual<T>& x) {
    using std::cos, std::sin;
    return {sin(x.value), cos(x.value) * x.slope};
}
template <class T>
Dual<T> cos(const Dual<T>& x) {
    using std::cos, std::sin;
    return {cos(x.value), -sin(x.value) * x.slope};
}
/// The slope at zero is zero, as for the norm of a column that is always zero.
template <class T>
Dual<T> sqrt(const Dual<T>& x) {
    using std::sqrt;
    const T root = sqrt(x.value);
    return {root, value_of(root) == 0 ? T(0) : x.slope / (root + root)};
}
template <class T>
Dual<T> atan2(const Dual<T>& y, const Dual<T>& x) {
    using std::atan2;
    return {atan2(y.value, x.value),
            (x.value * y.slope - y.value * x.slope) / (x.value * x.value + y.value * y.value)};
}
template <class T>
Dual<T> copysign(const Dual<T>& size, const Dual<T>& sign) {
    return std::signbit(value_of(size)) == std::signbit(value_of(sign)) ? size : -size;
}
template <class T>
Dual<T> min(const Dual<T>& a, const Dual<T>& b) {
    return value_of(b) < value_of(a) ? b : a;
}

}  // namespace dual
