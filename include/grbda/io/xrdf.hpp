#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Applies an XRDF file to the robot. `file` is the name that diagnostics show. Findings are appended.
///   modifiers                add_frame adds to `frames`. set_base_frame: this link becomes the root; links
///                            that do not descend from it are removed, with all references to them
///   default_joint_positions  `start`; a joint that is not listed starts at 0, or at the limit nearest to 0
///   cspace                   `coordinates`; acceleration and jerk limits of their joints
///   tool_frames              `tool_frames`
///   geometry, collision (also world_collision), self_collision    stored; only the names are checked
GRBDA_EXPORT void apply_xrdf(const std::string& text, const std::string& file, RobotDescription& robot,
                             Diagnostics& diagnostics);

}  // namespace grbda
