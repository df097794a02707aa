#pragma once

#include <string>

#include <Eigen/Core>

// Bodies in space by their form alone, as formats of robots have them: for contact, and to be looked at.

namespace grbda {

enum class ShapeKind : unsigned char {
    sphere,     ///< size: radius
    capsule,    ///< size: radius, and length between the centres of its caps, along z
    cylinder,   ///< size: radius, length along z
    box,        ///< size: lengths along x, y and z
    ellipsoid,  ///< size: semi-axes along x, y and z
    plane,      ///< z = 0, solid below
    mesh        ///< size: scale along x, y and z
};

/// About its own frame, whose origin is its centre. Lengths in m.
struct Shape {
    ShapeKind kind = ShapeKind::sphere;
    Eigen::Vector3d size = Eigen::Vector3d::Zero();
    std::string mesh;  ///< of a mesh: where it is, as the file says it; no reader opens it
};

}  // namespace grbda
