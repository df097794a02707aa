#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Reads MJCF, the format of MuJoCo, from `text`: the part of it that describes mechanisms. `file` is the
/// name that diagnostics show. Findings are appended; the description is meaningful only if none is an error.
GRBDA_EXPORT RobotDescription read_mjcf(const std::string& text, const std::string& file,
                                        Diagnostics& diagnostics);

}  // namespace grbda
