#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Applies the YAML side file of an Extended URDF to the robot: loops, motors, replaced joints. `file` is the
/// name that diagnostics show. Findings are appended.
GRBDA_EXPORT void apply_extended_urdf(const std::string& text, const std::string& file,
                                      RobotDescription& robot, Diagnostics& diagnostics);

/// Applies an SRDF file to the robot. `file` is the name that diagnostics show. Findings are appended.
///   virtual_joint    planar or floating: connects a new root link, named parent_frame, to the robot's root
///   group            `groups`, as lists of joints and links: a link adds its parent joint, a joint
///                    adds its child link, and a chain adds the joints on the path from base to tip
///                    with their child links
///   group_state      `states`; if two groups have a state of one name, "group/name"
///   passive_joint    `passive`
///   end_effector     its parent_link becomes a tool frame
///   disable_collisions, enable_collisions, disable_default_collisions    `self_collision.ignore`
///   link_sphere_approximation    a member of `geometries` with that name
GRBDA_EXPORT void apply_srdf(const std::string& text, const std::string& file, RobotDescription& robot,
                             Diagnostics& diagnostics);

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
