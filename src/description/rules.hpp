#pragma once

#include <cmath>
#include <set>
#include <string>
#include <string_view>

#include <Eigen/Geometry>

#include "grbda/description.hpp"

// Rules for every description, from any source.

namespace grbda {

/// The joint that a floating base adds; no file contains it.
inline constexpr const char* root_joint_name = "root_joint";

/// A shorter vector is no valid axis or quaternion: it is numerical noise around zero.
inline constexpr double smallest_axis = 1e-9;

inline bool is_axis(const Eigen::Vector3d& axis) { return axis.stableNorm() >= smallest_axis; }

/// Scales an axis to length 1; an invalid axis is unchanged, so that the checks find it.
inline Eigen::Vector3d with_unit_length(const Eigen::Vector3d& axis) {
    return is_axis(axis) ? axis.stableNormalized() : axis;
}

/// The shortest rotation that aligns z with a direction, which must be a valid axis.
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

/// True if two axes, such as those of a universal joint, span no plane.
inline bool are_parallel(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    constexpr double smallest_sine = 1e-6;
    return !(a.stableNormalized().cross(b.stableNormalized()).norm() >= smallest_sine);
}

/// For a joint with a range of motion. A position slightly beyond a limit counts as rounded in print.
inline bool is_within(const JointLimits& limits, double position) {
    constexpr double tolerance = 1e-6;
    return position >= limits.lower - tolerance && position <= limits.upper + tolerance;
}

/// True if the text contains placeholders that xacro or roslaunch would fill in.
inline bool is_unexpanded(std::string_view text) {
    return text.find("${") != std::string_view::npos || text.find("$(") != std::string_view::npos;
}

/// If a description names its passive joints and no motors, all
/// other joints have motors, except followers and floating joints.
inline std::set<std::string> joints_without_motor(const RobotDescription& robot) {
    std::set<std::string> joints(robot.passive.begin(), robot.passive.end());
    for (const CouplingDescription& coupling : robot.couplings) joints.insert(follower_of(coupling));
    for (const JointDescription& joint : robot.joints)
        if (joint.type == JointType::floating) joints.insert(joint.name);
    return joints;
}

}  // namespace grbda
