#pragma once

#include <string>
#include <vector>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// The link to which parts without another parent are attached.
inline constexpr const char* world_link = "world";

/// One robot among several in a model.
struct RobotPart {
    RobotDescription robot;
    std::string prefix;  ///< put before every name of the robot
    std::string parent;  ///< link or frame, with its prefix, to which the robot is attached; empty: the world
    JointType joint = JointType::fixed;                ///< that attaches it
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< of that joint
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< of that joint, if universal
    Pose base;                                         ///< the robot's root link in the parent
};

/// Joins several robots into one description. A link "world" is the root of those without a
/// parent; a robot's own root of that name becomes "<robot>_world". The joint that attaches a
/// robot is called "<prefix>base" and has no motor. A part may be attached to a later part.
///
/// Statements that a part makes about its whole robot then apply to its own joints only:
///   ratios   parts with another reading of coupling ratios than the first part are rewritten to that of the
///            first. If only some state one, a part without it and with ratios other than ±1 is an error
///   motors   lists of motors and of passive joints keep their meaning, so does having neither
///   gravity  is in world axes, the same for all; a part without it gets that of the others, and a warning
///   masks    of collisions are merged; spheres of several parts share one geometry name
/// errors  appended to `diagnostics`; the result is meaningful only if none
///         is an error. Errors within one part are left to make_mechanism
GRBDA_EXPORT RobotDescription compose(const std::string& name, const std::vector<RobotPart>& parts,
                                      Diagnostics& diagnostics);

}  // namespace grbda
