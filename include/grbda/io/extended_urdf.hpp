#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Applies the YAML side file of an Extended URDF to the robot: loops, motors, replaced joints. `file` is the
/// name that diagnostics show. Findings are appended.
GRBDA_EXPORT void apply_extended_urdf(const std::string& text, const std::string& file,
                                      RobotDescription& robot, Diagnostics& diagnostics);

}  // namespace grbda
