#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Applies an XRDF file to the robot. `file` is the name that diagnostics show. Findings are appended.
///   modifiers                add_frame: frames. set_base_frame: the robot's root, with what is below it; the
///                            rest is removed, with all references to it
///   default_joint_positions  start; joints that are not listed start at 0, or at the limit nearest to 0
///   cspace                   coordinates; acceleration and jerk limits of their joints
///   tool_frames              tool_frames
///   geometry, collision (also world_collision), self_collision    kept as data, names checked
GRBDA_EXPORT void apply_xrdf(const std::string& text, const std::string& file, RobotDescription& robot,
                             Diagnostics& diagnostics);

}  // namespace grbda
