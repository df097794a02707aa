#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Reads URDF or URDF+ from `text`. `file` is the name that diagnostics show.
/// Findings are appended; the description is valid only without errors.
/// Does not resolve names (see make_mechanism).
GRBDA_EXPORT RobotDescription read_urdf(const std::string& text, const std::string& file,
                                        Diagnostics& diagnostics);

}  // namespace grbda
