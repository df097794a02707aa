#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>

#include <Eigen/Core>

// Shapes of bodies as robot formats define them: for contact and for drawing.

namespace grbda {

struct ConvexHull;

enum class ShapeKind : unsigned char {
    sphere,     ///< size: radius
    capsule,    ///< size: radius, and length between the centres of its caps, along z
    cylinder,   ///< size: radius, length along z
    box,        ///< size: lengths along x, y and z
    ellipsoid,  ///< size: semi-axes along x, y and z
    plane,      ///< z = 0, solid below
    mesh        ///< size: scale along x, y and z
};

/// Properties of a kind of shape.
struct ShapeFacts {
    ShapeKind kind;
    const char* name;  ///< in files and messages
    int sizes;         ///< how many numbers of size it uses
};

inline constexpr std::array shape_facts = [] {
    using K = ShapeKind;
    return std::to_array<ShapeFacts>({{K::sphere, "sphere", 1},
                                      {K::capsule, "capsule", 2},
                                      {K::cylinder, "cylinder", 2},
                                      {K::box, "box", 3},
                                      {K::ellipsoid, "ellipsoid", 3},
                                      {K::plane, "plane", 0},
                                      {K::mesh, "mesh", 3}});
}();
static_assert([] {  // one row per kind, in their order
    for (std::size_t i = 0; i < shape_facts.size(); ++i)
        if (static_cast<std::size_t>(shape_facts[i].kind) != i) return false;
    return shape_facts.back().kind == ShapeKind::mesh;
}());

constexpr const ShapeFacts& facts(ShapeKind kind) { return shape_facts[static_cast<std::size_t>(kind)]; }
constexpr const char* to_string(ShapeKind kind) { return facts(kind).name; }

/// A shape in its own frame, whose origin is its centre. Lengths in m.
struct Shape {
    ShapeKind kind = ShapeKind::sphere;
    Eigen::Vector3d size = Eigen::Vector3d::Zero();
    std::string mesh;  ///< of a mesh: its location as in the file
    /// Convex hull of a mesh, scaled; it touches others in place of the mesh. Null: the mesh touches nothing
    std::shared_ptr<const ConvexHull> hull = nullptr;
};

/// Decides by bits which shapes touch which, as in MJCF.
struct TouchMask {
    unsigned type = 1;      ///< bits of its own type
    unsigned affinity = 1;  ///< bits of the types that it touches
};

/// True if one of them touches the other's type.
constexpr bool may_touch(const TouchMask& a, const TouchMask& b) {
    return (a.type & b.affinity) != 0 || (b.type & a.affinity) != 0;
}

}  // namespace grbda
