#pragma once

#include <string>
#include <vector>

#include "canonical.hpp"
#include "grbda/generate/generate.hpp"
#include "tape.hpp"

// The kernels, run once on numbers that are written down.

namespace grbda::generated {

/// Numbers that a function is given or gives.
struct Argument {
    std::string name;
    int size = 0;
    std::string meaning;
    int diagonal = 0;     ///< of a symmetric positive matrix: its length
    bool shared = false;  ///< by many states: given once
};

/// A result and the steps of its numbers.
struct Output {
    Argument argument;
    Table<int> steps;
};

struct Recording {
    Tape tape;
    std::vector<Argument> inputs;  ///< of a step Op::input: one behind the other
    std::vector<Output> outputs;
    Table<int> rconds;     ///< steps: below the threshold of the constraints, they are singular
    Table<int> margins;    ///< steps: not positive, the inertia is singular
    bool gravity = false;  ///< acts: it counts among what is given
};

/// What is to be recorded.
struct Request {
    GeneratedAlgorithm algorithm;
    bool wrenches = false;
    std::vector<int> frames;
};
Recording record(const Canonical& robot, const Request& request);

}  // namespace grbda::generated
