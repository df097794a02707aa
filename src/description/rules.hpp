#pragma once

#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include <Eigen/Geometry>

#include "grbda/description.hpp"

// What holds for every description, whoever reads or makes one.

namespace grbda {

/// The joint that a floating base adds; it stands in no file.
inline constexpr const char* root_joint_name = "root_joint";

/// Shorter vectors are no axis and no quaternion: numerical noise in what was meant as zero.
inline constexpr double smallest_axis = 1e-9;

inline bool is_axis(const Eigen::Vector3d& axis) { return axis.stableNorm() >= smallest_axis; }

/// Of length 1; what is no axis stays as it is, so that the checks see it.
inline Eigen::Vector3d with_unit_length(const Eigen::Vector3d& axis) {
    return is_axis(axis) ? axis.stableNormalized() : axis;
}

/// The turn by the shortest way that puts z along a direction, which is an axis.
inline Eigen::Matrix3d rotation_of_z(const Eigen::Vector3d& direction) {
    const Eigen::Vector3d z = direction.stableNormalized();
    const Eigen::Vector3d axis = Eigen::Vector3d::UnitZ().cross(z);
    const double sine = axis.norm();
    const Eigen::Vector3d unit = sine > 0 ? Eigen::Vector3d(axis / sine) : Eigen::Vector3d::UnitX();
    return Eigen::AngleAxisd(std::atan2(sine, z.z()), unit).toRotationMatrix();
}

/// First direction of the plane with this normal: the coordinate axis that follows the normal's largest
/// component (normal z: x; x: y; y: z), made perpendicular. The second one is normal × first.
inline Eigen::Vector3d plane_direction(const Eigen::Vector3d& normal) {
    Eigen::Index largest = 0;
    normal.cwiseAbs().maxCoeff(&largest);
    const Eigen::Vector3d next = Eigen::Vector3d::Unit((largest + 1) % 3);
    return (next - normal * normal.dot(next)).normalized();
}

/// Of two axes, as those of a universal joint: they span no plane.
inline bool are_parallel(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    constexpr double smallest_sine = 1e-6;
    return !(a.stableNormalized().cross(b.stableNormalized()).norm() >= smallest_sine);
}

/// Of a joint with a range of motion. A position beyond a limit by less is one that was rounded when printed.
inline bool is_within(const JointLimits& limits, double position) {
    constexpr double tolerance = 1e-6;
    return position >= limits.lower - tolerance && position <= limits.upper + tolerance;
}

/// The text holds what xacro or roslaunch would fill in.
inline bool is_unexpanded(std::string_view text) {
    return text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos;
}

/// Of the joints above a link, the first one marked independent is in the tree, else the first; taken in
/// their order. `chosen`: the one so far, nullptr for none.
inline bool is_preferred(const JointDescription& joint, const JointDescription* chosen) {
    return chosen == nullptr || (joint.independent == true && chosen->independent != true);
}

/// Where a description names its passive joints and no motors, all others have one but for those that only
/// follow another, and for those that float.
inline std::set<std::string> joints_without_motor(const RobotDescription& robot) {
    std::set<std::string> joints(robot.passive.begin(), robot.passive.end());
    for (const CouplingDescription& coupling : robot.couplings) joints.insert(follower_of(coupling));
    for (const JointDescription& joint : robot.joints)
        if (joint.type == JointType::floating) joints.insert(joint.name);
    return joints;
}

}  // namespace grbda
