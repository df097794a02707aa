#pragma once

#include <vector>

#include "constraints/actuation.hpp"
#include "constraints/constraint_forces.hpp"
#include "dynamics/contact_inertia.hpp"
#include "derivatives/constraint_force_derivatives.hpp"
#include "dynamics/energy.hpp"
#include "grbda/generate/generate.hpp"
#include "grbda/joint_types.hpp"
#include "search/search.hpp"
#include "grbda/search/sweep.hpp"

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
