#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Reads SDF, the format of Gazebo, from `text`: the part of it that describes mechanisms. `file` is the name
/// that diagnostics show. Findings are appended; the description is meaningful only if none is an error.
GRBDA_EXPORT RobotDescription read_sdf(const std::string& text, const std::string& file,
                                       Diagnostics& diagnostics);

}  // namespace grbda
