#pragma once

#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Moves the joints of these bodies until loops are closed; all other joints stay. Finds positions of the
/// joints that a model with rods has not. Starts where they are, and then elsewhere, the same in each call.
/// out     q; as it was, where false is returned
/// errors  std::invalid_argument on a wrong size; false where no such positions were found
GRBDA_EXPORT bool close_joints(const Model& model, const std::vector<int>& bodies, VectorX<double>& q);

}  // namespace grbda
