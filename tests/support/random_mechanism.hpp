#pragma once

#include <cstdint>

#include "grbda/description.hpp"

// Random robots: chains and branches of every joint type, fixed links between, loops of every type (nested,
// overlapping, to ancestors and to the ground, twice the same one), gears, belts, cams and rotors. Loops and
// couplings are placed so that they close at some random configuration, which the assembly has to find.

namespace random_mechanism {

/// The same seed gives the same robot.
grbda::RobotDescription random_mechanism(std::uint64_t seed);

}  // namespace random_mechanism
