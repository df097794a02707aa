#pragma once

#include "setting.hpp"

// Memory of simulations, so that a number of them that no machine can hold is refused before it is requested.

namespace grbda::simulation {

/// Bytes of the states of so many simulations, and of the workspaces of so many threads: a lower estimate.
/// Numbers are doubles, which do not overflow.
double bytes_needed(const Setting& setting, double simulations, double threads);

/// Throws std::invalid_argument if they exceed the memory of this machine.
void require_memory(const Setting& setting, int simulations, int threads);

}  // namespace grbda::simulation
