#pragma once

#include <string>

#include "dialect.hpp"

// Writes C code for joints with a quaternion, which is equal for every robot.

namespace grbda::generated {

/// Writes the motions of such joints.
std::string pose_motions(const Dialect& dialect);
/// Writes the displacements between their positions, and derivatives of both; uses the table NAME_orientable.
std::string pose_displacements(const Dialect& dialect);

}  // namespace grbda::generated
