#include "grbda/collision/collide.hpp"

#include <limits>

#include "capsule.hpp"
#include "distance.hpp"
#include "gather.hpp"

namespace grbda {
namespace {

/// A sphere is nearest to an axis at one point.
Touch sphere_on_capsule(const Placed& sphere, const Placed& capsule) {
    const double half = 0.5 * capsule.size.y;
    const double t = dot(capsule.rotation.z, sphere.position - capsule.position);
    const Vector3<double> nearest =
        capsule.position + capsule.rotation.z * collision::clamped(t, -half, half);
    return collision::touch_between(sphere.position, sphere.size.x, nearest, capsule.size.x,
                                    capsule.rotation.x, 0);
}

void sphere_on(const Placed& sphere, const Placed& b, collision::Gather& touches) {
    const Vector3<double>& centre = sphere.position;
    const double radius = sphere.size.x;
    switch (b.kind) {
        case ShapeKind::sphere:
            touches.add(collision::touch_between(centre, radius, b.position, b.size.x, b.rotation.x, 0));
            break;
        case ShapeKind::capsule: touches.add(sphere_on_capsule(sphere, b)); break;
        case ShapeKind::cylinder:
            touches.add(collision::touch_of(centre, radius, collision::distance_to_cylinder(b, centre), 0));
            break;
        case ShapeKind::box:
            touches.add(collision::touch_of(centre, radius, collision::distance_to_box(b, centre), 0));
            break;
        case ShapeKind::ellipsoid:
        case ShapeKind::plane:
        case ShapeKind::mesh: break;
    }
}

/// Tells whether collide_in_order() accepts shapes of these kinds.
bool are_in_order(ShapeKind a, ShapeKind b) {
    switch (a) {
        case ShapeKind::sphere: return b != ShapeKind::ellipsoid && b != ShapeKind::mesh;
        case ShapeKind::capsule:
            return b == ShapeKind::capsule || b == ShapeKind::box || b == ShapeKind::plane;
        case ShapeKind::cylinder:
        case ShapeKind::box:
        case ShapeKind::ellipsoid:
        case ShapeKind::mesh: return b == ShapeKind::plane;
        case ShapeKind::plane: break;
    }
    return false;
}

int collide_in_order(const Placed& a, const Placed& b, double margin, std::span<Touch> out) {
    if (b.kind == ShapeKind::plane) return collide(a, plane_of(b), margin, out);
    const double apart = collision::length(a.position - b.position);
    if (apart - bounding_radius(a) - bounding_radius(b) >= margin) return 0;
    collision::Gather touches(out, margin);
    if (a.kind == ShapeKind::sphere)
        sphere_on(a, b, touches);
    else if (b.kind == ShapeKind::capsule)
        collision::capsule_on_capsule(a, b, touches);
    else
        collision::capsule_on_box(a, b, touches);
    return touches.count();
}

}  // namespace

bool can_collide(ShapeKind a, ShapeKind b) { return are_in_order(a, b) || are_in_order(b, a); }

double bounding_radius(const Placed& shape) {
    const Vector3<double>& size = shape.size;
    switch (shape.kind) {
        case ShapeKind::sphere: return size.x;
        case ShapeKind::capsule: return size.x + 0.5 * size.y;
        case ShapeKind::cylinder: return std::sqrt(size.x * size.x + 0.25 * size.y * size.y);
        case ShapeKind::box: return 0.5 * collision::length(size);
        case ShapeKind::ellipsoid: return std::max({size.x, size.y, size.z});
        case ShapeKind::mesh:
            if (shape.hull != nullptr) return shape.hull->radius;
            break;
        case ShapeKind::plane: break;
    }
    return std::numeric_limits<double>::infinity();
}

int collide(const Placed& a, const Placed& b, double margin, std::span<Touch> touches) {
    if (are_in_order(a.kind, b.kind)) return collide_in_order(a, b, margin, touches);
    if (!are_in_order(b.kind, a.kind)) return 0;
    const int count = collide_in_order(b, a, margin, touches);
    for (Touch& touch : touches.first(static_cast<std::size_t>(count))) touch.normal = -touch.normal;
    return count;
}

}  // namespace grbda
