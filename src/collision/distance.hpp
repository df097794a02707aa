#pragma once

#include <algorithm>
#include <cmath>

#include "grbda/collision/collide.hpp"

// Distances of points from solids.

namespace grbda::collision {

using Vector = Vector3<double>;

/// m: a vector that is not longer has no direction.
inline constexpr double no_length = 1e-12;
/// rad: a cylinder that is tilted less stands on its cap.
inline constexpr double upright = 1e-4;

/// From the surface of a solid to a point, negative inside; the normal is its gradient.
struct Distance {
    Vector normal;
    double value = 0;
};

inline double length(const Vector& a) { return std::sqrt(dot(a, a)); }
inline double clamped(double x, double lower, double upper) { return std::max(lower, std::min(x, upper)); }

inline Vector axis_end(const Placed& shape, double side) {
    return shape.position + shape.rotation.z * (side * 0.5 * shape.size.y);
}

/// Touch of the sphere about a point that is so far from another body.
inline Touch touch_of(const Vector& centre, double radius, const Distance& distance, int feature) {
    const double gap = distance.value - radius;
    return {centre - distance.normal * (radius + 0.5 * gap), distance.normal, gap, feature};
}

/// Touch of spheres about two points; `normal` if these coincide.
inline Touch touch_between(const Vector& a, double radius_a, const Vector& b, double radius_b,
                           const Vector& normal, int feature) {
    const Vector apart = a - b;
    const double distance = length(apart);
    const Vector n = distance > no_length ? apart * (1 / distance) : normal;
    const double gap = distance - (radius_a + radius_b);  // the same for (b, a)
    return {b + n * (radius_b + 0.5 * gap), n, gap, feature};
}

inline Distance distance_to(const Plane& plane, const Vector& point) {
    return {plane.normal, dot(plane.normal, point) - plane.offset};
}

/// Half of the lengths of a box.
inline Vector half_of(const Placed& box) { return box.size * 0.5; }

/// The part of x that is beyond ±half.
inline double beyond(double x, double half) { return x - clamped(x, -half, half); }

/// Inside, the way out is through the nearest face; of faces as near as another, the first.
inline Distance distance_to_box(const Placed& box, const Vector& point) {
    const Vector half = half_of(box), p = transpose_times(box.rotation, point - box.position);
    const Vector outside{beyond(p.x, half.x), beyond(p.y, half.y), beyond(p.z, half.z)};
    const double distance = length(outside);
    if (distance > no_length) return {box.rotation * (outside * (1 / distance)), distance};
    const Vector depth{std::abs(p.x) - half.x, std::abs(p.y) - half.y, std::abs(p.z) - half.z};
    if (depth.x >= depth.y && depth.x >= depth.z) return {box.rotation.x * std::copysign(1.0, p.x), depth.x};
    if (depth.y >= depth.z) return {box.rotation.y * std::copysign(1.0, p.y), depth.y};
    return {box.rotation.z * std::copysign(1.0, p.z), depth.z};
}

/// In the half plane through its axis and the point, a cylinder is a rectangle.
inline Distance distance_to_cylinder(const Placed& cylinder, const Vector& point) {
    const double half = 0.5 * cylinder.size.y;
    const Vector p = transpose_times(cylinder.rotation, point - cylinder.position);
    const double from_axis = std::sqrt(p.x * p.x + p.y * p.y);
    const Vector radial =
        from_axis > no_length ? Vector{p.x / from_axis, p.y / from_axis, 0} : Vector{1, 0, 0};
    const double beside = from_axis - cylinder.size.x, above = std::abs(p.z) - half;
    const Vector along{0, 0, std::copysign(1.0, p.z)};
    const double x = std::max(beside, 0.0), z = std::max(above, 0.0), distance = std::sqrt(x * x + z * z);
    if (distance > no_length)
        return {cylinder.rotation * (radial * (x / distance) + along * (z / distance)), distance};
    return beside >= above ? Distance{cylinder.rotation * radial, beside}
                           : Distance{cylinder.rotation * along, above};
}

}  // namespace grbda::collision
