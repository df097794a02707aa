#include <algorithm>
#include <array>
#include <cmath>

#include "distance.hpp"
#include "field_distance.hpp"
#include "gather.hpp"
#include "grbda/collision/collide.hpp"
#include "hull.hpp"

// A body on the ground: points of it, each with a radius, and their distances from the ground.

namespace grbda {
namespace collision {
namespace {

constexpr double equally_deep = 1e-6;  // of the radius of a hull

struct Flat {
    const Plane& plane;
    Distance distance(const Vector& point, double) const { return distance_to(plane, point); }
    Vector normal_under(const Vector&) const { return plane.normal; }
};

struct Uneven {
    const HeightField& field;
    Distance distance(const Vector& point, double reach) const { return distance_to(field, point, reach); }
    Vector normal_under(const Vector& point) const { return collision::normal_under(field, point); }
};

template <class Ground>
struct OnGround {
    const Placed& body;
    const Ground& ground;
    double margin;

    void point(Gather& touches, const Vector& at, double radius, int feature) const {
        touches.add(touch_of(at, radius, ground.distance(at, radius + margin), feature));
    }

    void capsule(Gather& touches) const {
        point(touches, axis_end(body, -1), body.size.x, 0);
        point(touches, axis_end(body, 1), body.size.x, 1);
    }

    void box(Gather& touches) const {
        const Vector half = half_of(body);
        for (int i = 0; i < 8; ++i) {
            const Vector corner{(i & 1) != 0 ? half.x : -half.x, (i & 2) != 0 ? half.y : -half.y,
                                (i & 4) != 0 ? half.z : -half.z};
            point(touches, body.position + body.rotation * corner, 0, i);
        }
    }

    /// The lowest points carry a cylinder that rolls, the fixed ones alone one that stands: there the lowest
    /// point goes from side to side of the rim with each step, and would rock it.
    void cylinder(Gather& touches) const {
        const Matrix3<double>& R = body.rotation;
        const Vector up = ground.normal_under(body.position);
        const Vector across = up - R.z * dot(R.z, up);
        const double tilt = length(across);
        const Vector ends[2] = {axis_end(body, -1), axis_end(body, 1)};
        if (tilt > upright) {
            const Vector down = across * (-body.size.x / tilt);
            for (int end = 0; end < 2; ++end) point(touches, ends[end] + down, 0, end);
        }
        const Vector spokes[4] = {R.x, R.y, -R.x, -R.y};
        for (int i = 0; i < 8; ++i) point(touches, ends[i / 4] + spokes[i % 4] * body.size.x, 0, 2 + i);
    }

    /// The lowest point of an ellipsoid where that is down.
    Vector support(const Vector& up) const {
        const Vector n = transpose_times(body.rotation, up);
        const Vector scaled{body.size.x * n.x, body.size.y * n.y, body.size.z * n.z};
        const double reach = length(scaled);
        if (!(reach > 0)) return body.position;
        const Vector lowest{body.size.x * scaled.x, body.size.y * scaled.y, body.size.z * scaled.z};
        return body.position - body.rotation * (lowest * (1 / reach));
    }

    void ellipsoid(Gather& touches) const {
        const Vector first = support(ground.normal_under(body.position));
        point(touches, support(ground.normal_under(first)), 0, 0);
    }

    Touch vertex(int index) const {
        const Vector at = body.position + body.rotation * body.hull->vertices[index];
        return touch_of(at, 0, ground.distance(at, margin), index);
    }

    /// The first vertex that is as deep. Rounding does not decide which of equally deep vertices it is, so
    /// that features persist while a body rests.
    Touch first_at(double gap) const {
        int index = 0;
        while (!(vertex(index).gap <= gap)) ++index;
        return vertex(index);
    }

    /// More than fit are thinned such that a body stands on the corners of its face.
    void hull(Gather& touches, std::span<Touch> out) const {
        double least = margin;
        int count = 0;
        for (int i = 0; i < static_cast<int>(body.hull->vertices.size()); ++i) {
            const Touch touch = vertex(i);
            if (!(touch.gap < margin)) continue;
            ++count;
            least = std::min(least, touch.gap);
            touches.add(touch);
        }
        if (count <= most_touches) return;
        const Touch deepest = first_at(least + equally_deep * body.hull->radius);
        constexpr std::size_t most_corners = 8;
        std::array<int, most_corners + 1> picked;
        const Vector down = transpose_times(body.rotation, -deepest.normal);
        const ConvexHull::Face& face = face_towards(*body.hull, deepest.feature, down);
        const auto end =
            picked.begin() + spread_corners(*body.hull, face, std::span(picked).first(most_corners)) + 1;
        *(end - 1) = deepest.feature;
        std::sort(picked.begin(), end);
        touches = Gather(out, margin);
        std::for_each(picked.begin(), std::unique(picked.begin(), end),
                      [&](int index) { touches.add(vertex(index)); });
    }
};

template <class Ground>
int collide_ground(const Placed& body, const Ground& ground, double margin, std::span<Touch> out) {
    constexpr std::size_t most_corners = 4;
    const OnGround<Ground> on{body, ground, margin};
    if (body.kind == ShapeKind::box && out.size() > most_corners) out = out.first(most_corners);
    Gather touches(out, margin);
    switch (body.kind) {
        case ShapeKind::sphere: on.point(touches, body.position, body.size.x, 0); break;
        case ShapeKind::capsule: on.capsule(touches); break;
        case ShapeKind::cylinder: on.cylinder(touches); break;
        case ShapeKind::box: on.box(touches); break;
        case ShapeKind::ellipsoid: on.ellipsoid(touches); break;
        case ShapeKind::mesh:
            if (body.hull != nullptr) on.hull(touches, out);
            break;
        case ShapeKind::plane: break;
    }
    return touches.count();
}

}  // namespace
}  // namespace collision

int collide(const Placed& body, const Plane& ground, double margin, std::span<Touch> touches) {
    return collision::collide_ground(body, collision::Flat{ground}, margin, touches);
}

int collide(const Placed& body, const HeightField& ground, double margin, std::span<Touch> touches) {
    return collision::collide_ground(body, collision::Uneven{ground}, margin, touches);
}

}  // namespace grbda
