#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <catch2/catch.hpp>
#include <Eigen/Geometry>

#include "grbda/collision/collide.hpp"
#include "grbda/io/hulls.hpp"

// Random shapes, and slow searches that check the closed forms of collisions.

namespace collision_test {

using Vector = Eigen::Vector3d;
using grbda::HeightField;
using grbda::Placed;
using grbda::ShapeKind;
using grbda::Touch;

constexpr ShapeKind solids[] = {ShapeKind::sphere, ShapeKind::capsule,   ShapeKind::cylinder,
                                ShapeKind::box,    ShapeKind::ellipsoid, ShapeKind::mesh};
constexpr double everything = 1e3;  ///< m: a margin that leaves no touch out

inline Vector vector(const grbda::Vector3<double>& a) { return {a.x, a.y, a.z}; }
inline grbda::Vector3<double> vector3(const Vector& a) { return {a.x(), a.y(), a.z()}; }
inline grbda::Matrix3<double> matrix3(const Eigen::Matrix3d& R) {
    return {vector3(R.col(0)), vector3(R.col(1)), vector3(R.col(2))};
}
inline Eigen::Matrix3d matrix(const grbda::Matrix3<double>& R) {
    Eigen::Matrix3d result;
    result << vector(R.x), vector(R.y), vector(R.z);
    return result;
}
inline Vector in_world(const Placed& shape, const Vector& local) {
    return vector(shape.position) + matrix(shape.rotation) * local;
}

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double between(double lower, double upper) {
        return std::uniform_real_distribution<double>(lower, upper)(engine_);
    }
    Vector inside(double reach) {
        return {between(-reach, reach), between(-reach, reach), between(-reach, reach)};
    }
    Vector direction() { return inside(1).normalized(); }
    Eigen::Matrix3d rotation() { return Eigen::AngleAxisd(between(0, 3.1), direction()).toRotationMatrix(); }
    /// A mesh has the hull of a few points, of a box or of a prism.
    Placed shape(ShapeKind kind, double reach);
    /// From nothing to the largest, m.
    double hostile_size() { return one_of({0, 1e-300, 1e-13, 1e-3, 1, 1e6, 1e99}); }
    double hostile_place() { return one_of({0, 1e-200, 1e-13, 1, 1e8, 1e50}); }
    Placed hostile_shape(ShapeKind kind) {
        Placed result = shape(kind, 1);
        result.size = {hostile_size(), hostile_size(), hostile_size()};
        result.position = {hostile_place(), hostile_place(), -hostile_place()};
        if (between(0, 1) < 0.5) result.rotation = grbda::Matrix3<double>::identity();
        return result;
    }

private:
    double one_of(std::initializer_list<double> list) {
        return list.begin()[static_cast<std::size_t>(between(0, static_cast<double>(list.size()) - 0.001))];
    }

    std::mt19937 engine_;
};

inline grbda::ConvexHull hull_of(const std::vector<Vector>& points) {
    std::string found;
    std::optional<grbda::ConvexHull> hull = grbda::convex_hull(points, found);
    INFO(found);
    REQUIRE(hull);
    return *std::move(hull);
}

inline std::vector<Vector> random_points(Random& random, int count, double reach) {
    std::vector<Vector> points;
    for (int i = 0; i < count; ++i) points.push_back(random.inside(reach));
    return points;
}

/// Corners of a box about the origin.
inline std::vector<Vector> box_corners(const Vector& size) {
    std::vector<Vector> corners;
    for (int i = 0; i < 8; ++i)
        corners.push_back(Vector((i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2) - 0.5).cwiseProduct(size));
    return corners;
}

/// Points of the rims of a cylinder about z.
inline std::vector<Vector> prism_corners(int sides, double radius, double height) {
    std::vector<Vector> corners;
    for (int i = 0; i < 2 * sides; ++i) {
        const double angle = 2 * M_PI * (i / 2) / sides;
        corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), (i % 2 - 0.5) * height);
    }
    return corners;
}

inline Placed Random::shape(ShapeKind kind, double reach) {
    static const std::vector<grbda::ConvexHull> hulls = [] {
        Random random(7);
        std::vector<grbda::ConvexHull> result;
        for (const int count : {4, 6, 9, 14, 40})
            result.push_back(hull_of(random_points(random, count, 0.25)));
        result.push_back(hull_of(box_corners({0.2, 0.3, 0.5})));
        result.push_back(hull_of(prism_corners(7, 0.2, 0.3)));
        return result;
    }();
    const Vector size(between(0.1, 0.5), between(0.1, 0.5), between(0.1, 0.5));
    Placed result{kind, vector3(size), vector3(inside(reach)), matrix3(rotation())};
    if (kind == ShapeKind::mesh)
        result.hull = &hulls[static_cast<std::size_t>(between(0, static_cast<double>(hulls.size()) - 0.001))];
    return result;
}

/// Touches of any call of collide().
struct Touches {
    std::array<Touch, grbda::most_touches> all;
    int count = 0;

    const Touch* begin() const { return all.data(); }
    const Touch* end() const { return all.data() + count; }
    /// The deepest touch; a touch far away if the list is empty.
    Touch deepest() const {
        Touch result;
        result.gap = everything;
        for (const Touch& touch : *this)
            if (touch.gap < result.gap) result = touch;
        return result;
    }
    std::vector<int> features() const {
        std::vector<int> result;
        for (const Touch& touch : *this) result.push_back(touch.feature);
        return result;
    }
};
template <class Other>
Touches touches_of(const Placed& a, const Other& b, double margin = everything) {
    Touches found;
    found.count = grbda::collide(a, b, margin, found.all);
    return found;
}

/// The lowest value of f near a start within −1 to 1, by steps along the axes, which halve.
template <class Function, std::size_t n>
double compass_search(const Function& f, std::array<double, n> x, double step = 0.5) {
    double best = f(x);
    while (step > 1e-9) {
        bool better = false;
        for (std::size_t i = 0; i < 2 * n; ++i) {
            std::array<double, n> trial = x;
            trial[i / 2] = std::clamp(trial[i / 2] + (i % 2 == 0 ? step : -step), -1.0, 1.0);
            const double value = f(trial);
            if (!(value < best)) continue;
            best = value;
            x = trial;
            better = true;
        }
        if (!better) step *= 0.5;
    }
    return best;
}

/// The lowest value of a convex function from −1 to 1.
template <class Function>
double ternary_search(const Function& f) {
    double lower = -1, upper = 1;
    for (int i = 0; i < 80; ++i) {
        const double third = (upper - lower) / 3, a = lower + third, b = upper - third;
        const bool falls = f(b) < f(a);
        (falls ? lower : upper) = falls ? a : b;
    }
    return std::min({f(lower), f(-1), f(1)});
}

/// A square onto a disc, a cube onto a ball.
template <class Vec>
Vec rounded(const Vec& u) {
    return u.norm() > 0 ? Vec(u * u.template lpNorm<Eigen::Infinity>() / u.norm()) : u;
}

using Cube = std::array<double, 3>;

/// Signed distance from the farthest plane of a hull's faces; a point in the hull's axes.
inline double above_faces(const grbda::ConvexHull& hull, const Vector& point) {
    double highest = -everything;
    for (const grbda::ConvexHull::Face& face : hull.faces)
        highest = std::max(highest, vector(face.normal).dot(point) - face.offset);
    return highest;
}

/// A shape is what is at most `skin` away from its core, the image of a cube.
inline Vector core(const Placed& shape, const Cube& u) {
    const Vector size = vector(shape.size);
    switch (shape.kind) {
        case ShapeKind::capsule: return in_world(shape, {0, 0, u[2] * size.y() / 2});
        case ShapeKind::cylinder: {
            const Eigen::Vector2d disc = rounded(Eigen::Vector2d(u[0], u[1])) * size.x();
            return in_world(shape, {disc.x(), disc.y(), u[2] * size.y() / 2});
        }
        case ShapeKind::box: return in_world(shape, Vector(u[0], u[1], u[2]).cwiseProduct(size) / 2);
        case ShapeKind::ellipsoid:
            return in_world(shape, rounded(Vector(u[0], u[1], u[2])).cwiseProduct(size));
        case ShapeKind::sphere:
        case ShapeKind::plane:
        case ShapeKind::mesh: break;  // no test needs it
    }
    return vector(shape.position);
}
inline double skin(const Placed& shape) {
    return shape.kind == ShapeKind::sphere || shape.kind == ShapeKind::capsule ? shape.size.x : 0;
}

/// From 27 starts.
template <class Function>
double lowest_in_cube(const Function& f) {
    double best = f(Cube{0, 0, 0});
    for (int i = 0; i < 27; ++i)
        best = std::min(best, compass_search(f, Cube{-0.5 + 0.5 * (i % 3), -0.5 + 0.5 * (i / 3 % 3),
                                                     -0.5 + 0.5 * (i / 9)}));
    return best;
}

/// Zero on the surface of a shape, negative inside.
inline double level(const Placed& shape, const Vector& point) {
    const Vector size = vector(shape.size);
    const Vector p = matrix(shape.rotation).transpose() * (point - vector(shape.position));
    switch (shape.kind) {
        case ShapeKind::sphere: return p.norm() - size.x();
        case ShapeKind::capsule: {
            const double beyond = std::max(std::abs(p.z()) - size.y() / 2, 0.0);
            return Vector(p.x(), p.y(), beyond).norm() - size.x();
        }
        case ShapeKind::cylinder:
            return std::max(p.head<2>().norm() - size.x(), std::abs(p.z()) - size.y() / 2);
        case ShapeKind::box: return (p.cwiseAbs() - size / 2).maxCoeff();
        case ShapeKind::ellipsoid: return p.cwiseQuotient(size).norm() - 1;
        case ShapeKind::plane: return p.z();
        case ShapeKind::mesh: return above_faces(*shape.hull, p);
    }
    return 0;
}

inline double distance_to_core(const Placed& shape, const Vector& point) {
    return compass_search([&](const Cube& u) { return (core(shape, u) - point).norm(); }, Cube{0, 0, 0});
}

/// Is it a point of the surface or, of a capsule, as far from the axis?
inline void check_foot(const Placed& shape, const Vector& foot, const Vector& inwards) {
    if (shape.kind == ShapeKind::capsule)
        CHECK(distance_to_core(shape, foot + inwards * skin(shape)) < 1e-7);
    else
        CHECK(level(shape, foot) == Approx(0).margin(1e-9));
}

/// Farthest coordinate of a solid along a direction.
inline double reach(const Placed& shape, const Vector& direction) {
    const Vector d = matrix(shape.rotation).transpose() * direction, size = vector(shape.size);
    double along = 0;
    switch (shape.kind) {
        case ShapeKind::sphere: along = size.x() * d.norm(); break;
        case ShapeKind::capsule: along = size.x() * d.norm() + size.y() / 2 * std::abs(d.z()); break;
        case ShapeKind::cylinder:
            along = size.x() * d.head<2>().norm() + size.y() / 2 * std::abs(d.z());
            break;
        case ShapeKind::box: along = size.dot(d.cwiseAbs()) / 2; break;
        case ShapeKind::ellipsoid: along = size.cwiseProduct(d).norm(); break;
        case ShapeKind::mesh:
            along = -everything;
            for (const auto& vertex : shape.hull->vertices) along = std::max(along, vector(vertex).dot(d));
            break;
        case ShapeKind::plane: break;
    }
    return along + vector(shape.position).dot(direction);
}
/// Gap between the two planes normal to a direction that touch the shapes.
inline double gap_along(const Placed& a, const Placed& b, const Vector& n) {
    return -reach(a, -n) - reach(b, n);
}

/// The largest gap along any direction: from directions all around the sphere, from those square to an axis
/// of one of the bodies, and from those square to two axes, each of the best refined.
inline double widest_gap(const Placed& a, const Placed& b) {
    constexpr int all_around = 2000, on_circle = 360, refined = 6;
    double best = -everything;
    const auto along = [&](const Vector& n) { return gap_along(a, b, n.normalized()); };
    std::vector<std::pair<double, Vector>> starts;
    for (int i = 0; i < all_around; ++i) {
        const double z = 1 - (2 * i + 1.0) / all_around, turn = M_PI * (3 - std::sqrt(5)) * i,
                     radius = std::sqrt(1 - z * z);
        const Vector n(radius * std::cos(turn), radius * std::sin(turn), z);
        starts.emplace_back(-along(n), n);
    }
    const auto is_wider = [](const auto& x, const auto& y) { return x.first < y.first; };
    std::partial_sort(starts.begin(), starts.begin() + refined, starts.end(), is_wider);
    for (int i = 0; i < refined; ++i) {
        const Vector n = starts[static_cast<std::size_t>(i)].second, u = n.unitOrthogonal(), v = n.cross(u);
        const auto beside = [&](const std::array<double, 2>& x) {
            return -along(n + 0.2 * (x[0] * u + x[1] * v));
        };
        best = std::max(best, -compass_search(beside, std::array<double, 2>{0, 0}));
    }
    std::vector<Vector> axes;
    for (const Placed* shape : {&a, &b})
        for (int k = 0; k < 3; ++k) axes.emplace_back(matrix(shape->rotation).col(k));
    for (const Vector& axis : axes) {
        const Vector u = axis.unitOrthogonal(), v = axis.cross(u);
        std::vector<std::pair<double, double>> angles;
        const auto at = [&](double angle) { return -along(std::cos(angle) * u + std::sin(angle) * v); };
        for (int i = 0; i < on_circle; ++i)
            angles.emplace_back(at(2 * M_PI * i / on_circle), 2 * M_PI * i / on_circle);
        std::partial_sort(angles.begin(), angles.begin() + refined, angles.end(), is_wider);
        for (int i = 0; i < refined; ++i) {
            const double middle = angles[static_cast<std::size_t>(i)].second;
            best = std::max(best,
                            -ternary_search([&](double x) { return at(middle + 2 * M_PI / on_circle * x); }));
        }
        for (const Vector& other : axes) {
            const Vector across = axis.cross(other).norm() > 1e-6 ? Vector(axis.cross(other)) : axis;
            best = std::max({best, along(across), along(-across)});
        }
    }
    return best;
}

/// Heights at random, with `roughness` between neighbours.
inline HeightField random_field(Random& random, int columns, int rows, double roughness) {
    HeightField field;
    field.columns = columns;
    field.rows = rows;
    field.spacing_x = random.between(0.1, 0.3);
    field.spacing_y = random.between(0.1, 0.3);
    field.origin = vector3(random.inside(1));
    for (int i = 0; i < columns * rows; ++i) field.heights.push_back(random.between(0, roughness));
    return field;
}

/// A place at u, v from 0 to 1 along its sides.
inline Vector on_field(const HeightField& field, double u, double v) {
    const double x = u * (field.columns - 1), y = v * (field.rows - 1);
    const int i = std::min(static_cast<int>(x), field.columns - 2),
              j = std::min(static_cast<int>(y), field.rows - 2);
    const double a = x - i, b = y - j;
    const double near = (1 - a) * field.height(i, j) + a * field.height(i + 1, j);
    const double far = (1 - a) * field.height(i, j + 1) + a * field.height(i + 1, j + 1);
    return vector(field.origin) + Vector(x * field.spacing_x, y * field.spacing_y, (1 - b) * near + b * far);
}

}  // namespace collision_test
