#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Applies an SRDF file to the robot. `file` is the name that diagnostics show. Findings are appended.
///   virtual_joint    planar or floating: a joint above the root, from a new link called parent_frame
///   group            RobotDescription::groups, as expanded lists: a link adds the joint
///                    above it, a joint adds the link below it, and a chain adds the
///                    joints on the path from base to tip with the links that they carry
///   group_state      states; one that shares its name with another group's is called "group/name"
///   passive_joint    passive
///   end_effector     its parent_link becomes a tool frame
///   disable_collisions, enable_collisions, disable_default_collisions    self_collision.ignore
///   link_sphere_approximation    a geometry of that name
GRBDA_EXPORT void apply_srdf(const std::string& text, const std::string& file, RobotDescription& robot,
                             Diagnostics& diagnostics);

}  // namespace grbda
