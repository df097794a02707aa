#pragma once

#include <string>
#include <vector>

#include "canonical.hpp"
#include "grbda/generate/generate.hpp"
#include "tape.hpp"

// Records the kernels: one run on numbers that log their operations.

namespace grbda::generated {

/// Input or output numbers of a function.
struct Argument {
    std::string name;
    int size = 0;
    std::string meaning;
    int diagonal = 0;           ///< length of the diagonal, for a symmetric positive matrix
    bool shared = false;        ///< one input for many states
    int rows = 0, columns = 0;  ///< of the matrix, or of each of several, recorded row by row; 0: no matrix
};

/// Entries of an output, recorded row by row, in the order in which functions store them.
template <class Entries>
Entries in_order(const Argument& output, bool by_columns, const Entries& entries) {
    if (!by_columns || output.columns == 0) return entries;
    Entries result = entries;
    const int rows = output.rows, columns = output.columns;
    for (int i = 0; i < static_cast<int>(entries.size()); ++i) {
        const int within = i % (rows * columns), row = within % rows, column = within / rows;
        result[static_cast<std::size_t>(i)] =
            entries[static_cast<std::size_t>(i - within + row * columns + column)];
    }
    return result;
}

/// A result and the steps of its numbers.
struct Output {
    Argument argument;
    Table<int> steps;
};

/// Replaces n³ statements: in loops at the end, a matrix X becomes −W X, between rows and columns of each
/// block.
struct Product {
    int factor = 0, matrix = 0;  ///< outputs W and X, by rows
    Table<Range> blocks;
    Table<char> ready;  ///< columns of X that do not change
    double steps = 0;   ///< number of steps in the library, which skips zeros
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
