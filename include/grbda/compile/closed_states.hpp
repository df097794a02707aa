#pragma once

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// The mechanism with a start and with states that close its loops: those of its model. For formats of
/// programs that do not close loops themselves, as MJCF.
GRBDA_EXPORT Mechanism with_closed_states(Mechanism mechanism, const Model& model);

}  // namespace grbda
