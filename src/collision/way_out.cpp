#include "way_out.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <Eigen/Geometry>

#include "grbda/collision/collide.hpp"
#include "lowest.hpp"

// A polytope inside of D grows where it is nearest to the origin: there it gives a lower bound of the least
// h, and the plane of D behind it an upper one. If it is full before these meet, as many directions are
// nearly as low, find_lowest() takes over.

namespace grbda::collision {
namespace {

constexpr int most_corners = 160;
constexpr int most_faces = 2 * most_corners;

struct Facet {
    std::array<int, 3> corners;
    Vector normal;        ///< unit, outwards
    double distance = 0;  ///< of its plane from the origin; negative: the origin is outside
};

/// Bound on the least h, from the point of a polytope that is nearest to the origin.
struct Bound {
    Vector direction;  ///< m that it suggests
    double bound = 0;  ///< no h(m) is lower
    Vector w, of_a;    ///< that place, and the point of a there
};

class Polytope {
public:
    explicit Polytope(const Difference& difference) {
        const Vector x{1, 0, 0};
        const Corner first = difference.along(x), second = difference.along(-x);
        const Vector line = unit(first.w - second.w);
        const Vector across = unit(cross(line, std::abs(line.x) < 0.6 ? x : Vector{0, 1, 0}));
        const Corner third = farther(difference, across, first.w);
        const Vector normal = unit(cross(second.w - first.w, third.w - first.w));
        const Corner fourth = farther(difference, normal, first.w);
        corners_ = {first, second, third, fourth};
        corner_count_ = 4;
        const bool above = dot(normal, fourth.w - first.w) > 0;
        const int second_at = above ? 2 : 1, third_at = above ? 1 : 2;  // outwards: away from the fourth
        sound_ = add_face(0, second_at, third_at) && add_face(0, third_at, 3) &&
                 add_face(third_at, second_at, 3) && add_face(second_at, 0, 3);
    }

    bool is_sound() const { return sound_; }

    /// Finds the point nearest to the origin or, if it is nearer than `no_distance`, a facet there.
    Bound nearest(double no_distance) const {
        const auto end = faces_.begin() + face_count_;
        const bool outside =
            std::any_of(faces_.begin(), end, [&](const Facet& face) { return face.distance < -no_distance; });
        Bound result;
        double least = std::numeric_limits<double>::infinity();
        for (auto face = faces_.begin(); face != end; ++face) {
            if (face->distance > (outside ? no_distance : least)) continue;  // none nearer
            const Place foot = foot_on(*face);
            if (!(foot.distance < least)) continue;
            least = foot.distance;
            const bool aside = outside && !foot.inside && foot.distance > no_distance;
            result.direction = aside ? foot.point * (-1 / foot.distance) : face->normal;
            result.bound = outside ? -foot.distance : face->distance;
            result.w = foot.point;
            result.of_a = foot.of_a;
        }
        return result;
    }

    /// The hull with one more point. False: it is full, or rounding would spoil it.
    bool grow(const Corner& corner, double rounding) {
        if (corner_count_ == most_corners) return false;
        int edges = 0, kept = 0;
        for (int i = 0; i < face_count_; ++i) {
            const Facet face = faces_[at(i)];
            if (dot(face.normal, corner.w) <= face.distance + rounding) {
                faces_[at(kept++)] = face;
                continue;
            }
            for (std::size_t k = 0; k < 3; ++k)
                edges = cancel_or_add(face.corners[k], face.corners[(k + 1) % 3], edges);
        }
        if (edges < 3 || kept == face_count_ || kept + edges > most_faces) return false;
        face_count_ = kept;
        corners_[at(corner_count_++)] = corner;
        for (int i = 0; i < edges; ++i)
            if (!add_face(horizon_[at(i)].from, horizon_[at(i)].to, corner_count_ - 1)) return false;
        return true;
    }

private:
    /// Point of a facet that is nearest to the origin.
    struct Place {
        Vector point, of_a;
        double distance = 0;
        bool inside = true;  ///< or on an edge
    };
    Place foot_on(const Facet& face) const {
        const Corner &a = corner(face, 0), &b = corner(face, 1), &c = corner(face, 2);
        const Vector p = face.normal * face.distance;
        Place result;
        double least = std::numeric_limits<double>::infinity();
        for (int k = 0; k < 3; ++k) {
            const Corner &from = corner(face, k), &to = corner(face, (k + 1) % 3);
            const Vector way = to.w - from.w;
            if (dot(cross(way, p - from.w), face.normal) >= 0) continue;
            const double t = clamped(-dot(way, from.w) / dot(way, way), 0, 1);
            const Vector nearest = from.w + way * t;
            const double distance = length(nearest);
            if (!(distance < least)) continue;
            least = distance;
            result = {nearest, from.of_a + (to.of_a - from.of_a) * t, distance, false};
        }
        if (!result.inside) return result;
        const double of_a = dot(face.normal, cross(b.w - p, c.w - p)),
                     of_b = dot(face.normal, cross(c.w - p, a.w - p)),
                     of_c = dot(face.normal, cross(a.w - p, b.w - p)), sum = of_a + of_b + of_c;
        return {p, (a.of_a * of_a + b.of_a * of_b + c.of_a * of_c) * (1 / sum), std::abs(face.distance),
                true};
    }
    const Corner& corner(const Facet& face, int k) const { return corners_[at(face.corners[at(k)])]; }

    struct Edge {
        int from = 0, to = 0;
    };

    static Corner farther(const Difference& difference, const Vector& m, const Vector& from) {
        const Corner up = difference.along(m), down = difference.along(-m);
        return std::abs(dot(m, up.w - from)) >= std::abs(dot(m, down.w - from)) ? up : down;
    }

    /// Edges that two lost faces share are inside of the hull.
    int cancel_or_add(int from, int to, int edges) {
        for (int i = 0; i < edges; ++i)
            if (horizon_[at(i)].from == to && horizon_[at(i)].to == from) {
                horizon_[at(i)] = horizon_[at(edges - 1)];
                return edges - 1;
            }
        if (edges == most_faces) return edges;
        horizon_[at(edges)] = {from, to};
        return edges + 1;
    }

    bool add_face(int a, int b, int c) {
        const Vector& from = corners_[at(a)].w;
        const Vector normal = cross(corners_[at(b)].w - from, corners_[at(c)].w - from);
        const double size = length(normal);
        if (!(size > 0) || face_count_ == most_faces) return false;
        const Vector m = normal * (1 / size);
        faces_[at(face_count_++)] = {{a, b, c}, m, dot(m, from)};
        return true;
    }

    std::array<Corner, most_corners> corners_;
    std::array<Facet, most_faces> faces_;
    std::array<Edge, most_faces> horizon_;
    int corner_count_ = 0, face_count_ = 0;
    bool sound_ = false;
};

}  // namespace

std::optional<WayOut> way_out(const Placed& a, const Placed& b, double margin) {
    const double size = bounding_radius(a) + bounding_radius(b);
    if (!(size > 0) || !std::isfinite(size)) return std::nullopt;
    const Difference difference(a, b);
    // On a rim the touch is off by up to the root of the gap's error.
    const double close_enough = (difference.has_rim() ? 2e-11 : 1e-9) * size, rounding = 1e-14 * size,
                 no_distance = 1e-9 * size;
    const double radius = difference.radius();
    Polytope hull(difference);
    if (!hull.is_sound()) return std::nullopt;
    std::array<Height, most_corners> tried;
    std::size_t count = 0;
    Height best{{}, std::numeric_limits<double>::infinity()};
    Bound last;
    bool is_proven = false;
    for (bool grows = true; grows && !is_proven;) {
        last = hull.nearest(no_distance);
        const Corner behind = difference.along(last.direction);
        const double h = dot(last.direction, behind.w);
        if (-h - radius >= margin) return std::nullopt;
        tried[count++] = {last.direction, h};
        if (h < best.h) best = tried[count - 1];
        is_proven = best.h - last.bound <= close_enough;
        grows = hull.grow(behind, rounding);
    }
    Vector of_a = last.of_a;
    const double slack = best.h - last.bound;
    polish(difference, size, best);
    if (!is_proven) find_lowest(difference, size, std::span(tried).first(count), slack, best);
    // If neither body touches in a single point, the polytope gives the best contact point.
    constexpr double some = 0.03, least = 1e-9;                      // rad
    const bool is_far = best.h - dot(best.m, last.w) > 1e-6 * size;  // from where the bodies touch
    const bool has_point = difference.has_point(best.m, some);
    if (is_far || difference.has_smooth() || has_point)
        of_a = difference.touching(best.m, best.h, has_point ? some : least);
    WayOut way{-best.m, -best.h - radius, of_a + (a.position - b.position)};
    // Midway between the planes that touch the bodies.
    const double of_b = dot(way.normal, support(b, way.normal));
    way.point += way.normal * (of_b + 0.5 * way.gap - dot(way.normal, way.point));
    const bool is_sound = std::isfinite(way.gap) && std::isfinite(length(way.point)) && length(best.m) > 0.5;
    return is_sound ? std::optional(way) : std::nullopt;
}

}  // namespace grbda::collision
