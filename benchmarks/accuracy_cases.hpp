#pragma once

#include <functional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "reference.hpp"
#include "subject.hpp"

// States where numbers are bad, which is K_d close to losing rank, or a mass matrix of far apart eigenvalues.

namespace grbda::benchmarks {

/// States with what is exact there: of the configuration that closes in long double, and of its rounding to
/// double, which is all that a method is given.
struct Case {
    Subject subject;
    std::vector<Reference::Vector> closed_q;
    std::vector<Reference::Solution> closed, rounded;
    double rcond = 1;  ///< the worst state's
};

/// Calls add(mechanism, conditioning as written, make) for each.
void each_accuracy_case(
    const std::function<void(const std::string&, const std::string&, std::function<Case()>)>& add);

/// Made at first use and kept.
const Case& accuracy_case(const std::string& name, const std::function<Case()>& make);

}  // namespace grbda::benchmarks
