#pragma once

#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "reference.hpp"
#include "subject.hpp"

// Badly conditioned states: K_d close to losing rank, or a mass matrix of widely different eigenvalues.

namespace grbda::benchmarks {

/// States with their exact solutions: for the configuration that closes in long double, and for its rounding
/// to double, which is the input of all methods.
struct Case {
    Subject subject;
    std::vector<Reference::Vector> closed_q;
    std::vector<Reference::Solution> closed, rounded;
    double rcond = 1;  ///< of the worst state
};

/// Calls add(mechanism, conditioning as text, make) for each case.
void each_accuracy_case(
    const std::function<void(const std::string&, const std::string&, std::function<Case()>)>& add);

/// Made at first use and kept.
const Case& accuracy_case(const std::string& name, const std::function<Case()>& make);

}  // namespace grbda::benchmarks
