#pragma once

#include <algorithm>
#include <array>
#include <utility>

#include "support.hpp"

// D = {x − y : x in a, y in b}. With h(m) = max m·D the gap of two bodies along a normal n is −h(−n), that of
// the two planes square to it which touch the bodies; the gap of the bodies is the largest of all n.

namespace grbda::collision {

inline Vector unit(const Vector& a) { return a * (1 / length(a)); }

/// A direction of length 1 square to one.
inline Vector square_to(const Vector& m) {
    return unit(cross(m, std::abs(m.x) < 0.6 ? Vector{1, 0, 0} : Vector{0, 1, 0}));
}

struct Corner {
    Vector of_a;  ///< point of a, seen from its centre
    Vector w;     ///< point of D
};

/// D of two bodies. A body that is round all over, a sphere or a capsule, is as good as its centre or axis;
/// its radius is taken off the gap.
class Difference {
public:
    Difference(const Placed& a, const Placed& b) : a_(a), b_(b), apart_(a.position - b.position) {
        if (is_round(a.kind)) radius_ += std::exchange(a_.size.x, 0);
        if (is_round(b.kind)) radius_ += std::exchange(b_.size.x, 0);
    }
    /// Point of D that is farthest along a direction of length 1.
    Corner along(const Vector& m) const {
        const Vector of_a = support(a_, m);
        return {of_a, apart_ + of_a - support(b_, -m)};
    }
    double height(const Vector& m) const { return dot(m, along(m).w); }
    double radius() const { return radius_; }  ///< m, taken off

    /// One of the bodies touches every plane in one point, which moves little when the plane turns a little.
    bool has_smooth() const { return is_smooth(a_.kind) || is_smooth(b_.kind); }

    bool has_rim() const { return a_.kind == ShapeKind::cylinder || b_.kind == ShapeKind::cylinder; }

    /// One of the bodies touches its plane in one point, also when the plane turns by an angle.
    bool has_point(const Vector& m, double angle) const {
        return touches_in_a_point(a_, m, angle) || touches_in_a_point(b_, -m, angle);
    }

    /// A point of a that lies on its plane and, moved by −h m, on that of b. It is unique where one of the
    /// bodies touches its plane in one point, also when that turns by an angle.
    Vector touching(const Vector& m, double h, double angle) const {
        const bool of_a = touches_in_a_point(a_, m, angle) || !touches_in_a_point(b_, -m, angle);
        if (is_smooth(a_.kind) || (of_a && !is_smooth(b_.kind))) return support(a_, m);
        return support(b_, -m) + m * h - apart_;
    }

    /// Axes of both bodies. h has a crease at the directions square to one, and may be lowest there.
    struct Axes {
        std::array<Vector, 6> list;
        std::size_t count = 0;
    };
    Axes axes() const {
        Axes result;
        for (const Placed* shape : {&a_, &b_}) {
            const Matrix3<double>& R = shape->rotation;
            const bool is_box = shape->kind == ShapeKind::box;
            if (is_box) result.list[result.count++] = R.x;
            if (is_box) result.list[result.count++] = R.y;
            if (is_box || is_long(*shape)) result.list[result.count++] = R.z;
        }
        return result;
    }

    /// Calls use(m) for the directions near to one at which D has the face of a hull.
    template <class Function>
    void at_faces_near(const Vector& m, const Function& use) const {
        const auto normal = [](const Placed& shape, const Vector& direction) {
            const Vector d = transpose_times(shape.rotation, direction);
            return shape.rotation * face_towards(*shape.hull, farthest_vertex(*shape.hull, d), d).normal;
        };
        if (a_.hull != nullptr) use(normal(a_, m));
        if (b_.hull != nullptr) use(-normal(b_, -m));
    }

private:
    static bool is_smooth(ShapeKind kind) {
        return kind == ShapeKind::sphere || kind == ShapeKind::ellipsoid;
    }
    static bool is_long(const Placed& shape) {
        return shape.kind == ShapeKind::capsule || shape.kind == ShapeKind::cylinder;
    }
    static bool touches_at_a_vertex(const ConvexHull& hull, const Vector& d, double least) {
        const double reach = dot(hull.vertices[farthest_vertex(hull, d)], d) - least * hull.radius;
        const auto is_there = [&](const Vector& vertex) { return dot(vertex, d) >= reach; };
        return std::count_if(hull.vertices.begin(), hull.vertices.end(), is_there) == 1;
    }
    static bool touches_in_a_point(const Placed& shape, const Vector& m, double least) {
        const Vector d = transpose_times(shape.rotation, m);
        const double x = std::abs(d.x), y = std::abs(d.y), z = std::abs(d.z);
        if (shape.kind == ShapeKind::box) return std::min({x, y, z}) > least;
        if (shape.kind == ShapeKind::mesh) return touches_at_a_vertex(*shape.hull, d, least);
        if (shape.kind == ShapeKind::cylinder) return std::min(x + y, z) > least;
        return shape.kind != ShapeKind::capsule || z > least;
    }

    Placed a_, b_;
    double radius_ = 0;
    Vector apart_;
};

}  // namespace grbda::collision
