#pragma once

#include <string>
#include <vector>

#include "grbda/mechanism.hpp"
#include "layout.hpp"

// Joints of several coordinates as chains of simpler joints.

namespace grbda::writing {

/// A joint, or one of its parts.
struct Part {
    enum class Kind { hinge, slide, ball, free };
    Kind kind = Kind::hinge;
    std::string name;
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  ///< hinge, slide: in the joint frame
    int component = 0;                                ///< index of its first velocity in the joint's q̇
    double ratio = 0;                                 ///< not 0: it follows the part before it, m/rad
};

/// Joints with the same motion, in their order along the chain; a floating joint is one part.
///   helical      hinge, and a slide that follows it
///   cylindrical  hinge, slide
///   universal    hinge about axis, hinge about axis2
///   planar       slides along x and y of the plane, hinge
/// A single part keeps the joint's name; several parts are numbered: "wrist_1", "wrist_2".
std::vector<Part> split(const MechanismBody& body, FreeNames& names);

/// The floating joint as slides along x, y, z and a ball joint.
std::vector<Part> split_floating(const MechanismBody& body, FreeNames& names);

/// True if the joint's numbers for these coordinates are equal,
/// so that a part with one number for all can have them.
bool is_uniform(const PerCoordinate& figures, int first, int count);

/// q of each part, in its own order: a ball and a free part end with the quaternion x y z w.
std::vector<double> part_position(const MechanismBody& body, const Part& part,
                                  const std::vector<double>& position);

/// The joint's position in a state, else in the start, else zero.
std::vector<double> position_in(const Mechanism& mechanism, const MechanismBody& body,
                                const std::map<std::string, std::vector<double>>& positions);

}  // namespace grbda::writing
