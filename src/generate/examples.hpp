#pragma once

#include <vector>

#include "function.hpp"

// Computes results of the library at one state.

namespace grbda::generated {

struct Example {
    int function = 0;  ///< index
    std::vector<std::vector<double>> inputs, outputs;
};

/// Returns one example per function, at a state near the neutral one; none if the library has no result
/// there.
std::vector<Example> make_examples(const Model& model, const std::vector<double>& parameters,
                                   const std::vector<Function>& functions);

}  // namespace grbda::generated
