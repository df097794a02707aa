#pragma once

#include "grbda/description.hpp"
#include "grbda/export.hpp"

// Combined inertias of links that are fixed to each other.

namespace grbda {

/// An inertial in the frame in which its own stands at `pose`. The result is symmetric and without moments
/// below zero, which rounding leaves.
GRBDA_EXPORT Inertial placed(const Inertial& inertial, const Pose& pose);

/// Two inertials in one frame as one: the parallel-axis theorem about the common centre of mass.
GRBDA_EXPORT Inertial merged(const Inertial& a, const Inertial& b);

}  // namespace grbda
