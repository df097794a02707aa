#include "patch.hpp"

#include <cmath>

#include <Eigen/Geometry>

#include "grbda/table.hpp"
#include "hull.hpp"

namespace grbda::collision {
namespace {

constexpr int first_crossing = 5, first_corner_of_b = 15;  ///< features

Patch face_of_box(const Placed& box, const Vector& direction, const Vector& from) {
    const std::array<Vector, 3> axes{box.rotation.x, box.rotation.y, box.rotation.z};
    const std::array<double, 3> half{0.5 * box.size.x, 0.5 * box.size.y, 0.5 * box.size.z};
    std::size_t k = 0;
    for (std::size_t i = 1; i < 3; ++i)
        if (std::abs(dot(axes[i], direction)) > std::abs(dot(axes[k], direction))) k = i;
    const double side = std::copysign(1.0, dot(axes[k], direction));
    const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
    const Vector middle = from + axes[k] * (side * half[k]), u = axes[i] * half[i],
                 v = axes[j] * (side * half[j]);
    return {{middle + u + v, middle - u + v, middle - u - v, middle + u - v, {}}, 4, axes[k] * side};
}

Patch face_of_hull(const Placed& body, const Vector& direction, const Vector& from) {
    const ConvexHull& hull = *body.hull;
    const Vector d = transpose_times(body.rotation, direction);
    const ConvexHull::Face& face = face_towards(hull, farthest_vertex(hull, d), d);
    std::array<int, Patch::most> corners;
    Patch patch;
    patch.count = spread_corners(hull, face, corners);
    patch.normal = body.rotation * face.normal;
    for (int i = 0; i < patch.count; ++i)
        patch.points[at(i)] = from + body.rotation * hull.vertices[corners[at(i)]];
    return patch;
}

/// Four fixed points of the rim, and between two of them the one farthest along the direction.
Patch cap_of_cylinder(const Placed& cylinder, const Vector& d, const Vector& from) {
    const double side = std::copysign(1.0, d.z), radius = cylinder.size.x;
    const Vector middle = from + cylinder.rotation.z * (side * 0.5 * cylinder.size.y);
    const Vector u = cylinder.rotation.x * radius, v = cylinder.rotation.y * (side * radius);
    Patch patch{{middle + u, middle + v, middle - u, middle - v, {}}, 4, cylinder.rotation.z * side};
    const double x = d.x, y = side * d.y, radial = std::sqrt(x * x + y * y);
    constexpr double least = 1e-6;  // nearer to a fixed point it is that one
    if (radial <= upright * length(d) || std::min(std::abs(x), std::abs(y)) <= least * radial) return patch;
    const int after = y > 0 ? (x > 0 ? 1 : 2) : (x > 0 ? 4 : 3);
    for (int i = patch.count++; i > after; --i) patch.points[at(i)] = patch.points[at(i - 1)];
    patch.points[at(after)] = middle + u * (x / radial) + v * (y / radial);
    return patch;
}

Patch line(const Placed& shape, const Vector& outwards, const Vector& from) {
    const Vector middle = from + outwards * shape.size.x, along = shape.rotation.z * (0.5 * shape.size.y);
    Patch patch{{middle - along, middle + along, {}, {}, {}}, 2, outwards, shape};
    patch.round->position = from;
    return patch;
}

Patch patch_of_cylinder(const Placed& cylinder, const Vector& direction, const Vector& from) {
    const Vector d = transpose_times(cylinder.rotation, direction);
    constexpr double steep = 0.7;
    if (std::abs(d.z) > steep * length(d)) return cap_of_cylinder(cylinder, d, from);
    const double radial = std::sqrt(d.x * d.x + d.y * d.y);
    return line(cylinder, cylinder.rotation.x * (d.x / radial) + cylinder.rotation.y * (d.y / radial), from);
}

/// A capsule touches along a line where its axis is all but square to the direction.
Patch patch_of_capsule(const Placed& capsule, const Vector& direction, const Vector& from) {
    constexpr double square = 0.02;
    if (std::abs(dot(capsule.rotation.z, direction)) > square) return {};
    return line(capsule, direction, from);
}

/// A corner of what is shared so far, and where the edge behind it comes from: from edge i of a, or −1 − i
/// for edge i of b.
struct Node {
    Vector point;
    int feature = 0, edge = 0;
};

/// A plane through an edge of a face, along the normal of the touch.
struct Fence {
    Vector outwards;
    double offset = 0;
    double beyond(const Vector& point) const { return dot(outwards, point) - offset; }
};

Fence fence(const Patch& face, int edge, const Vector& normal) {
    const Vector &from = face.points[at(edge)], &to = face.points[at((edge + 1) % face.count)];
    const Vector outwards = cross(to - from, normal);
    constexpr double slack = 1e-9;  // of the edge: what lies along it is over the face
    return {outwards, dot(outwards, from) + slack * dot(outwards, outwards)};
}

struct Polygon {
    std::array<Node, 2 * Patch::most + 2> nodes;
    int count = 0;
    void add(const Node& node) {
        if (count < static_cast<int>(nodes.size())) nodes[at(count++)] = node;
    }
};

/// The point at which an edge of the polygon crosses edge k of the other.
Node crossing(const Node& from, const Node& to, double x, double y, int k, bool leaves) {
    Node node{from.point + (to.point - from.point) * (x / (x - y)), 0, leaves ? -1 - k : from.edge};
    if (from.edge >= 0) {
        node.feature = first_crossing + 2 * from.edge + (leaves ? 0 : 1);
    } else {
        const int j = -1 - from.edge;  // both meet at a corner
        node.feature = first_corner_of_b + (std::abs(j - k) == 1 ? std::max(j, k) : 0);
    }
    return node;
}

/// Sutherland and Hodgman 1974: cut by one plane after another.
Polygon cut(const Patch& a, const Patch& b, const Vector& normal, double up) {
    Polygon polygon;
    for (int i = 0; i < a.count; ++i) polygon.add({a.points[at(i)], i, i});
    for (int k = 0; k < b.count; ++k) {
        const Fence side = fence(b, k, normal * up);
        Polygon rest;
        for (int i = 0; i < polygon.count; ++i) {
            const Node &from = polygon.nodes[at(i)], &to = polygon.nodes[at((i + 1) % polygon.count)];
            const double x = side.beyond(from.point), y = side.beyond(to.point);
            if (x <= 0) rest.add(from);
            if ((x <= 0) != (y <= 0)) rest.add(crossing(from, to, x, y, k, x <= 0));
        }
        polygon = rest;
    }
    return polygon;
}

/// The part of an edge that is over a face, or beside another edge.
Polygon cut_edge(const Patch& edge, const Patch& other, const Vector& normal, double up) {
    double first = 0, last = 1;
    const Vector from = edge.points[0], way = edge.points[1] - from;
    const auto keep = [&](const Fence& side) {
        const double x = side.beyond(from), y = side.beyond(from + way);
        if (x > 0 && y > 0) last = -1;
        if (x > 0 && y <= 0) first = std::max(first, x / (x - y));
        if (x <= 0 && y > 0) last = std::min(last, x / (x - y));
    };
    if (other.count == 2) {
        const Vector line = other.points[1] - other.points[0], along = line - normal * dot(normal, line);
        keep({along, dot(along, other.points[1])});
        keep({-along, -dot(along, other.points[0])});
    } else {
        for (int k = 0; k < other.count; ++k) keep(fence(other, k, normal * up));
    }
    Polygon polygon;
    if (first > last) return polygon;
    polygon.add({from + way * first, first == 0 ? 0 : first_crossing, 0});
    if (first < last) polygon.add({from + way * last, last == 1 ? 1 : first_crossing + 1, 0});
    return polygon;
}

bool are_crossing(const Patch& a, const Patch& b, const Vector& normal) {
    const Vector u = a.points[1] - a.points[0], v = b.points[1] - b.points[0];
    constexpr double parallel = 0.02;  // rad
    return !(std::abs(dot(normal, cross(u, v))) < parallel * length(u) * length(v));
}

/// Adds the point at which two edges cross, seen along the normal, if it is within the part that they share:
/// round sides that are not quite parallel are nearest there.
void add_crossing(const Patch& a, const Patch& b, const Vector& normal, Polygon& polygon) {
    const Vector u = a.points[1] - a.points[0], v = b.points[1] - b.points[0], first = polygon.nodes[0].point,
                 last = polygon.nodes[1].point;
    const double s = dot(normal, cross(b.points[0] - a.points[0], v)) / dot(normal, cross(u, v));
    const Vector point = a.points[0] + u * s;
    if (dot(point - first, last - point) > 0) polygon.add({point, deepest_feature, 0});
}

/// Distance that a point has to move along a direction to enter the body of a patch; infinite beside it.
/// Points at the ends of a line move towards the middle by what rounds.
double way_to(const Patch& patch, const Vector& point, const Vector& direction, const Vector& middle) {
    if (!patch.round) return dot(patch.normal, patch.points[0] - point) / dot(patch.normal, direction);
    constexpr double rounding = 1e-9;
    const Vector inside = point + (middle - point) * rounding;
    const double before = bounding_radius(*patch.round) + length(inside - patch.round->position);
    return ray_cast(*patch.round, inside - direction * before, direction) - before;
}

}  // namespace

Patch patch_towards(const Placed& shape, const Vector& direction, const Vector& origin) {
    const Vector from = shape.position - origin;
    switch (shape.kind) {
        case ShapeKind::capsule: return patch_of_capsule(shape, direction, from);
        case ShapeKind::cylinder: return patch_of_cylinder(shape, direction, from);
        case ShapeKind::box: return face_of_box(shape, direction, from);
        case ShapeKind::sphere:
        case ShapeKind::ellipsoid:
        case ShapeKind::plane: break;
        case ShapeKind::mesh: return face_of_hull(shape, direction, from);
    }
    return {};
}

void share(const Patch& a, const Patch& b, const Vector& normal, Gather& touches) {
    if (a.count < 2 || b.count < 2 || (a.count == 2 && b.count == 2 && are_crossing(a, b, normal))) return;
    const bool swap = b.count == 2 && a.count > 2;  // an edge is cut, not a face
    const Patch &cut_one = swap ? b : a, &other = swap ? a : b;
    const double up = swap ? -1 : 1;  // towards the side of the other patch
    Polygon polygon =
        cut_one.count == 2 ? cut_edge(cut_one, other, normal, up) : cut(cut_one, other, normal, up);
    const Vector across = a.points[1] - a.points[0];
    const double apart =
        1e-12 * dot(across, across);  // m²: where an edge passes through a corner both are one
    if (polygon.count == 2 && a.count == 2 && b.count == 2) add_crossing(a, b, normal, polygon);
    const Vector down = normal * -up, middle = (polygon.nodes[0].point + polygon.nodes[1].point) * 0.5;
    std::array<Touch, 2 * Patch::most + 2> found;
    const auto first = found.begin();
    auto last = first;
    for (int i = 0; i < polygon.count; ++i) {
        const Node& node = polygon.nodes[at(i)];
        const double start = cut_one.round ? -way_to(cut_one, node.point, -down, middle) : 0,
                     end = way_to(other, node.point, down, middle), gap = end - start;
        if (!std::isfinite(gap)) continue;
        const Touch touch{node.point + down * (0.5 * (start + end)), normal, gap, node.feature};
        constexpr double slack = 1e-9;  // of the length: the ends are as near
        const auto is_as_near = [&](const Touch& t) { return t.gap <= gap + slack * length(across); };
        if (node.feature == deepest_feature && std::any_of(first, last, is_as_near)) continue;
        const auto same = std::find_if(first, last, [&](const Touch& before) {
            const Vector way = before.position - touch.position;
            return dot(way, way) <= apart;
        });
        if (same == last)
            *last++ = touch;
        else
            *same = {same->position, normal, std::min(gap, same->gap),
                     std::min(touch.feature, same->feature)};
    }
    std::sort(first, last, [](const Touch& x, const Touch& y) { return x.feature < y.feature; });
    std::for_each(first, last, [&](const Touch& touch) { touches.add(touch); });
}

}  // namespace grbda::collision
