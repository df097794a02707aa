#include "tape_derivatives.hpp"

#include "graph.hpp"

namespace grbda::generated {
namespace {

// Arithmetic that records nothing for zeros.
Traced plus(const Traced& a, const Traced& b) {
    if (is_zero(a)) return b;
    return is_zero(b) ? a : a + b;
}
Traced times(const Traced& a, const Traced& b) { return is_zero(a) || is_zero(b) ? Traced() : a * b; }
Traced minus(const Traced& a) { return is_zero(a) ? a : -a; }
Traced over(const Traced& a, const Traced& b) { return is_zero(a) ? a : a / b; }

/// Derivatives of one operation by its operands.
struct Partials {
    Traced a, b;
};
Partials partials(const Step& step, const Traced& result) {
    const Traced a = Traced::at(step.a), b = Traced::at(step.b), one(1.);
    switch (step.op) {
        case Op::add: return {one, one};
        case Op::subtract: return {one, Traced(-1.)};
        case Op::multiply: return {b, a};
        case Op::divide: return {one / b, -(result / b)};
        case Op::negate: return {Traced(-1.), {}};
        // the norm of numbers that are always zero has the derivative zero
        case Op::root: return {one / (result + result + Traced(1e-290)), {}};
        case Op::smaller: {
            const Traced half(0.5), first = copysign(half, b - a);
            return {half + first, half - first};
        }
        case Op::with_sign: return {copysign(one, a) * copysign(one, b), {}};
        case Op::arc: {
            const Traced square = a * a + b * b;
            return {b / square, -(a / square)};
        }
        case Op::sine: return {cos(a), {}};
        case Op::cosine: return {-sin(a), {}};
        case Op::constant:
        case Op::input:
        case Op::broadcast:  // from here on only in a graph
        case Op::pack:
        case Op::lane:
        case Op::lane_sum: break;
    }
    return {};
}

/// Returns the steps on which numbers depend; operands precede results.
Table<char> needed_for(const Tape& tape, const Table<Traced>& numbers) {
    Table<char> needed(tape.steps.size(), 0);
    for (const Traced& number : numbers) needed[number.step()] = 1;
    for (auto i = static_cast<int>(needed.size()); i-- > 0;) {
        const Step& step = tape.steps[i];
        if (!needed[i] || step.op == Op::constant || step.op == Op::input) continue;
        needed[step.a] = needed[step.b] = 1;
    }
    return needed;
}

}  // namespace

bool is_zero(const Traced& number) {
    const Step& step = Tape::current->steps[number.step()];
    return step.op == Op::constant && step.value == 0;
}

Table<Traced> derivatives_along(const Table<Traced>& numbers, const Rates& motion) {
    const Tape& tape = *Tape::current;
    const Table<char> needed = needed_for(tape, numbers);
    Table<Traced> slope(needed.size());
    for (const auto& [variable, rate] : motion) slope[variable.step()] = rate;
    for (int i = 0; i < static_cast<int>(needed.size()); ++i) {
        const Step step = tape.steps[i];
        if (!needed[i] || step.op == Op::constant || step.op == Op::input) continue;
        const Traced a = slope[step.a], b = slope[step.b];
        if (is_zero(a) && is_zero(b)) continue;
        if (step.op == Op::divide) {  // one division
            const Traced result = Traced::at(i);
            slope[i] = over(plus(a, minus(times(result, b))), Traced::at(step.b));
            continue;
        }
        const Partials by = partials(step, Traced::at(i));
        slope[i] = plus(times(by.a, a), is_binary(step.op) ? times(by.b, b) : Traced());
    }
    Table<Traced> result;
    for (const Traced& number : numbers) result.push_back(slope[number.step()]);
    return result;
}

Table<Traced> gradient(const Table<Traced>& numbers, const Table<Traced>& weights,
                       const Table<Traced>& variables) {
    const Tape& tape = *Tape::current;
    Table<Traced> weight(tape.steps.size());
    for (std::size_t k = 0; k < numbers.size(); ++k)
        weight[numbers[k].step()] = plus(weight[numbers[k].step()], weights[k]);
    for (auto i = static_cast<int>(weight.size()); i-- > 0;) {
        const Step step = tape.steps[i];
        if (step.op == Op::constant || step.op == Op::input || is_zero(weight[i])) continue;
        const Partials by = partials(step, Traced::at(i));
        weight[step.a] = plus(weight[step.a], times(by.a, weight[i]));
        if (is_binary(step.op)) weight[step.b] = plus(weight[step.b], times(by.b, weight[i]));
    }
    Table<Traced> result;
    for (const Traced& variable : variables) result.push_back(weight[variable.step()]);
    return result;
}

}  // namespace grbda::generated
