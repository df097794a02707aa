#include <array>
#include <functional>
#include <limits>
#include <memory>

#include <Eigen/Geometry>

#include "collision/collision_fixture.hpp"

// Convex hulls that touch, against boxes, spheres and searches over all pairs of their points.

using namespace collision_test;
using grbda::ConvexHull;

namespace {

Placed placed_hull(const ConvexHull& hull, const Placed& pose) {
    Placed result = pose;
    result.kind = ShapeKind::mesh;
    result.hull = &hull;
    return result;
}

Touches searched_touches(const Placed& a, const Placed& b, double margin = everything) {
    Touches found;
    found.count = grbda::collide_convex(a, b, margin, found.all);
    return found;
}

std::vector<Vector> points_in_world(const Placed& body) {
    std::vector<Vector> points;
    for (const auto& vertex : body.hull->vertices) points.push_back(in_world(body, vector(vertex)));
    return points;
}

/// The widest gap between planes parallel to a triangle of points or to two pairs of points. For bodies that
/// overlap it is the gap, since some face or pair of edges gives the shortest displacement.
double gap_by_planes(const std::vector<Vector>& a, const std::vector<Vector>& b) {
    double best = -everything;
    const auto consider = [&](const Vector& across) {
        if (!(across.norm() > 1e-9)) return;
        const Vector n = across.normalized();
        double least = everything, most = -everything, lowest = everything, highest = -everything;
        for (const Vector& p : a) {
            least = std::min(least, n.dot(p));
            highest = std::max(highest, n.dot(p));
        }
        for (const Vector& p : b) {
            most = std::max(most, n.dot(p));
            lowest = std::min(lowest, n.dot(p));
        }
        best = std::max({best, least - most, lowest - highest});
    };
    std::vector<Vector> lines_of_a, lines_of_b;
    const auto add_lines = [&](const std::vector<Vector>& points, std::vector<Vector>& lines) {
        for (std::size_t i = 0; i < points.size(); ++i)
            for (std::size_t j = 0; j < i; ++j) {
                lines.push_back(points[i] - points[j]);
                for (std::size_t k = 0; k < j; ++k)
                    consider((points[i] - points[j]).cross(points[i] - points[k]));
            }
    };
    add_lines(a, lines_of_a);
    add_lines(b, lines_of_b);
    for (const Vector& u : lines_of_a)
        for (const Vector& v : lines_of_b) consider(u.cross(v));
    return best;
}

double distance_of_segments(const Vector& p, const Vector& u, const Vector& q, const Vector& v) {
    const auto clamped = [](double x) { return std::clamp(x, 0.0, 1.0); };
    const Vector w = p - q;
    const double uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), det = uu * vv - uv * uv;
    const double s = det > 1e-14 * uu * vv ? clamped((uv * v.dot(w) - vv * u.dot(w)) / det) : 0;
    const double t = clamped((v.dot(w) + s * uv) / vv), back = clamped((t * uv - u.dot(w)) / uu);
    return (w + back * u - t * v).norm();
}

/// The distance of the nearest of all triangles and segments between points.
double distance_by_points(const std::vector<Vector>& a, const std::vector<Vector>& b) {
    double best = everything;
    const auto above_triangles = [&](const std::vector<Vector>& points, const std::vector<Vector>& corners) {
        for (std::size_t i = 0; i < corners.size(); ++i)
            for (std::size_t j = 0; j < i; ++j)
                for (std::size_t k = 0; k < j; ++k) {
                    Eigen::Matrix3d T;
                    T << corners[j] - corners[i], corners[k] - corners[i], Vector::Zero();
                    T.col(2) = T.col(0).cross(T.col(1)).normalized();
                    const Eigen::Matrix3d inverse = T.inverse();
                    for (const Vector& p : points) {
                        const Vector x = inverse * (p - corners[i]);
                        if (x[0] >= 0 && x[1] >= 0 && x[0] + x[1] <= 1) best = std::min(best, std::abs(x[2]));
                    }
                }
    };
    above_triangles(a, b);
    above_triangles(b, a);
    for (std::size_t i = 0; i < a.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            for (std::size_t k = 0; k < b.size(); ++k)
                for (std::size_t l = 0; l < k; ++l)
                    best = std::min(best, distance_of_segments(a[i], a[j] - a[i], b[k], b[l] - b[k]));
    return best;
}

/// Returns the parameter at which a ray first meets a triangle of points.
double ray_to_points(const std::vector<Vector>& points, const Vector& origin, const Vector& direction) {
    double first = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            for (std::size_t k = 0; k < j; ++k) {
                Eigen::Matrix3d T;
                T << points[j] - points[i], points[k] - points[i], -direction;
                const Vector x = T.inverse() * (origin - points[i]);
                if (x[0] >= 0 && x[1] >= 0 && x[0] + x[1] <= 1 && x[2] >= 0) first = std::min(first, x[2]);
            }
    return first;
}

/// Least extent of touches from a point, over all horizontal directions: how far the point may be pushed
/// before the body tips.
double support_around(const Touches& touches, const Vector& centre) {
    double least = everything;
    for (int i = 0; i < 360; ++i) {
        const Vector way(std::cos(i * M_PI / 180), std::sin(i * M_PI / 180), 0);
        double most = -everything;
        for (const Touch& touch : touches) most = std::max(most, way.dot(vector(touch.position) - centre));
        least = std::min(least, most);
    }
    return least;
}

}  // namespace

TEST_CASE("the tip of a hull that is deep in a box touches at the tip") {
    for (const int sides : {3, 7, 40}) {
        std::vector<Vector> points{{0, 0, -0.2}};
        for (int i = 0; i < sides; ++i)
            points.emplace_back(0.3 * std::cos(2 * M_PI * i / sides), 0.3 * std::sin(2 * M_PI * i / sides),
                                0);
        const ConvexHull hull = hull_of(points);
        for (const double depth : {-1e-3, 1e-3, 0.02}) {
            const Vector tip(0.05, -0.03, -depth);
            grbda::Shape shape;
            shape.kind = ShapeKind::mesh;
            shape.hull = std::make_shared<const ConvexHull>(hull);
            const Placed cone =
                grbda::placed(shape, vector3(tip + Vector(0, 0, 0.2)), matrix3(Eigen::Matrix3d::Identity()));
            const Placed box{ShapeKind::box, {2, 2, 1}, {0, 0, -0.5}};
            for (const bool first : {true, false}) {
                const Touches found =
                    first ? searched_touches(cone, box, 0.01) : searched_touches(box, cone, 0.01);
                INFO(sides << " sides, depth " << depth << (first ? ", cone first" : ", box first"));
                REQUIRE(found.count == 1);
                CHECK(found.all[0].gap == Approx(-depth).margin(1e-9));
                CHECK((vector(found.all[0].position) - Vector(tip.x(), tip.y(), -depth / 2)).norm() < 1e-6);
            }
        }
    }
}

TEST_CASE("the hull of a box's corners collides as the box") {
    Random random(41);
    constexpr double tolerance = 1e-9;
    for (int i = 0; i < 200; ++i) {
        const Placed box = random.shape(ShapeKind::box, 0.4);
        const ConvexHull hull = hull_of(box_corners(vector(box.size)));
        const Placed mesh = placed_hull(hull, box);
        CHECK(bounding_radius(mesh) == Approx(bounding_radius(box)));
        const grbda::Plane plane{vector3(random.direction()), random.between(-1, 1)};
        CHECK(touches_of(mesh, plane).deepest().gap ==
              Approx(touches_of(box, plane).deepest().gap).margin(1e-12));
        for (const ShapeKind kind : solids) {
            const Placed other = random.shape(kind, 0.4);
            const Touches boxes = searched_touches(box, other), hulls = searched_touches(mesh, other);
            INFO(to_string(kind) << " " << boxes.deepest().gap);
            CHECK(hulls.deepest().gap == Approx(boxes.deepest().gap).margin(tolerance));
        }
        const Vector origin = random.inside(1), direction = random.direction();
        const double t = ray_cast(box, vector3(origin), vector3(direction));
        if (t < everything)
            CHECK(ray_cast(mesh, vector3(origin), vector3(direction)) == Approx(t).margin(1e-12));
        else
            CHECK(ray_cast(mesh, vector3(origin), vector3(direction)) == t);
    }
}

TEST_CASE("a box of a mesh that stands on a box touches at the same corners") {
    const Placed table{ShapeKind::box, {1, 1, 0.2}, {0, 0, -0.1}},
        box{ShapeKind::box, {0.2, 0.4, 0.1}, {0, 0, 0.049}};
    const ConvexHull hull = hull_of(box_corners(vector(box.size)));
    for (const bool first : {true, false}) {
        const Placed mesh = placed_hull(hull, box);
        const Touches touches = first ? searched_touches(mesh, table) : searched_touches(table, mesh);
        CHECK(touches.count == 4);
        for (const Touch& touch : touches) {
            CHECK(std::abs(touch.position.x) == Approx(0.1));
            CHECK(std::abs(touch.position.y) == Approx(0.2));
            CHECK(touch.gap == Approx(-0.001));
        }
    }
}

TEST_CASE("gaps of hulls are those over all planes and pairs of points") {
    Random random(42);
    int overlaps = 0;
    for (int i = 0; i < 60; ++i) {
        const ConvexHull first = hull_of(random_points(random, 8, 0.2)),
                         second = hull_of(random_points(random, 7, 0.3));
        const Placed a = placed_hull(first, random.shape(ShapeKind::sphere, 0.3)),
                     b = placed_hull(second, random.shape(ShapeKind::sphere, 0.3));
        const std::vector<Vector> of_a = points_in_world(a), of_b = points_in_world(b);
        const double planes = gap_by_planes(of_a, of_b), found = searched_touches(a, b).deepest().gap;
        overlaps += planes < 0;
        CHECK(found == Approx(planes < 0 ? planes : distance_by_points(of_a, of_b)).margin(1e-8));
    }
    CHECK(overlaps > 10);
    CHECK(overlaps < 50);
}

TEST_CASE("the hull of a fine sphere collides nearly as the sphere") {
    Random random(43);
    constexpr double radius = 0.2;
    double last = everything;
    for (const int count : {100, 1000, 4000}) {
        std::vector<Vector> points;
        for (int i = 0; i < count; ++i) {
            const double z = 1 - (2 * i + 1.0) / count, turn = M_PI * (3 - std::sqrt(5)) * i,
                         r = std::sqrt(1 - z * z);
            points.emplace_back(Vector(r * std::cos(turn), r * std::sin(turn), z) * radius);
        }
        const ConvexHull hull = hull_of(points);
        // the sphere inside of the faces, less the centre's displacement, and the sphere outside
        double inner = radius;
        for (const ConvexHull::Face& face : hull.faces) inner = std::min(inner, face.offset);
        const double most = radius - inner + 2 * vector(hull.centre).norm() + 1e-8;
        CHECK(most < last);
        last = most;
        for (int i = 0; i < 20; ++i) {
            Placed ball = random.shape(ShapeKind::sphere, 0.4);
            ball.size = {radius, 0, 0};
            Placed mesh = placed_hull(hull, ball);
            for (const ShapeKind kind : solids) {
                const Placed other = random.shape(kind, 0.4);
                const double true_gap = searched_touches(ball, other).deepest().gap;
                const Touch touch = searched_touches(mesh, other).deepest();
                const double gap = touch.gap;
                INFO(to_string(kind) << " " << count << " " << true_gap);
                CHECK(gap == Approx(gap_along(mesh, other, vector(touch.normal))).margin(1e-8));
                CHECK(gap >= true_gap - most);
                CHECK(gap <= true_gap + most);
            }
        }
    }
    CHECK(last < 0.002 * radius);
}

TEST_CASE("a ray meets a hull at the first of all triangles of its points") {
    Random random(44);
    int hits = 0;
    for (int i = 0; i < 500; ++i) {
        const ConvexHull hull = hull_of(random_points(random, 9, 0.3));
        const Placed body = placed_hull(hull, random.shape(ShapeKind::sphere, 0.2));
        const Vector origin = random.inside(1.5), aim = random.inside(0.4), direction = 0.7 * (aim - origin);
        if (level(body, origin) < 0) {
            CHECK(ray_cast(body, vector3(origin), vector3(direction)) == 0);
            continue;
        }
        const double expected = ray_to_points(points_in_world(body), origin, direction),
                     t = ray_cast(body, vector3(origin), vector3(direction));
        hits += expected < everything;
        if (expected < everything)
            CHECK(t == Approx(expected).margin(1e-9));
        else
            CHECK(t == expected);
    }
    CHECK(hits > 80);
    CHECK(hits < 450);
}

TEST_CASE("a hull with many vertices stands on corners that surround its centre") {
    Random random(45);
    const grbda::Plane floor;
    HeightField field;
    field.columns = field.rows = 2;
    field.origin = {-0.5, -0.5, 0};
    field.heights = {0, 0, 0, 0};
    constexpr double radius = 0.1, height = 0.02;
    for (const int sides : {3, 4, 5, 9, 12, 64, 500}) {
        const ConvexHull hull = hull_of(prism_corners(sides, radius, height));
        for (int i = 0; i < 50; ++i) {
            INFO(sides << " sides, pose " << i);
            Placed body = placed_hull(hull, random.shape(ShapeKind::sphere, 0));
            const double tremble = random.between(0, 1e-6), turn = random.between(0, 6);
            body.rotation = matrix3(Eigen::AngleAxisd(turn, Vector::UnitZ()) *
                                    Eigen::AngleAxisd(tremble, random.direction()).toRotationMatrix());
            body.position.z = height / 2 + random.between(-1e-3, 1e-3);
            const double margin = i % 2 == 0 ? 2e-3 : everything;
            const Touches touches = touches_of(body, floor, margin);
            // a regular polygon reaches at least half of its radius in all directions
            CHECK(support_around(touches, vector(body.position)) > (sides == 3 ? 0.49 : 0.7) * radius);
            // of vertices that are equally deep up to 1e-6 of the radius the first one touches
            CHECK(touches.deepest().gap == Approx(-reach(body, -Vector::UnitZ())).margin(1e-6 * radius));
            CHECK(touches_of(body, field, margin).features() == touches.features());
            const std::vector<int> features = touches.features();
            CHECK(std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) ==
                  features.end());
        }
    }
}

TEST_CASE("many corners of a face are thinned to some that surround the centre of a hull on a hull") {
    Random random(46);
    constexpr double radius = 0.1, height = 0.02;
    const ConvexHull table = hull_of(prism_corners(40, 1, 0.1));
    const Placed lower = placed_hull(table, {ShapeKind::mesh, {1, 1, 1}, {0, 0, -0.05}});
    for (const int sides : {3, 4, 5, 6, 12, 64}) {
        const ConvexHull hull = hull_of(prism_corners(sides, radius, height));
        for (int i = 0; i < 20; ++i) {
            INFO(sides << " sides, pose " << i);
            Placed body = placed_hull(hull, random.shape(ShapeKind::sphere, 0.1));
            body.rotation =
                matrix3(Eigen::AngleAxisd(random.between(0, 6), Vector::UnitZ()).toRotationMatrix());
            body.position.z = height / 2 + random.between(-1e-4, 1e-4);
            for (const bool first : {true, false}) {
                const Touches touches =
                    first ? searched_touches(body, lower, 1e-3) : searched_touches(lower, body, 1e-3);
                CHECK(support_around(touches, vector(body.position)) > 0.4 * radius);
            }
        }
    }
}

TEST_CASE("a placed shape refers to its mesh's hull, about the hull's centre") {
    std::vector<Vector> corners = box_corners({0.2, 0.4, 0.6});
    for (Vector& corner : corners) corner += Vector(1, 2, 3);
    grbda::Shape shape{ShapeKind::mesh, Vector::Ones(), "box.stl"};
    shape.hull = std::make_shared<const ConvexHull>(hull_of(corners));
    Random random(47);
    const Eigen::Matrix3d R = random.rotation();
    const Vector at = random.inside(1);
    const Placed body = grbda::placed(shape, vector3(at), matrix3(R));
    const Placed box{ShapeKind::box, {0.2, 0.4, 0.6}, vector3(at + R * Vector(1, 2, 3)), matrix3(R)};
    const grbda::Plane plane{vector3(random.direction()), 0.3};
    CHECK(touches_of(body, plane).deepest().gap ==
          Approx(touches_of(box, plane).deepest().gap).margin(1e-12));
    shape.hull = nullptr;
    const Placed bare = grbda::placed(shape, vector3(at), matrix3(R));
    CHECK(touches_of(bare, plane).count == 0);
    CHECK(bounding_radius(bare) == std::numeric_limits<double>::infinity());
}
