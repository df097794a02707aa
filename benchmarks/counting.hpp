#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "model/arguments.hpp"
#include "kernels/pass/aba.hpp"
#include "kernels/pass/crba.hpp"
#include "kernels/pass/rnea.hpp"
#include "kernels/pass/kinds/visit.hpp"
#include "grbda/scalar.hpp"

// A scalar for the kernels that counts its operations. All executed operations count, even if an operand
// is a zero or one of the model. Signs, comparisons, choices and copies are free, and so is
// arithmetic on constants of the model alone, which kernels do in plain double.

namespace grbda::counting {

/// Operations of scalar::sincos(double), both functions together: reduction and two polynomials.
constexpr long long sincos_additions = 21, sincos_multiplications = 20;
constexpr int sincos_chain = 21;

struct Operations {
    long long additions = 0;  ///< including subtractions
    long long multiplications = 0;
    long long divisions = 0;
    long long roots = 0;
    long long sincos = 0;  ///< pairs for one angle
    long long others = 0;  ///< functions that no recursion needs

    /// A fused multiply-add counts as two, a division or root as one.
    long long flops() const {
        return additions + multiplications + divisions + roots +
               (sincos_additions + sincos_multiplications) * sincos;
    }
    /// Lower bound of the instructions on single numbers, reached if every addition could be fused with a
    /// multiplication or every multiplication with an addition.
    long long instructions() const {
        return std::max(additions + sincos_additions * sincos,
                        multiplications + sincos_multiplications * sincos) +
               divisions + roots;
    }
    bool operator==(const Operations&) const = default;
};

inline Operations operator-(const Operations& a, const Operations& b) {
    return {a.additions - b.additions, a.multiplications - b.multiplications,
            a.divisions - b.divisions, a.roots - b.roots,
            a.sincos - b.sincos,       a.others - b.others};
}

/// Operations of this thread so far.
inline thread_local Operations done;

struct Counted {
    double value = 0;
    int chain = 0;  ///< length of the dependency chain that leads to this number

    Counted() = default;
    explicit Counted(double v, int c = 0) : value(v), chain(c) {}

    Counted& operator+=(const Counted& b) {
        ++done.additions;
        return *this = Counted(value + b.value, std::max(chain, b.chain) + 1);
    }
    Counted& operator-=(const Counted& b) {
        ++done.additions;
        return *this = Counted(value - b.value, std::max(chain, b.chain) + 1);
    }
    Counted& operator*=(const Counted& b) {
        ++done.multiplications;
        return *this = Counted(value * b.value, std::max(chain, b.chain) + 1);
    }
    Counted& operator/=(const Counted& b) {
        ++done.divisions;
        return *this = Counted(value / b.value, std::max(chain, b.chain) + 1);
    }
};

inline Counted operator+(Counted a, const Counted& b) { return a += b; }
inline Counted operator-(Counted a, const Counted& b) { return a -= b; }
inline Counted operator*(Counted a, const Counted& b) { return a *= b; }
inline Counted operator/(Counted a, const Counted& b) { return a /= b; }
inline Counted operator-(const Counted& a) { return Counted(-a.value, a.chain); }

inline Counted other(double value) {
    ++done.others;
    return Counted(value);
}
inline Counted sin(const Counted& x) { return other(std::sin(x.value)); }
inline Counted cos(const Counted& x) { return other(std::cos(x.value)); }
inline Counted atan2(const Counted& y, const Counted& x) { return other(std::atan2(y.value, x.value)); }
inline Counted sqrt(const Counted& x) {
    ++done.roots;
    return Counted(std::sqrt(x.value), x.chain + 1);
}
inline Counted copysign(const Counted& size, const Counted& sign) {
    return Counted(std::copysign(size.value, sign.value), std::max(size.chain, sign.chain));
}
inline Counted min(const Counted& a, const Counted& b) {
    return Counted(b.value < a.value ? b.value : a.value, std::max(a.chain, b.chain));
}
inline double value_of(const Counted& x) { return x.value; }

}  // namespace grbda::counting

template <>
inline void grbda::scalar::sincos(const counting::Counted& x, counting::Counted& s, counting::Counted& c) {
    ++counting::done.sincos;
    s.chain = c.chain = x.chain + counting::sincos_chain;
    sincos(x.value, s.value, c.value);
}

namespace grbda::counting {

/// Operations and results of one call; for the mass matrix its columns.
struct Count {
    Operations operations;
    int chain;  ///< the longest chain that leads to a result
    VectorX<double> values;
};

inline std::vector<Counted> counted(ConstVectorRef x) {
    std::vector<Counted> result;
    for (const double value : x) result.emplace_back(value);
    return result;
}

/// Counts run(output), where output has `size` numbers.
template <class Run>
Count count(int size, Run&& run) {
    std::vector<Counted> output(static_cast<std::size_t>(size));
    const Operations before = done;
    run(output.data());
    Count result{done - before, 0, VectorX<double>(size)};
    for (int i = 0; i < size; ++i) {
        const Counted& number = output[static_cast<std::size_t>(i)];
        result.values[i] = number.value;
        result.chain = std::max(result.chain, number.chain);
    }
    return result;
}

/// Counts kernels::aba at a closed configuration, without wrenches.
inline Count count_aba(const Model& model, ConstVectorRef q, ConstVectorRef yd, ConstVectorRef tau) {
    Workspace<Counted> data(model);
    const std::vector<Counted> at = counted(q), rate = counted(yd), force = counted(tau);
    return count(model.nv, [&](Counted* ydd) {
        kernels::aba<Counted>(model, data, at.data(), rate.data(), force.data(), nullptr, ydd);
    });
}

inline Count count_rnea(const Model& model, ConstVectorRef q, ConstVectorRef yd, ConstVectorRef ydd) {
    Workspace<Counted> data(model);
    const std::vector<Counted> at = counted(q), rate = counted(yd), acceleration = counted(ydd);
    return count(model.nv, [&](Counted* tau) {
        kernels::rnea<Counted>(model, data, at.data(), rate.data(), acceleration.data(), nullptr, tau);
    });
}

inline Count count_crba(const Model& model, ConstVectorRef q) {
    Workspace<Counted> data(model);
    const std::vector<Counted> at = counted(q);
    return count(model.nv * model.nv,
                 [&](Counted* M) { kernels::crba<Counted>(model, data, at.data(), M, model.nv); });
}

}  // namespace grbda::counting
