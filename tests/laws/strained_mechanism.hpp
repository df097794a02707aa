#pragma once

#include <cstdint>

#include "grbda/description.hpp"

// Random mechanisms that take rows of loops apart: to a random mechanism come loops that repeat what a joint
// says already, so that some or all of their rows vanish in every pose, the same loops and couplings twice,
// joints that mimic others, and figures rounded as in a file, so that rows contradict each other by a little.

namespace random_mechanism {

/// The same seed gives the same robot. The added constraints hold in every pose, except for rounding.
grbda::RobotDescription strained_mechanism(std::uint64_t seed);

}  // namespace random_mechanism
