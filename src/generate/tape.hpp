#pragma once

#include <vector>

#include "grbda/scalar.hpp"
#include "grbda/table.hpp"

// A scalar that records operations of kernels. Kernels do not branch on values, so that one recording is
// valid for every state.

namespace grbda::generated {

enum class Op : unsigned char {
    constant,
    input,
    add,
    subtract,
    multiply,
    divide,
    negate,
    root,
    smaller,
    with_sign,
    arc,  ///< atan2
    sine,
    cosine,
    // between numbers and lanes, only in a graph
    broadcast,
    pack,
    lane,
    lane_sum
};

/// Returns a number of the model that represents an input: a NaN that no arithmetic produces. Kernels convert
/// numbers of the model to scalars before any operation.
double parameter(int index);
/// Returns the index of the parameter; −1 for an ordinary number.
int parameter_index(double number);

/// One operation on earlier results.
struct Step {
    Op op = Op::constant;
    int a = 0, b = 0;  ///< operands; for an input its index among all inputs
    double value = 0;  ///< for a constant
    int unit = 0;      ///< in Tape::units
};

/// Consecutive steps for one cluster; −1: for no specific cluster.
struct Unit {
    int cluster = -1;
    int visit = 0;            ///< number of earlier visits to the cluster
    int first = 0, last = 0;  ///< in Tape::steps
};

struct Tape {
    Tape() { steps.push_back({Op::constant, 0, 0, 0, -1}); }

    int write(Op op, int a = 0, int b = 0, double value = 0) {
        steps.push_back({op, a, b, value, static_cast<int>(units.size()) - 1});
        return static_cast<int>(steps.size()) - 1;
    }
    /// Records a constant, or a parameter: an input with index −1 − parameter index.
    int write(double value) {
        const int index = parameter_index(value);
        return index < 0 ? write(Op::constant, 0, 0, value) : write(Op::input, -1 - index);
    }
    /// Assigns the following steps to a cluster, or to none (−1).
    void enter(int cluster);
    void end();

    Table<Step> steps;  ///< the first one is the constant zero
    Table<Unit> units;

    /// The tape that records the numbers of this thread.
    static thread_local Tape* current;

private:
    Table<int> visits_;
};

class Traced {
public:
    Traced() = default;  ///< zero
    /// Records the value even if it is zero, so that equal limbs perform the same operations in the same
    /// order.
    Traced(double value) : step_(Tape::current->write(value)) {}
    static Traced at(int step) {
        Traced x;
        x.step_ = step;
        return x;
    }
    int step() const { return step_; }
    /// Assigns the next operations of a kernel to this cluster.
    static void enter(int cluster) { Tape::current->enter(cluster); }

    Traced& operator+=(const Traced& b) { return *this = *this + b; }
    Traced& operator-=(const Traced& b) { return *this = *this - b; }
    Traced& operator*=(const Traced& b) { return *this = *this * b; }
    Traced& operator/=(const Traced& b) { return *this = *this / b; }
    friend Traced operator+(const Traced& a, const Traced& b) { return of(Op::add, a, b); }
    friend Traced operator-(const Traced& a, const Traced& b) { return of(Op::subtract, a, b); }
    friend Traced operator*(const Traced& a, const Traced& b) { return of(Op::multiply, a, b); }
    friend Traced operator/(const Traced& a, const Traced& b) { return of(Op::divide, a, b); }
    friend Traced operator-(const Traced& a) { return of(Op::negate, a, {}); }
    friend Traced sqrt(const Traced& a) { return of(Op::root, a, {}); }
    friend Traced min(const Traced& a, const Traced& b) { return of(Op::smaller, a, b); }
    friend Traced copysign(const Traced& a, const Traced& b) { return of(Op::with_sign, a, b); }
    friend Traced atan2(const Traced& a, const Traced& b) { return of(Op::arc, a, b); }
    friend Traced sin(const Traced& a) { return of(Op::sine, a, {}); }
    friend Traced cos(const Traced& a) { return of(Op::cosine, a, {}); }

private:
    static Traced of(Op op, const Traced& a, const Traced& b) {
        return at(Tape::current->write(op, a.step_, b.step_));
    }

    int step_ = 0;
};

}  // namespace grbda::generated
