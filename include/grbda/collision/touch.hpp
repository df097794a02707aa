#pragma once

#include "grbda/export.hpp"
#include "grbda/shape.hpp"
#include "grbda/spatial/vector3.hpp"

namespace grbda {

/// A pair of closest points of two surfaces, or of deepest points if they overlap.
struct Touch {
    Vector3<double> position;  ///< m, midway between both surfaces, in the world
    Vector3<double> normal;    ///< unit, from the second body to the first
    double gap = 0;            ///< m, along the normal; negative if they overlap
    int feature = 0;           ///< identifies the corner, cap or end; the same in all calls
};

/// Largest number of touches of a pair.
inline constexpr int most_touches = 10;

/// A shape with its pose in the world.
struct Placed {
    ShapeKind kind = ShapeKind::sphere;
    Vector3<double> size;                                    ///< m, zero or more: as Shape::size
    Vector3<double> position;                                ///< m, of its centre
    Matrix3<double> rotation = Matrix3<double>::identity();  ///< from its axes to those of the world
};

inline Placed placed(const Shape& shape, const Vector3<double>& position, const Matrix3<double>& rotation) {
    return {shape.kind, {shape.size.x(), shape.size.y(), shape.size.z()}, position, rotation};
}

/// The half-space normal · p <= offset, which is solid.
struct Plane {
    Vector3<double> normal{0, 0, 1};  ///< unit
    double offset = 0;                ///< m
};

/// The half-space of a shape of kind plane.
inline Plane plane_of(const Placed& shape) {
    return {shape.rotation.z, dot(shape.rotation.z, shape.position)};
}

}  // namespace grbda
