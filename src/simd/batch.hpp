#pragma once

#include <type_traits>

#include "grbda/scalar.hpp"
#include "registers.hpp"

namespace grbda {
inline namespace GRBDA_BATCH_NAMESPACE {

/// Outcome of a comparison in every lane. It does not convert to bool: see all().
template <int W>
class Mask {
public:
    using Lanes = registers::MaskOf<W>;

    [[gnu::always_inline]] explicit Mask(const Lanes& lanes) : lanes_(lanes) {}
    [[gnu::always_inline]] friend bool all(const Mask& mask) { return registers::all(mask.lanes_); }

private:
    Lanes lanes_;
};

/// W states side by side: a scalar for kernels that do the same with each of them. There is no value_of() and
/// no comparison that gives a bool: what branches on a value, such as closing loops, does not compile.
template <class S, int W>
class Batch {
    static_assert(std::is_same_v<S, double> && (W == 4 || W == 8));

public:
    using Lanes = registers::LanesOf<W>;

    [[gnu::always_inline]] Batch() : Batch(S(0)) {}
    [[gnu::always_inline]] Batch(S x) : lanes_(registers::filled<Lanes>(x)) {}
    [[gnu::always_inline]] explicit Batch(int x) : Batch(static_cast<S>(x)) {}

    [[gnu::always_inline]] static Batch load(const S* values) {
        return Batch(registers::Memory<Lanes>::load(values));
    }
    [[gnu::always_inline]] void store(S* values) const { registers::Memory<Lanes>::store(lanes_, values); }
    S operator[](int lane) const {
        S values[W];
        store(values);
        return values[lane];
    }

    [[gnu::always_inline]] Batch& operator+=(const Batch& b) { return *this = *this + b; }
    [[gnu::always_inline]] Batch& operator-=(const Batch& b) { return *this = *this - b; }
    [[gnu::always_inline]] Batch& operator*=(const Batch& b) { return *this = *this * b; }
    [[gnu::always_inline]] Batch& operator/=(const Batch& b) { return *this = *this / b; }
    [[gnu::always_inline]] friend Batch operator+(const Batch& a, const Batch& b) {
        return Batch(a.lanes_ + b.lanes_);
    }
    [[gnu::always_inline]] friend Batch operator-(const Batch& a, const Batch& b) {
        return Batch(a.lanes_ - b.lanes_);
    }
    [[gnu::always_inline]] friend Batch operator*(const Batch& a, const Batch& b) {
        return Batch(a.lanes_ * b.lanes_);
    }
    [[gnu::always_inline]] friend Batch operator/(const Batch& a, const Batch& b) {
        return Batch(a.lanes_ / b.lanes_);
    }
    [[gnu::always_inline]] friend Batch operator-(const Batch& a) { return Batch(-a.lanes_); }
    [[gnu::always_inline]] friend Mask<W> operator>(const Batch& a, const Batch& b) {
        return Mask<W>(a.lanes_ > b.lanes_);
    }
    [[gnu::always_inline]] friend Mask<W> operator>=(const Batch& a, const Batch& b) {
        return Mask<W>(a.lanes_ >= b.lanes_);
    }

    [[gnu::always_inline]] friend Batch sqrt(const Batch& x) { return Batch(registers::root(x.lanes_)); }
    [[gnu::always_inline]] friend Batch copysign(const Batch& size, const Batch& sign) {
        return Batch(registers::with_sign(size.lanes_, sign.lanes_));
    }
    /// As std::min: a unless b < a, also for NaN.
    [[gnu::always_inline]] friend Batch min(const Batch& a, const Batch& b) {
        return Batch(registers::smaller(a.lanes_, b.lanes_));
    }
    /// To 3 ulp, as scalar::sincos(double); lanes with |x| ≥ 10⁵ by the functions of the standard library.
    [[gnu::always_inline]] void sincos(Batch& sine, Batch& cosine) const {
        registers::sincos(lanes_, sine.lanes_, cosine.lanes_);
    }
    friend Batch sin(const Batch& x) {
        Batch sine, cosine;
        x.sincos(sine, cosine);
        return sine;
    }
    friend Batch cos(const Batch& x) {
        Batch sine, cosine;
        x.sincos(sine, cosine);
        return cosine;
    }

private:
    [[gnu::always_inline]] explicit Batch(const Lanes& lanes) : lanes_(lanes) {}

    Lanes lanes_;
};

}  // namespace GRBDA_BATCH_NAMESPACE

// Kernels call this one by its qualified name, where argument-dependent lookup does not find another.
template <>
[[gnu::always_inline]] inline void scalar::sincos(const Batch<double, 4>& x, Batch<double, 4>& s,
                                                  Batch<double, 4>& c) {
    x.sincos(s, c);
}
template <>
[[gnu::always_inline]] inline void scalar::sincos(const Batch<double, 8>& x, Batch<double, 8>& s,
                                                  Batch<double, 8>& c) {
    x.sincos(s, c);
}

}  // namespace grbda
