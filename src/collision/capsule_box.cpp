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

/// Where an axis that passes the box is nearest to it. Half of the squared distance has a slope that grows
/// along the axis, straight between the planes of the faces: its zero is between the last of them where it is
/// not yet above zero and the first where it is not below.
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

struct Face {
    int axis;
    double side;
    double depth = std::numeric_limits<double>::infinity();
};

/// The part of the axis between the four faces around face `i`.
Interval above_face(const Axis& axis, int i) {
    Interval interval;
    for (int j = 0; j < 3; ++j)
        if (j != i) clip(interval, axis, j);
    return interval;
}

/// The face through which an axis that passes through the box leaves it by the shortest way.
Face way_out(const Axis& axis) {
    Face best{0, 1};
    for (int i = 0; i < 3; ++i) {
        const Interval above = above_face(axis, i);
        const double first = axis.at(i, above.first), last = axis.at(i, above.last);
        const double up = axis.half[i] - std::min(first, last), down = axis.half[i] + std::max(first, last);
        if (up < best.depth) best = {i, 1, up};
        if (down < best.depth) best = {i, -1, down};
    }
    return best;
}

/// That which a point is farthest beyond.
Face face_below(const Axis& axis, double t) {
    int face = 0;
    for (int i = 1; i < 3; ++i)
        if (axis.depth(i, t) > axis.depth(face, t)) face = i;
    return {face, std::copysign(1.0, axis.at(face, t))};
}

}  // namespace

void capsule_on_box(const Placed& capsule, const Placed& box, Gather& touches) {
    const Axis axis = axis_of(capsule, box);
    Interval inside;
    for (int i = 0; i < 3; ++i) clip(inside, axis, i);
    const bool passes = inside.empty();
    const double nearest = passes ? nearest_outside(axis) : inside.first;
    const Face face = passes ? face_below(axis, nearest) : way_out(axis);
    const Interval above = above_face(axis, face.axis);
    const Matrix3<double>& R = box.rotation;
    const Vector normal = (face.axis == 0 ? R.x : face.axis == 1 ? R.y : R.z) * face.side;

    const auto point = [&](double t) { return axis_end(capsule, t); };
    const auto nearest_to = [&](double t, int feature) {
        touches.add(touch_of(point(t), capsule.size.x, distance_to_box(box, point(t)), feature));
    };
    const auto end = [&](double t, int feature) {
        const Distance distance{normal, face.side * axis.at(face.axis, t) - axis.half[face.axis]};
        touches.add(touch_of(point(t), capsule.size.x, distance, feature));
    };
    if (above.empty()) return nearest_to(nearest, 0);
    nearest < above.first ? nearest_to(nearest, 0) : end(above.first, 0);
    nearest > above.last ? nearest_to(nearest, 1) : end(above.last, 1);
}

}  // namespace grbda::collision
