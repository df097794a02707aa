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
    std::string prefix;  ///< is put before each name of the robot
    std::string parent;  ///< link or frame, with its prefix, to which the robot is attached; empty: the world
    JointType joint = JointType::fixed;                ///< type of the joint that attaches the robot
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< of that joint
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< of that joint, if universal
    Pose base;                                         ///< pose of the robot's root link in the parent
};

/// Joins several robots into one description. Robots without a parent are attached to the link "world"; if a
/// robot's own root has this name, it becomes "<robot>_world". The joint that attaches a robot is called
/// "<prefix>base" and has no motor. A part may be attached to a later part.
///
/// Statements that a part makes about its whole robot then apply to this part only:
///   ratios   RobotDescription::coupling_ratio of the result is that of the first part; ratios of parts with
///            another one are converted. If only some parts state it, a part without it whose ratios are not
///            all ±1 is an error
///   motors   each part keeps its motors and passive joints; so does a part that lists neither
///   gravity  must be the same for all parts, in world axes. A part without gravity gets that of the others,
///            with a warning
///   masks    of collisions are merged; spheres of several parts share one geometry name
/// errors  appended to `diagnostics`; the result is valid only without errors. make_mechanism reports errors
///         within one part
GRBDA_EXPORT RobotDescription compose(const std::string& name, const std::vector<RobotPart>& parts,
                                      Diagnostics& diagnostics);

}  // namespace grbda
