#pragma once

#include <string>
#include <vector>

#include "canonical.hpp"
#include "grbda/generate/generate.hpp"
#include "tape.hpp"

// Recording of the kernels: one run on numbers that log their operations.

namespace grbda::generated {

/// Input or output numbers of a function.
struct Argument {
    std::string name;
    int size = 0;
    std::string meaning;
    int diagonal = 0;     ///< length of the diagonal, for a symmetric positive matrix
    bool shared = false;  ///< one input for many states
};

/// A result and the steps of its numbers.
struct Output {
    Argument argument;
    Table<int> steps;
};

/// Replaces n³ statements: in loops at the end a matrix X
/// becomes −W X, between rows and columns of each block.
struct Product {
    int factor = 0, matrix = 0;  ///< outputs W and X, by rows
    Table<Range> blocks;
    Table<char> ready;  ///< columns of X that do not change
    double steps = 0;   ///< number in the library, which skips zeros
};

struct Recording {
    Tape tape;
    std::vector<Argument> inputs;  ///< the index of a step Op::input runs through all of them
    std::vector<Output> outputs;
    Table<int> rconds;   ///< steps: constraints are singular if one is below its threshold
    Table<int> margins;  ///< steps: the inertia is singular if one is not positive
    std::vector<Product> products;
};

/// A function to record.
struct Request {
    GeneratedAlgorithm algorithm;
    bool wrenches = false;
    std::vector<int> frames;
    bool motors = false;        ///< inputs are the motors' forces
    bool joint_forces = false;  ///< springs, dampers, tendons and gravity compensation act
};
Recording record(const Canonical& robot, const Request& request);

}  // namespace grbda::generated
