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

/// What would be n³ statements: in loops at the end a matrix X becomes −W X, between rows and columns of
/// each block.
struct Product {
    int factor = 0, matrix = 0;  ///< outputs W and X, by rows
    Table<Range> blocks;
    Table<char> ready;  ///< columns of X that stay
    double steps = 0;   ///< of the library, which knows what is zero
};

struct Recording {
    Tape tape;
    std::vector<Argument> inputs;  ///< of a step Op::input: one behind the other
    std::vector<Output> outputs;
    Table<int> rconds;   ///< steps: below the threshold of the constraints, they are singular
    Table<int> margins;  ///< steps: not positive, the inertia is singular
    std::vector<Product> products;
};

/// What is to be recorded.
struct Request {
    GeneratedAlgorithm algorithm;
    bool wrenches = false;
    std::vector<int> frames;
};
Recording record(const Canonical& robot, const Request& request);

}  // namespace grbda::generated
