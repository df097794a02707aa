#pragma once

#include <string>
#include <vector>

#include "grbda/mechanism.hpp"
#include "layout.hpp"

// Joints of several coordinates as joints of the simplest kinds, one behind the other.

namespace grbda::writing {

/// A joint, or one of those that it is made of.
struct Part {
    enum class Kind { hinge, slide, ball, free };
    Kind kind = Kind::hinge;
    std::string name;
    Eigen::Vector3d axis = Eigen::Vector3d::UnitX();  ///< hinge, slide: in the joint frame
    int component = 0;                                ///< its first one of the joint's q̇
    double ratio = 0;                                 ///< not 0: it follows the part before it, m/rad
};

/// The same motion, in the order in which the parts stand behind one another; a floating joint is one part.
///   helical      hinge, and a slide that follows it
///   cylindrical  hinge, slide
///   universal    hinge about axis, hinge about axis2
///   planar       slides along x and y of the plane, hinge
/// One part keeps the joint's name; of several each has its number behind it: "wrist_1", "wrist_2".
std::vector<Part> split(const MechanismBody& body, FreeNames& names);

/// The floating joint as slides along x, y, z and a ball.
std::vector<Part> split_floating(const MechanismBody& body, FreeNames& names);

/// What of a joint's numbers for each coordinate holds for a part that takes one number for all of its own;
/// nothing where they differ.
bool is_uniform(const PerCoordinate& figures, int first, int count);

/// q of each part, as in its own position: of a ball and a free part with the quaternion x y z w last.
std::vector<double> part_position(const MechanismBody& body, const Part& part,
                                  const std::vector<double>& position);

/// Where the joint stands in a state: as it says, else as the start says, else at zero.
std::vector<double> position_in(const Mechanism& mechanism, const MechanismBody& body,
                                const std::map<std::string, std::vector<double>>& positions);

}  // namespace grbda::writing
