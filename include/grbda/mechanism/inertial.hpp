#pragma once

#include "grbda/description.hpp"
#include "grbda/export.hpp"

// Inertias of links that are fixed to each other.

namespace grbda {

/// Expresses an inertial in a frame; `pose` is the pose of its own frame there. The result is symmetric, and
/// moments that are negative by rounding are set to zero.
GRBDA_EXPORT Inertial placed(const Inertial& inertial, const Pose& pose);

/// Combines two inertials in one frame, by the parallel-axis theorem about the common centre of mass.
GRBDA_EXPORT Inertial merged(const Inertial& a, const Inertial& b);

}  // namespace grbda
