#include <algorithm>
#include <cmath>
#include <limits>

#include "grbda/collision/collide.hpp"

// Finds where a ray enters a solid. A convex solid contains an interval of the line; on a height field the
// ray goes from cell to cell.

namespace grbda {
namespace collision {
namespace {

constexpr double missed = std::numeric_limits<double>::infinity();

/// Parameters of the part of a line inside a solid; empty if `to` is smaller.
struct Inside {
    double from = -missed, to = missed;

    void meet(const Inside& other) {
        from = std::max(from, other.from);
        to = std::min(to, other.to);
    }
    /// First of them on the ray.
    double first() const { return from <= to && to >= 0 ? std::max(from, 0.) : missed; }
};

constexpr Inside nowhere{missed, -missed};

/// |o + t d| <= reach
Inside in_slab(double o, double d, double reach) {
    if (d == 0) return std::abs(o) <= reach ? Inside{} : nowhere;
    const double a = (-reach - o) / d, b = (reach - o) / d;
    return {std::min(a, b), std::max(a, b)};
}

/// a t² + 2 b t + c <= 0 with a >= 0
Inside in_quadric(double a, double b, double c) {
    if (a == 0) return c <= 0 ? Inside{} : nowhere;
    const double root = b * b - a * c;
    if (!(root >= 0)) return nowhere;
    const double far = std::abs(b) + std::sqrt(root);  // without cancellation
    if (far == 0) return {0, 0};
    const double one = (b < 0 ? far : -far) / a, other = (b < 0 ? c : -c) / far;
    return {std::min(one, other), std::max(one, other)};
}

Inside in_sphere(const Vector3<double>& o, const Vector3<double>& d, double radius) {
    return in_quadric(dot(d, d), dot(o, d), dot(o, o) - radius * radius);
}

/// Intersects a line with a cylinder about z.
Inside in_cylinder(const Vector3<double>& o, const Vector3<double>& d, double radius, double length) {
    Inside part =
        in_quadric(d.x * d.x + d.y * d.y, o.x * d.x + o.y * d.y, o.x * o.x + o.y * o.y - radius * radius);
    part.meet(in_slab(o.z, d.z, length / 2));
    return part;
}

double to_capsule(const Vector3<double>& o, const Vector3<double>& d, double radius, double length) {
    const Vector3<double> cap{0, 0, length / 2};
    return std::min({in_cylinder(o, d, radius, length).first(), in_sphere(o - cap, d, radius).first(),
                     in_sphere(o + cap, d, radius).first()});
}

double to_box(const Vector3<double>& o, const Vector3<double>& d, const Vector3<double>& size) {
    Inside part = in_slab(o.x, d.x, size.x / 2);
    part.meet(in_slab(o.y, d.y, size.y / 2));
    part.meet(in_slab(o.z, d.z, size.z / 2));
    return part.first();
}

double to_ellipsoid(const Vector3<double>& o, const Vector3<double>& d, const Vector3<double>& size) {
    if (!(size.x > 0 && size.y > 0 && size.z > 0)) return missed;
    return in_sphere({o.x / size.x, o.y / size.y, o.z / size.z}, {d.x / size.x, d.y / size.y, d.z / size.z},
                     1)
        .first();
}

/// Cuts off what is in front of a face and behind it.
double to_hull(const Vector3<double>& o, const Vector3<double>& d, const ConvexHull& hull) {
    Inside part;
    for (const ConvexHull::Face& face : hull.faces) {
        const double above = dot(face.normal, o) - face.offset, rate = dot(face.normal, d);
        if (rate == 0 && above > 0) return missed;
        if (rate < 0) part.from = std::max(part.from, above / -rate);
        if (rate > 0) part.to = std::min(part.to, -above / rate);
    }
    return part.first();
}

/// A ray in the units of a grid: columns, rows, and m above its height 0.
struct GridRay {
    Vector3<double> o, d;

    double column(double t) const { return o.x + t * d.x; }
    double row(double t) const { return o.y + t * d.y; }
};

/// The cell of a coordinate on a ray, which at a border is the one that the ray goes to.
int cell_at(double x, double d, int cells) {
    const double whole = d < 0 ? std::ceil(x) - 1 : std::floor(x);
    return static_cast<int>(std::clamp(whole, 0., double(cells - 1)));
}

/// Parameter at which the ray leaves a cell along one axis.
double exit_of(double o, double d, int cell) {
    if (d == 0) return missed;
    return ((d > 0 ? cell + 1 : cell) - o) / d;
}

/// First parameter between t and `end` at which the ray is in the ground of a cell.
double in_cell(const HeightField& field, const GridRay& ray, int column, int row, double t, double end) {
    const double h = field.height(column, row), hx = field.height(column + 1, row) - h,
                 hy = field.height(column, row + 1) - h,
                 twist = field.height(column + 1, row + 1) - h - hx - hy;
    const double x = ray.column(t) - column, y = ray.row(t) - row;
    // height of the ray above the ground s after t: a s² + 2 b s + c
    const double c = ray.o.z + t * ray.d.z - (h + hx * x + (hy + twist * x) * y);
    const double b = (ray.d.z - (hx + twist * y) * ray.d.x - (hy + twist * x) * ray.d.y) / 2;
    const double a = -twist * ray.d.x * ray.d.y;
    if (!std::isfinite(h + hx + hy + twist)) return missed;
    if (c <= 0) return t;
    const double root = b * b - a * c;
    if (!(root >= 0)) return missed;
    // smallest positive root: c / (−b + √…) if b < 0, else by the other form if a < 0
    const double slope = -b + std::sqrt(root);
    double s = missed;
    if (b < 0)
        s = c / slope;
    else if (a < 0)
        s = (-b - std::sqrt(root)) / a;
    return t + s <= end ? t + s : missed;
}

}  // namespace
}  // namespace collision

double ray_cast(const Placed& shape, const Vector3<double>& origin, const Vector3<double>& direction) {
    using namespace collision;
    const Vector3<double> o = transpose_times(shape.rotation, origin - shape.position),
                          d = transpose_times(shape.rotation, direction);
    switch (shape.kind) {
        case ShapeKind::sphere: return in_sphere(o, d, shape.size.x).first();
        case ShapeKind::capsule: return to_capsule(o, d, shape.size.x, shape.size.y);
        case ShapeKind::cylinder: return in_cylinder(o, d, shape.size.x, shape.size.y).first();
        case ShapeKind::box: return to_box(o, d, shape.size);
        case ShapeKind::ellipsoid: return to_ellipsoid(o, d, shape.size);
        case ShapeKind::plane: return ray_cast(plane_of(shape), origin, direction);
        case ShapeKind::mesh: return shape.hull == nullptr ? missed : to_hull(o, d, *shape.hull);
    }
    return missed;
}

double ray_cast(const Plane& ground, const Vector3<double>& origin, const Vector3<double>& direction) {
    const double above = dot(ground.normal, origin) - ground.offset, rate = dot(ground.normal, direction);
    if (above <= 0) return 0;
    return rate < 0 ? above / -rate : collision::missed;
}

double ray_cast(const HeightField& ground, const Vector3<double>& origin, const Vector3<double>& direction) {
    using namespace collision;
    const int columns = ground.columns - 1, rows = ground.rows - 1;  // of cells
    if (columns < 1 || rows < 1) return missed;
    const Vector3<double> from = origin - ground.origin;
    const GridRay ray{{from.x / ground.spacing_x, from.y / ground.spacing_y, from.z},
                      {direction.x / ground.spacing_x, direction.y / ground.spacing_y, direction.z}};
    Inside over = in_slab(ray.o.x - columns / 2., ray.d.x, columns / 2.);
    over.meet(in_slab(ray.o.y - rows / 2., ray.d.y, rows / 2.));
    double t = over.first();
    if (!(t < missed)) return missed;
    int column = cell_at(ray.column(t), ray.d.x, columns), row = cell_at(ray.row(t), ray.d.y, rows);
    while (column >= 0 && column < columns && row >= 0 && row < rows) {
        const double across = exit_of(ray.o.x, ray.d.x, column), along = exit_of(ray.o.y, ray.d.y, row);
        const double end = std::max(std::min(across, along), t);
        if (const double hit = in_cell(ground, ray, column, row, t, end); hit < missed) return hit;
        if (!(end < missed)) return missed;
        if (across <= along)
            column += ray.d.x > 0 ? 1 : -1;
        else
            row += ray.d.y > 0 ? 1 : -1;
        t = end;
    }
    return missed;
}

}  // namespace grbda
