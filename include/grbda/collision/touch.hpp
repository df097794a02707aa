#pragma once

#include "grbda/export.hpp"
#include "grbda/shape.hpp"
#include "grbda/spatial/vector3.hpp"

namespace grbda {

/// The place at which two surfaces are closest to one another, or deepest in one another.
struct Touch {
    Vector3<double> position;  ///< m, midway between both surfaces, in the world
    Vector3<double> normal;    ///< unit, out of the second body into the first
    double gap = 0;            ///< m, along the normal; negative where they overlap
    int feature = 0;           ///< which corner, cap or end of the pair: the same from call to call
};

/// As many as any pair of bodies has.
inline constexpr int most_touches = 10;

/// A shape in the world, with the data that geometry needs.
struct Placed {
    ShapeKind kind = ShapeKind::sphere;
    Vector3<double> size;                                    ///< m, zero or more: as Shape::size
    Vector3<double> position;                                ///< m, of its centre
    Matrix3<double> rotation = Matrix3<double>::identity();  ///< from its axes to those of the world
};

inline Placed placed(const Shape& shape, const Vector3<double>& position, const Matrix3<double>& rotation) {
    return {shape.kind, {shape.size.x(), shape.size.y(), shape.size.z()}, position, rotation};
}

/// A half-space, solid below the points p with normal · p = offset.
struct Plane {
    Vector3<double> normal{0, 0, 1};  ///< unit
    double offset = 0;                ///< m
};

/// The half-space of a shape of kind plane.
inline Plane plane_of(const Placed& shape) {
    return {shape.rotation.z, dot(shape.rotation.z, shape.position)};
}

}  // namespace grbda
