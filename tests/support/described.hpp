#pragma once

#include <algorithm>
#include <map>
#include <string>

#include <catch2/catch.hpp>

#include "grbda/model/model.hpp"
#include "support/baselines_fixture.hpp"

// Poses and closure errors read off the description by multiplying placements: nothing of the compiled model
// is used but the order of q.

namespace described {

/// The coordinate plane of a planar joint: x along the coordinate axis that follows the normal's largest
/// component, made perpendicular; y = normal × x.
Eigen::Matrix3d plane_axes(const Eigen::Vector3d& normal);

/// Placement of the child in the joint's frame at position q.
grbda::Pose motion(grbda::JointType type, const Eigen::Vector3d& axis, const Eigen::Vector3d& axis2,
                   const Eigen::VectorXd& q, double pitch = 0);

/// Position of a joint by name; empty for a fixed one.
Eigen::VectorXd position(const grbda::Model& model, const Eigen::VectorXd& q, const std::string& joint);

/// False for a joint that closes a loop.
bool in_tree(const grbda::Model& model, const grbda::JointDescription& joint);

/// Links and frames by name, in the world.
std::map<std::string, grbda::Pose> poses(const grbda::RobotDescription& robot, const grbda::Model& model,
                                         const Eigen::VectorXd& q);

/// Loops, and the joints that close loops: revolute ones, as those that files of this repository hold.
std::vector<grbda::LoopDescription> loops(const grbda::RobotDescription& robot, const grbda::Model& model);

/// Closure error of a loop: lengths in metres, angles by sines.
double loop_error(const grbda::RobotDescription& robot, const grbda::Model& model,
                  const grbda::LoopDescription& loop, const std::map<std::string, grbda::Pose>& poses);

}  // namespace described
