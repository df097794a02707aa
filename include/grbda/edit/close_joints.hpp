#pragma once

#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Closes the loops by moving only the joints of these bodies. Use it for the joints that a model with rods
/// does not have. Starts at q, then at other positions, which are the same in each call.
/// in/out  q [nq]; unchanged if the result is false
/// returns whether closing positions were found
/// errors  std::invalid_argument on a wrong size
GRBDA_EXPORT bool close_joints(const Model& model, const std::vector<int>& bodies, VectorX<double>& q);

}  // namespace grbda
