#pragma once

#include "hull.hpp"

namespace grbda::collision {

/// It is all points within a distance, its radius, from its centre or axis.
inline bool is_round(ShapeKind kind) { return kind == ShapeKind::sphere || kind == ShapeKind::capsule; }

/// Point of a solid that is farthest along a direction, seen from its centre; where several are, one of them.
inline Vector support(const Placed& shape, const Vector& direction) {
    const Vector d = transpose_times(shape.rotation, direction);
    const Vector& size = shape.size;
    Vector point;
    switch (shape.kind) {
        case ShapeKind::sphere: return direction * (size.x / length(direction));
        case ShapeKind::capsule:
            return direction * (size.x / length(direction)) +
                   shape.rotation.z * std::copysign(0.5 * size.y, d.z);
        case ShapeKind::cylinder: {
            const double radial = std::sqrt(d.x * d.x + d.y * d.y);
            const double scale = radial > no_length ? size.x / radial : 0;
            point = {d.x * scale, d.y * scale, std::copysign(0.5 * size.y, d.z)};
            break;
        }
        case ShapeKind::box:
            point = {std::copysign(0.5 * size.x, d.x), std::copysign(0.5 * size.y, d.y),
                     std::copysign(0.5 * size.z, d.z)};
            break;
        case ShapeKind::ellipsoid: {
            const Vector stretched{size.x * d.x, size.y * d.y, size.z * d.z};
            const double scale = length(stretched);
            if (scale > 0)
                point = {size.x * stretched.x / scale, size.y * stretched.y / scale,
                         size.z * stretched.z / scale};
            break;
        }
        case ShapeKind::mesh:
            if (shape.hull != nullptr) point = shape.hull->vertices[farthest_vertex(*shape.hull, d)];
            break;
        case ShapeKind::plane: break;
    }
    return shape.rotation * point;
}

}  // namespace grbda::collision
