#pragma once

#include "simulation/state/setting.hpp"

// Estimates the memory of simulations, so that too large a number is refused before memory is requested.

namespace grbda::simulation {

/// Returns a lower estimate of the bytes for the states of these simulations and the workspaces of these
/// threads. The numbers are doubles, which do not overflow.
double bytes_needed(const Setting& setting, double simulations, double threads);

/// Throws std::invalid_argument if the bytes needed exceed the memory of this machine.
void require_memory(const Setting& setting, int simulations, int threads);

}  // namespace grbda::simulation
