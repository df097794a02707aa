#include "grbda/collision/collide.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "gather.hpp"
#include "patch.hpp"
#include "support.hpp"
#include "way_out.hpp"

namespace grbda {
namespace {

bool is_solid(const Placed& shape) {
    return shape.kind != ShapeKind::plane && (shape.kind != ShapeKind::mesh || shape.hull != nullptr);
}

/// The search goes the same way for (a, b) and (b, a).
std::optional<collision::WayOut> way_between(const Placed& a, const Placed& b, double margin) {
    const auto key = [](const Placed& p) {
        return std::tuple(p.kind, p.hull == nullptr ? 0 : p.hull->radius, p.size.x, p.size.y, p.size.z,
                          p.position.x, p.position.y, p.position.z, p.rotation.x.x, p.rotation.y.y,
                          p.rotation.z.z);
    };
    if (!(key(b) < key(a))) return collision::way_out(a, b, margin);
    std::optional<collision::WayOut> way = collision::way_out(b, a, margin);
    if (way) {
        way->normal = -way->normal;
        way->point += a.position - b.position;
    }
    return way;
}

}  // namespace

int collide_convex(const Placed& a, const Placed& b, double margin, std::span<Touch> touches) {
    if (!is_solid(a) || !is_solid(b)) return 0;
    if (collision::is_round(a.kind) && collision::is_round(b.kind)) return collide(a, b, margin, touches);
    const double reach = bounding_radius(a) + bounding_radius(b);
    if (collision::length(a.position - b.position) - reach >= margin) return 0;
    const std::optional<collision::WayOut> way = way_between(a, b, margin);
    if (!way) return 0;
    collision::Gather found(touches, margin);
    const Vector3<double>& n = way->normal;
    collision::share(collision::patch_towards(a, -n, b.position), collision::patch_towards(b, n, b.position),
                     n, found);
    double least = std::numeric_limits<double>::infinity();
    for (const Touch& touch : touches.first(at(found.count()))) least = std::min(least, touch.gap);
    constexpr double same = 3e-9;  // more than the error of the search
    if (!(least <= way->gap + same * reach)) found.add({way->point, n, way->gap, collision::deepest_feature});
    for (Touch& touch : touches.first(at(found.count()))) touch.position += b.position;
    return found.count();
}

}  // namespace grbda
