#include <cmath>
#include <limits>

#include "capsule.hpp"
#include "distance.hpp"

namespace grbda::collision {
namespace {

/// The axis of a capsule in the frame of a box: points middle + t along, t from −1 to 1.
struct Axis {
    double middle[3], along[3], half[3];

    double at(int i, double t) const { return middle[i] + t * along[i]; }
    double depth(int i, double t) const { return std::abs(at(i, t)) - half[i]; }
};

Axis axis_of(const Placed& capsule, const Placed& box) {
    const Vector m = transpose_times(box.rotation, capsule.position - box.position);
    const Vector d = transpose_times(box.rotation, capsule.rotation.z) * (0.5 * capsule.size.y);
    const Vector h = half_of(box);
    return {{m.x, m.y, m.z}, {d.x, d.y, d.z}, {h.x, h.y, h.z}};
}

struct Interval {
    double first = -1, last = 1;
    bool empty() const { return !(first <= last); }
};

/// The part of it that is between two faces of the box.
void clip(Interval& interval, const Axis& axis, int i) {
    if (axis.along[i] == 0) {
        if (axis.depth(i, 0) > 0) interval.last = -std::numeric_limits<double>::infinity();
        return;
    }
    const double s = (-axis.half[i] - axis.middle[i]) / axis.along[i],
                 t = (axis.half[i] - axis.middle[i]) / axis.along[i];
    interval.first = std::max(interval.first, std::min(s, t));
    interval.last = std::min(interval.last, std::max(s, t));
}

/// Finds the point at which an axis that passes the box is nearest to it. Half of the squared distance has a
/// slope that increases along the axis and is linear between the planes of the faces. Its zero is between the
/// last plane with a slope of at most zero and the first one with a slope of at least zero.
double nearest_outside(const Axis& axis) {
    const auto slope_at = [&](double t) {
        double slope = 0;
        for (int i = 0; i < 3; ++i) slope += axis.along[i] * beyond(axis.at(i, t), axis.half[i]);
        return slope;
    };
    double first = -1, last = 1, first_slope = slope_at(-1), last_slope = slope_at(1);
    if (first_slope >= 0) return -1;
    if (last_slope <= 0) return 1;
    for (int i = 0; i < 6; ++i) {
        const double face = i < 3 ? axis.half[i % 3] : -axis.half[i % 3];
        const double t = (face - axis.middle[i % 3]) / axis.along[i % 3];
        if (!(t > first && t < last)) continue;
        const double slope = slope_at(t);
        (slope <= 0 ? first : last) = t;
        (slope <= 0 ? first_slope : last_slope) = slope;
    }
    return first + (last - first) * (first_slope / (first_slope - last_slope));
}

/// The part of the axis between the four faces around face `i`.
Interval above_face(const Axis& axis, int i) {
    Interval interval;
    for (int j = 0; j < 3; ++j)
        if (j != i) clip(interval, axis, j);
    return interval;
}

/// A face or an edge of the box, and where its normal points.
struct Side {
    Vector normal;  ///< in the axes of the box
    int face = -1;  ///< its axis; −1: an edge
    int edge = -1;  ///< its axis; −1: a face
    double depth = std::numeric_limits<double>::infinity();
};

Vector unit_along(int i, double side) { return {i == 0 ? side : 0, i == 1 ? side : 0, i == 2 ? side : 0}; }

/// Distance that the whole axis has to move along a direction to be beyond the box.
double depth_along(const Axis& axis, const Vector& n) {
    const double direction[3] = {n.x, n.y, n.z};
    double depth = 0, slope = 0;
    for (int i = 0; i < 3; ++i) {
        depth += axis.half[i] * std::abs(direction[i]) - axis.middle[i] * direction[i];
        slope += axis.along[i] * direction[i];
    }
    return depth + std::abs(slope);
}

/// The shortest way out of the box for an axis that passes through it: all differences of their points are a
/// polytope, whose faces are square to a face of the box, or to an edge of it and the axis.
Side way_out(const Axis& axis) {
    const Vector along{axis.along[0], axis.along[1], axis.along[2]};
    Side best;
    const auto consider = [&](const Vector& normal, int face, int edge) {
        const double depth = depth_along(axis, normal);
        if (depth < best.depth) best = {normal, face, edge, depth};
    };
    for (int i = 0; i < 3; ++i)
        for (const double side : {1.0, -1.0}) consider(unit_along(i, side), i, -1);
    for (int i = 0; i < 3; ++i) {
        const Vector across = cross(unit_along(i, 1), along);
        const double size = length(across);
        if (!(size > no_length)) continue;
        for (const double side : {1.0, -1.0}) consider(across * (side / size), -1, i);
    }
    return best;
}

/// Finds the point of an axis below the edge across which the axis leaves the box.
double crossing(const Axis& axis, const Side& side) {
    const Vector u = cross(unit_along(side.edge, 1), side.normal);
    const Vector corner{std::copysign(axis.half[0], side.normal.x),
                        std::copysign(axis.half[1], side.normal.y),
                        std::copysign(axis.half[2], side.normal.z)};
    const Vector middle{axis.middle[0], axis.middle[1], axis.middle[2]},
        along{axis.along[0], axis.along[1], axis.along[2]};
    return clamped(dot(u, corner - middle) / dot(u, along), -1, 1);
}

/// Finds the face beyond which a point is farthest.
Side face_below(const Axis& axis, double t) {
    int face = 0;
    for (int i = 1; i < 3; ++i)
        if (axis.depth(i, t) > axis.depth(face, t)) face = i;
    return {unit_along(face, std::copysign(1.0, axis.at(face, t))), face};
}

}  // namespace

void capsule_on_box(const Placed& capsule, const Placed& box, Gather& touches) {
    const Axis axis = axis_of(capsule, box);
    Interval inside;
    for (int i = 0; i < 3; ++i) clip(inside, axis, i);
    const bool passes = inside.empty();
    const double nearest = passes ? nearest_outside(axis) : inside.first;
    const Side side = passes ? face_below(axis, nearest) : way_out(axis);
    const Vector normal = box.rotation * side.normal;
    const auto point = [&](double t) { return axis_end(capsule, t); };
    if (side.edge >= 0) {
        const Vector below = point(crossing(axis, side));
        return touches.add(touch_of(below, capsule.size.x, {normal, -side.depth}, 0));
    }
    const Interval above = above_face(axis, side.face);
    const auto nearest_to = [&](double t, int feature) {
        touches.add(touch_of(point(t), capsule.size.x, distance_to_box(box, point(t)), feature));
    };
    const auto end = [&](double t, int feature) {
        const double beside = side.normal.x + side.normal.y + side.normal.z;  // ±1
        const Distance distance{normal, beside * axis.at(side.face, t) - axis.half[side.face]};
        touches.add(touch_of(point(t), capsule.size.x, distance, feature));
    };
    if (above.empty()) return nearest_to(nearest, 0);
    nearest < above.first ? nearest_to(nearest, 0) : end(above.first, 0);
    nearest > above.last ? nearest_to(nearest, 1) : end(above.last, 1);
}

}  // namespace grbda::collision
