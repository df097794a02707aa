#pragma once

#include <vector>

#include "grbda/scalar.hpp"
#include "grbda/table.hpp"

// A scalar that writes down what kernels do with it. They branch on no value, so what one run does serves
// every state.

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
    // between numbers and lanes, of a graph alone
    broadcast,
    pack,
    lane,
    lane_sum
};

/// A number of the model in whose place stands one that is given: NaN of a kind that no arithmetic makes.
/// What a kernel takes from the model becomes a scalar before anything is done with it.
double parameter(int index);
/// Which one it is; −1: a number like others.
int parameter_index(double number);

/// One operation on earlier ones.
struct Step {
    Op op = Op::constant;
    int a = 0, b = 0;  ///< operands; of an input its place among all that is given
    double value = 0;  ///< of a constant
    int unit = 0;      ///< in Tape::units
};

/// What is done in one go for one cluster; −1: for no cluster in particular.
struct Unit {
    int cluster = -1;
    int visit = 0;            ///< how often the cluster was come to before
    int first = 0, last = 0;  ///< in Tape::steps
};

struct Tape {
    Tape() { steps.push_back({Op::constant, 0, 0, 0, -1}); }

    int write(Op op, int a = 0, int b = 0, double value = 0) {
        steps.push_back({op, a, b, value, static_cast<int>(units.size()) - 1});
        return static_cast<int>(steps.size()) - 1;
    }
    /// A constant, or a parameter: an input with place −1 − index.
    int write(double value) {
        const int index = parameter_index(value);
        return index < 0 ? write(Op::constant, 0, 0, value) : write(Op::input, -1 - index);
    }
    /// What follows is done for a cluster, or −1.
    void enter(int cluster);
    void end();

    Table<Step> steps;  ///< the first one: the constant zero
    Table<Unit> units;

    /// That the numbers of this thread are written on.
    static thread_local Tape* current;

private:
    Table<int> visits_;
};

class Traced {
public:
    Traced() = default;  ///< zero
    /// Written even where it is zero: limbs that are alike do the same in the same order.
    Traced(double value) : step_(Tape::current->write(value)) {}
    static Traced at(int step) {
        Traced x;
        x.step_ = step;
        return x;
    }
    int step() const { return step_; }

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
