#pragma once

#include <vector>

#include "function.hpp"

// What the library itself computes at one state.

namespace grbda::generated {

struct Example {
    int function = 0;  ///< index
    std::vector<std::vector<double>> inputs, outputs;
};

/// Of each function one, at a state near the neutral one; none where the library has no answer there.
std::vector<Example> make_examples(const Model& model, const std::vector<double>& parameters,
                                   const std::vector<Function>& functions);

}  // namespace grbda::generated
