#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Reads the parts of MJCF, the format of MuJoCo, that describe mechanisms, from `text`. `file` is the
/// name that diagnostics show. Findings are appended; the description is valid only without errors.
GRBDA_EXPORT RobotDescription read_mjcf(const std::string& text, const std::string& file,
                                        Diagnostics& diagnostics);

}  // namespace grbda
