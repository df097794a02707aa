#include "collision/collision_fixture.hpp"

// Bodies on planes and height fields, against slow searches.

using namespace collision_test;

namespace {

constexpr double tolerance = 1e-7;  ///< m: of the searches

grbda::Plane random_plane(Random& random) { return {vector3(random.direction()), random.between(-0.5, 0.5)}; }

double height_above(const grbda::Plane& plane, const Vector& point) {
    return vector(plane.normal).dot(point) - plane.offset;
}

double height_above(const HeightField& field, const Vector& point) {
    const Vector p = point - vector(field.origin);
    const double u = p.x() / field.spacing_x / (field.columns - 1),
                 v = p.y() / field.spacing_y / (field.rows - 1);
    return point.z() - on_field(field, std::clamp(u, 0.0, 1.0), std::clamp(v, 0.0, 1.0)).z();
}

/// By samples of the whole ground, and a search from the best one of each cell.
double distance_to_ground(const HeightField& field, const Vector& point) {
    constexpr int samples = 8;  // along each side of a cell
    const int columns = field.columns - 1, rows = field.rows - 1;
    double best = 1e9;
    for (int cell = 0; cell < columns * rows; ++cell) {
        const int i = cell % columns, j = cell / columns;
        const auto distance = [&](const std::array<double, 2>& x) {
            const double u = (i + (x[0] + 1) / 2) / columns, v = (j + (x[1] + 1) / 2) / rows;
            return (on_field(field, u, v) - point).norm();
        };
        std::array<double, 2> start{};
        double nearest = 1e9;
        for (int k = 0; k <= samples; ++k)
            for (int l = 0; l <= samples; ++l) {
                const std::array<double, 2> x{-1 + 2.0 * k / samples, -1 + 2.0 * l / samples};
                if (distance(x) < nearest) start = x;
                nearest = std::min(nearest, distance(x));
            }
        if (nearest < best + 0.2) best = std::min(best, compass_search(distance, start, 1.0 / samples));
    }
    return best;
}

Placed standing(ShapeKind kind, const Vector& size, double height, const Eigen::Matrix3d& R) {
    return {kind, vector3(size), {0.3, -0.2, height}, matrix3(R)};
}

Eigen::Matrix3d nearly(const Eigen::Matrix3d& R, Random& random) {
    return R * Eigen::AngleAxisd(random.between(0, 1e-9), random.direction()).toRotationMatrix();
}

}  // namespace

TEST_CASE("the deepest touch of a body on a plane is its lowest point") {
    Random random(1);
    for (const ShapeKind kind : solids)
        for (int i = 0; i < 300; ++i) {
            const Placed body = random.shape(kind, 0.5);
            const grbda::Plane plane = random_plane(random);
            const auto height = [&](const Cube& u) { return height_above(plane, core(body, u)); };
            const double lowest = kind == ShapeKind::mesh ? -reach(body, -vector(plane.normal)) - plane.offset
                                                          : lowest_in_cube(height) - skin(body);
            const Touches touches = touches_of(body, plane);
            REQUIRE(touches.count > 0);
            CHECK(touches.deepest().gap == Approx(lowest).margin(tolerance));
            for (const Touch& touch : touches) {
                const Vector n = vector(touch.normal), half = n * (touch.gap / 2), p = vector(touch.position);
                CHECK(n == vector(plane.normal));
                CHECK(height_above(plane, p - half) == Approx(0).margin(1e-12));
                check_foot(body, p + half, n);
            }
        }
}

TEST_CASE("bodies at rest on a plane keep their touches, however they tremble") {
    Random random(2);
    const grbda::Plane floor;
    const Eigen::Matrix3d up = Eigen::Matrix3d::Identity();
    const Eigen::Matrix3d lying = Eigen::AngleAxisd(M_PI / 2, Vector::UnitY()).toRotationMatrix();
    constexpr double margin = 1e-3;
    for (int i = 0; i < 200; ++i) {
        const auto features = [&](ShapeKind kind, const Vector& size, double height,
                                  const Eigen::Matrix3d& R) {
            return touches_of(standing(kind, size, height, nearly(R, random)), floor, margin).features();
        };
        CHECK(features(ShapeKind::box, {0.2, 0.1, 0.3}, 0.15, up) == std::vector<int>{0, 1, 2, 3});
        CHECK(features(ShapeKind::box, {0.2, 0.1, 5e-4}, 25e-5, up) == std::vector<int>{0, 1, 2, 3});
        CHECK(features(ShapeKind::capsule, {0.1, 0.3, 0}, 0.1, lying) == std::vector<int>{0, 1});
        CHECK(features(ShapeKind::capsule, {0.1, 0.3, 0}, 0.25, up) == std::vector<int>{0});
        CHECK(features(ShapeKind::cylinder, {0.1, 0.3, 0}, 0.15, up) == std::vector<int>{2, 3, 4, 5});
        const Eigen::Matrix3d rolled = Eigen::AngleAxisd(0.3, Vector::UnitX()) * lying;
        const Eigen::Matrix3d turned = rolled * Eigen::AngleAxisd(0.5, Vector::UnitZ());
        CHECK(features(ShapeKind::cylinder, {0.1, 0.3, 0}, 0.1,
                       lying * Eigen::AngleAxisd(0.5, Vector::UnitZ())) == std::vector<int>{0, 1});
        CHECK(touches_of(standing(ShapeKind::cylinder, {0.1, 0.3, 0}, 0.1, turned), floor).count == 10);
        CHECK(features(ShapeKind::ellipsoid, {0.1, 0.3, 0.2}, 0.2, up) == std::vector<int>{0});
    }
}

TEST_CASE("with capacity for fewer touches the deepest are kept, in the order of their features") {
    Random random(3);
    for (const ShapeKind kind : {ShapeKind::box, ShapeKind::cylinder})
        for (int i = 0; i < 200; ++i) {
            const Placed body = random.shape(kind, 0.5);
            const grbda::Plane plane = random_plane(random);
            const Touches all = touches_of(body, plane);
            CHECK(all.count == (kind == ShapeKind::box ? 4 : 10));
            std::vector<double> gaps;
            for (const Touch& touch : all) gaps.push_back(touch.gap);
            std::sort(gaps.begin(), gaps.end());
            for (std::size_t room = 0; room <= 4; ++room) {
                std::array<Touch, 4> some;
                const int count = grbda::collide(body, plane, everything, std::span(some).first(room));
                REQUIRE(count == static_cast<int>(room));
                for (std::size_t j = 0; j < room; ++j) {
                    CHECK(some[j].gap <= gaps[room - 1]);
                    if (j > 0) CHECK(some[j].feature > some[j - 1].feature);
                }
            }
            const double margin = random.between(-0.3, 0.3);
            const Touches near = touches_of(body, plane, margin);
            for (const Touch& touch : near) CHECK(touch.gap < margin);
            CHECK(near.count ==
                  std::count_if(gaps.begin(), gaps.end(), [&](double gap) { return gap < margin; }));
        }
}

TEST_CASE("the gap of a sphere on a height field is its distance from the ground") {
    Random random(4);
    for (const double roughness : {0.0, 0.05, 0.3, 1.0})
        for (int i = 0; i < 150; ++i) {
            const HeightField field = random_field(random, 5, 6, roughness);
            REQUIRE(is_consistent(field));
            const Vector ground = on_field(field, random.between(0.3, 0.7), random.between(0.3, 0.7));
            Placed sphere = random.shape(ShapeKind::sphere, 0);
            const double radius = i % 2 == 0 ? sphere.size.x : 0;
            sphere.size.x = radius;
            sphere.position = vector3(ground + Vector(0, 0, random.between(-0.1, 0.4)));
            const double side = sphere.position.z < ground.z() ? -1 : 1;
            const double distance = distance_to_ground(field, vector(sphere.position));
            const Touches touches = touches_of(sphere, field);
            REQUIRE(touches.count == 1);
            const Touch& touch = touches.all[0];
            CHECK(side * (touch.gap + radius) <= distance + tolerance);  // the search can miss the nearest
            CHECK(vector(touch.normal).norm() == Approx(1));
            const Vector foot = vector(touch.position) - vector(touch.normal) * (touch.gap / 2);
            CHECK(height_above(field, foot) == Approx(0).margin(1e-9));
            CHECK(touches_of(sphere, field, touch.gap + 1e-6).count == 1);
            CHECK(touches_of(sphere, field, touch.gap - 1e-6).count == 0);
        }
}

TEST_CASE("a flat height field is a plane") {
    Random random(5);
    for (const ShapeKind kind : solids)
        for (int i = 0; i < 200; ++i) {
            const grbda::Plane plane{vector3(Vector(random.inside(0.3) + Vector::UnitZ()).normalized()),
                                     random.between(-0.2, 0.2)};
            HeightField field;
            field.columns = 12;
            field.rows = 9;
            field.spacing_x = 0.5;
            field.spacing_y = 0.6;
            field.origin = {-2.6, -2.3, 0.7};
            for (int j = 0; j < 108; ++j) {
                const double x = field.origin.x + (j % 12) * 0.5, y = field.origin.y + (j / 12) * 0.6;
                const double z = (plane.offset - plane.normal.x * x - plane.normal.y * y) / plane.normal.z;
                field.heights.push_back(z - field.origin.z);
            }
            Placed body = random.shape(kind, 0.3);
            const Touches flat = touches_of(body, plane), uneven = touches_of(body, field);
            REQUIRE(uneven.count == flat.count);
            for (int j = 0; j < flat.count; ++j) {
                const Touch &a = flat.all[static_cast<std::size_t>(j)],
                            &b = uneven.all[static_cast<std::size_t>(j)];
                CHECK(a.feature == b.feature);
                CHECK(a.gap == Approx(b.gap).margin(1e-12));
                CHECK((vector(a.normal) - vector(b.normal)).norm() < 1e-9);
                CHECK((vector(a.position) - vector(b.position)).norm() < 1e-9);
            }
        }
}

TEST_CASE("ground ends at the edge of its field and at samples that are unknown") {
    HeightField field;
    CHECK(touches_of({ShapeKind::sphere, {1, 0, 0}, {}}, field).count == 0);
    CHECK_FALSE(ground_height(field, 0, 0));
    field.columns = field.rows = 4;
    field.heights.resize(16, 0.5);
    field.heights[0] = std::numeric_limits<double>::quiet_NaN();
    REQUIRE(is_consistent(field));
    CHECK(ground_height(field, 0.5, 1) == 0.5);
    CHECK(ground_height(field, 3, 3) == 0.5);
    CHECK_FALSE(ground_height(field, 0.5, 0.5));
    CHECK_FALSE(ground_height(field, 3.1, 1));
    const auto gap = [&](double x, double y, double z) {
        return touches_of({ShapeKind::sphere, {0.1, 0, 0}, {x, y, z}}, field, 0.3).deepest().gap;
    };
    CHECK(gap(2, 2, 0.5) == Approx(-0.1));
    CHECK(gap(2, 2, -0.5) == Approx(-1.1));
    CHECK(gap(3.1, 2, 0.5) == Approx(0).margin(1e-12));  // leans on the edge
    CHECK(gap(3.5, 2, 0.5) == everything);
    CHECK(gap(3.5, 2, -5) == everything);
    CHECK(gap(0.9, 0.9, 0.5) == Approx(0).margin(1e-12));  // on the edge of the hole
    CHECK(gap(0.5, 0.5, 0.4) == everything);

    field.heights.pop_back();
    CHECK_FALSE(is_consistent(field));
    field.heights.push_back(0);
    field.spacing_x = 0;
    CHECK_FALSE(is_consistent(field));
}
