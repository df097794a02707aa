#pragma once

#include <string>
#include <vector>

#include "file.hpp"

// Functions that solvers load from a library: their arguments, and the C code that evaluates them.

namespace grbda::generated {

struct Input {
    std::string name, size;
    bool varies = true;  ///< has derivatives
};
struct External {
    std::string name;
    std::vector<Input> inputs;
    std::vector<Input> outputs;
    std::string evaluation;  ///< body of the evaluation
};

std::vector<External> externals(const File& file);
/// Writes C functions that evaluations call.
std::string external_support(const File& file);

}  // namespace grbda::generated
