#pragma once

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// Returns the mechanism with the closed start and states of its model, for
/// formats of programs that do not close loops themselves, such as MJCF.
GRBDA_EXPORT Mechanism with_closed_states(Mechanism mechanism, const Model& model);

}  // namespace grbda
