#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "capsule.hpp"
#include "distance.hpp"

namespace grbda::collision {
namespace {

struct Pair {
    Touch touch;
    bool found = false;  ///< one that is the nearest only of points beside it on either axis
};

/// Crossing of the axes, seen along both.
Pair crossing(const Placed& a, const Placed& b) {
    const Vector &u = a.rotation.z, &v = b.rotation.z, apart = a.position - b.position, normal = cross(u, v);
    const double square = dot(normal, normal);
    constexpr double parallel =
        1e-12;  // square of the angle: rounding moves the point along axes nearer to it
    if (!(square > parallel)) return {};
    const double along = dot(u, v), s = (along * dot(v, apart) - dot(u, apart)) / square,
                 t = dot(v, apart) + s * along;
    if (!(std::abs(s) < 0.5 * a.size.y && std::abs(t) < 0.5 * b.size.y)) return {};
    return {touch_between(a.position + u * s, a.size.x, b.position + v * t, b.size.x,
                          normal * (1 / std::sqrt(square)), 0),
            true};
}

/// The point of b's axis nearest to an end of a's. It is not one where b is behind the end: from there the
/// normal does not lead through the side of a.
Pair end_of(const Placed& a, double side, const Placed& b, const Vector& normal, int feature) {
    const Vector end = axis_end(a, side);
    constexpr double beside = 1e-9;  // m: of capsules of one length, side by side, no end is missed
    constexpr double square = 0.01;  // rad: the end is 5e-5 radii off the side
    const double half = 0.5 * b.size.y, t = dot(b.rotation.z, end - b.position);
    const Touch touch = touch_between(end, a.size.x, b.position + b.rotation.z * clamped(t, -half, half),
                                      b.size.x, normal, feature);
    return {touch, std::abs(t) <= half + beside && side * dot(touch.normal, a.rotation.z) <= square};
}

Pair mirrored(Pair pair) {
    pair.touch.normal = -pair.touch.normal;
    return pair;
}

}  // namespace

void capsule_on_capsule(const Placed& a, const Placed& b, Gather& touches) {
    const Vector& normal = b.rotation.x;
    const Pair pairs[5] = {crossing(a, b), end_of(a, -1, b, normal, 1), end_of(a, 1, b, normal, 2),
                           mirrored(end_of(b, -1, a, -normal, 3)), mirrored(end_of(b, 1, a, -normal, 4))};
    int nearest = pairs[0].found ? 0 : 1;
    for (int i = nearest + 1; i < 5; ++i)
        if (pairs[i].touch.gap < pairs[nearest].touch.gap) nearest = i;
    for (int i = 0; i < 5; ++i)
        if (pairs[i].found || i == nearest) touches.add(pairs[i].touch);
}

}  // namespace grbda::collision
