#include <algorithm>
#include <limits>
#include <set>

#include <Eigen/Geometry>

#include "collision/collision_fixture.hpp"

// Convex hulls of points, against what defines them.

using namespace collision_test;
using grbda::ConvexHull;

namespace {

/// Points of an ellipsoid, and its surface as triangles.
struct Ball {
    std::vector<Vector> points;
    std::vector<std::array<std::size_t, 3>> triangles;

    Ball(const Vector& radii, std::size_t sides) {
        const std::size_t rings = sides / 2;
        for (std::size_t i = 0; i <= rings; ++i)
            for (std::size_t j = 0; j < sides; ++j) {
                const double polar = M_PI * static_cast<double>(i) / static_cast<double>(rings),
                             turn = 2 * M_PI * static_cast<double>(j) / static_cast<double>(sides);
                const double ring = i == 0 || i == rings ? 0 : std::sin(polar);
                points.emplace_back(Vector(ring * std::cos(turn), ring * std::sin(turn), std::cos(polar))
                                        .cwiseProduct(radii));
                const std::size_t here = i * sides + j, beside = i * sides + (j + 1) % sides;
                if (i == rings) continue;
                triangles.push_back({here, here + sides, beside});
                triangles.push_back({beside, here + sides, beside + sides});
            }
    }
    double volume() const {
        double sum = 0;
        for (const auto& [a, b, c] : triangles) sum += points[a].dot(points[b].cross(points[c])) / 6;
        return sum;
    }
};

/// Each is a polygon of vertices in its plane, below which all points lie.
void check_faces(const ConvexHull& hull, const std::vector<Vector>& points, double tolerance) {
    for (const ConvexHull::Face& face : hull.faces) {
        REQUIRE(face.corners.size() >= 3);
        CHECK(face.offset > 0);
        const Vector normal = vector(face.normal);
        CHECK(normal.norm() == Approx(1));
        for (const Vector& point : points)
            CHECK(normal.dot(point - vector(hull.centre)) - face.offset <= tolerance);
        const auto corner = [&](int i) {
            const int k = face.corners.first + (i - face.corners.first) % face.corners.size();
            return vector(hull.vertices[hull.corners[k]]);
        };
        for (const int i : face.corners) {
            CHECK(normal.dot(corner(i)) == Approx(face.offset).margin(tolerance));
            const Vector before = corner(i + 1) - corner(i), after = corner(i + 2) - corner(i + 1);
            CHECK(before.cross(after).dot(normal) > -tolerance * before.norm());  // a turn to the left
        }
    }
}

/// Each edge is passed once in each direction, and V − E + F = 2.
void check_edges(const ConvexHull& hull) {
    std::set<std::pair<int, int>> edges;
    std::set<int> used;
    for (const ConvexHull::Face& face : hull.faces)
        for (const int i : face.corners) {
            const int next = i + 1 == face.corners.last ? face.corners.first : i + 1;
            CHECK(edges.emplace(hull.corners[i], hull.corners[next]).second);
            used.insert(hull.corners[i]);
        }
    for (const auto& [from, to] : edges) CHECK(edges.count({to, from}) == 1);
    std::set<std::pair<int, int>> listed;
    for (int i = 0; i < static_cast<int>(hull.vertices.size()); ++i)
        for (const int k : hull.edges[i]) listed.emplace(i, hull.neighbours[k]);
    CHECK(listed == edges);
    const std::size_t vertices = hull.vertices.size();
    CHECK(used.size() == vertices);
    CHECK(vertices + hull.faces.size() == edges.size() / 2 + 2);
}

Eigen::Matrix3f rotation_of_floats(Random& random) { return random.rotation().cast<float>(); }

}  // namespace

TEST_CASE("a convex hull contains its points, and each face supports them") {
    Random random(31);
    constexpr double merged = 1e-6;  // of the extent: faces within it are one
    for (const int count : {4, 5, 8, 20, 300})
        for (int i = 0; i < 20; ++i) {
            const double extent = std::pow(10, random.between(-3, 3));
            std::vector<Vector> points = random_points(random, count, extent);
            const Vector offset = random.inside(10 * extent);
            for (Vector& point : points) point += offset;
            const ConvexHull hull = hull_of(points);
            check_faces(hull, points, 2 * merged * extent);
            check_edges(hull);
            double radius = 0;
            for (const auto& vertex : hull.vertices) {
                const Vector there = vector(vertex) + vector(hull.centre);
                const auto is_it = [&](const Vector& p) { return (p - there).norm() < 1e-12 * extent; };
                CHECK(std::any_of(points.begin(), points.end(), is_it));
                radius = std::max(radius, vector(vertex).norm());
            }
            CHECK(hull.radius == Approx(radius));
        }
}

TEST_CASE("the hull of a convex surface has its volume and centre") {
    const Vector radii(0.3, 0.2, 0.1), offset(3, -2, 1);
    for (const std::size_t sides : {8U, 16U, 64U}) {
        Ball ball(radii, sides);
        const double volume = ball.volume();
        for (Vector& point : ball.points) point += offset;
        const ConvexHull hull = hull_of(ball.points);
        CHECK(hull.volume == Approx(volume).epsilon(1e-5));
        CHECK((vector(hull.centre) - offset).norm() < 1e-6);
        check_edges(hull);
    }
    const ConvexHull corner = hull_of({{0, 0, 0}, {3, 0, 0}, {0, 2, 0}, {0, 0, 1}});
    CHECK(corner.volume == Approx(1));
    CHECK((vector(corner.centre) - Vector(0.75, 0.5, 0.25)).norm() < 1e-12);
}

TEST_CASE("faces that files round to floats are the polygons that were drawn") {
    Random random(32);
    for (int i = 0; i < 20; ++i) {
        const Eigen::Matrix3f turn = rotation_of_floats(random);
        const Eigen::Vector3f offset = random.inside(1).cast<float>();
        std::vector<Vector> box, can;
        for (int k = 0; k < 11 * 11 * 11; ++k) {
            const Eigen::Vector3f p(static_cast<float>(k % 11), static_cast<float>(k / 11 % 11),
                                    static_cast<float>(k / 121));
            box.push_back((turn * p * 0.03F + offset).cast<double>());
        }
        for (const Vector& corner : prism_corners(64, 0.1, 0.3))
            can.push_back((turn * corner.cast<float>() + offset).cast<double>());
        const ConvexHull hull = hull_of(box);
        CHECK(hull.faces.size() == 6);
        CHECK(hull.vertices.size() == 8);
        check_edges(hull);
        CHECK(hull_of(can).faces.size() == 66);
    }
}

TEST_CASE("the hull does not depend on the order and repetition of points") {
    Random random(33);
    std::vector<Vector> points = random_points(random, 50, 0.3);
    const ConvexHull hull = hull_of(points);
    for (int i = 0; i < 10; ++i) points.push_back(points[static_cast<std::size_t>(3 * i)]);
    std::reverse(points.begin(), points.end());
    const ConvexHull same = hull_of(points);
    REQUIRE(hull.vertices.size() == same.vertices.size());
    for (std::size_t i = 0; i < hull.vertices.size(); ++i)
        CHECK(vector(hull.vertices[i]) == vector(same.vertices[i]));
    CHECK(std::vector<int>(hull.corners) == std::vector<int>(same.corners));
}

TEST_CASE("a hull with too many vertices is refused") {
    const Ball ball({0.1, 0.1, 0.1}, 500);
    REQUIRE(ball.points.size() > std::size_t{grbda::most_hull_vertices});
    std::string found;
    CHECK_FALSE(grbda::convex_hull(ball.points, found));
    CHECK(found == "a hull of more than 65535 vertices");
}

TEST_CASE("points without a volume have no hull, and the reason is reported") {
    Random random(34);
    const auto reason = [](const std::vector<Vector>& points) {
        std::string found;
        CHECK_FALSE(grbda::convex_hull(points, found));
        return found;
    };
    CHECK(reason({}) == "no points");
    const std::string flat = "points that lie in one plane, or nearly so";
    CHECK(reason({{0, 0, 0}}) == flat);
    CHECK(reason({{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}) == flat);
    std::vector<Vector> line, plane, nearly;
    const Vector u = random.direction(), v = random.direction();
    for (int i = 0; i < 30; ++i) {
        line.push_back(u * i);
        plane.push_back(u * random.between(-1, 1) + v * random.between(-1, 1));
        nearly.push_back(plane.back() + 1e-9 * random.inside(1));
    }
    for (const auto& points : {line, plane, nearly}) CHECK(reason(points) == flat);
    CHECK(reason(std::vector<Vector>(20, u)) == flat);
    CHECK(reason(box_corners({1e300, 1e300, 1e300})) == "points farther apart than 1e100 m");
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinite = std::numeric_limits<double>::infinity();
    for (const double x : {nan, infinite, -infinite}) {
        std::vector<Vector> points = box_corners({1, 1, 1});
        points[5].y() = x;
        CHECK(reason(points) == "a point with a coordinate that is not a finite number");
    }
}
