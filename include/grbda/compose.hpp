#pragma once

#include <string>
#include <vector>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// The link that parts hang on when they hang on nothing else.
inline constexpr const char* world_link = "world";

/// One robot among several in a model.
struct RobotPart {
    RobotDescription robot;
    std::string prefix;  ///< put before every name of the robot
    std::string parent;  ///< link or frame, with its prefix, that the robot hangs on; empty: the world
    JointType joint = JointType::fixed;                ///< how it hangs there
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();   ///< of that joint
    Eigen::Vector3d axis2 = Eigen::Vector3d::UnitY();  ///< of that joint, if universal
    Pose base;                                         ///< the robot's root link in the parent
};

/// Several robots as one. A link "world" is the root of those that hang on nothing; a robot's own root of
/// that name becomes "<robot>_world". The joint that a robot hangs on is called "<prefix>base", and has no
/// motor. Parts may hang on parts that come later.
///
/// What a part says of the whole holds on for its own joints only:
///   ratios   parts that state different readings of coupling ratios are rewritten to that of the first; a
///            part with ratios other than ±1 that states none beside one that does is an error
///   motors   lists of motors and of passive joints keep their meaning, so does having neither
///   gravity  is in axes of the world, the same for all; a part that says nothing follows with a warning
///   masks    of collisions are joined, spheres of several parts under one name
/// errors  appended to `diagnostics`; the result is meaningful only if none is an error. What is wrong within
///         one part is left to make_mechanism
GRBDA_EXPORT RobotDescription compose(const std::string& name, const std::vector<RobotPart>& parts,
                                      Diagnostics& diagnostics);

}  // namespace grbda
