#pragma once

#include <string>

#include "dialect.hpp"

// C code for joints with a quaternion, the same for every robot.

namespace grbda::generated {

/// Motions of such joints.
std::string pose_motions(const Dialect& dialect);
/// Displacements between their positions, and derivatives of both; uses the table NAME_orientable.
std::string pose_displacements(const Dialect& dialect);

}  // namespace grbda::generated
