#pragma once

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// Returns the mechanism with start and states replaced by those of the model, which close the loops. Use
/// it for formats such as MJCF whose programs do not close loops.
GRBDA_EXPORT Mechanism with_closed_states(Mechanism mechanism, const Model& model);

}  // namespace grbda
