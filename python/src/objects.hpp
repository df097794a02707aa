#pragma once

#include <vector>

#include "grbda/algorithms/actuation.hpp"
#include "grbda/algorithms/constraint_force_derivatives.hpp"
#include "grbda/algorithms/constraint_forces.hpp"
#include "grbda/algorithms/contact.hpp"
#include "grbda/algorithms/energy.hpp"
#include "grbda/algorithms/search.hpp"
#include "grbda/algorithms/sweep.hpp"
#include "grbda/generate/generate.hpp"
#include "grbda/kernels/gap.hpp"

#include "call.hpp"

// Objects that algorithms fill, and their names in signatures.

namespace grbda::python {

struct Residuals {
    std::vector<LoopGap> loops, couplings;
};

/// Result of a search, with copies of those parts that its workspace owns.
struct Found {
    SearchResult result;
    std::vector<Gap> gaps;
    VectorX<double> moved;
};

template <>
inline constexpr const char* argument_of<Holding<Actuation<double>>> = "actuation";
template <>
inline constexpr const char* type_of<Holding<Actuation<double>>> = "Actuation";
template <>
inline constexpr const char* type_name<Sweep> = "Sweep";
template <>
inline constexpr const char* type_name<GeneratedCode> = "GeneratedCode";

}  // namespace grbda::python
