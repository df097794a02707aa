#include <cmath>
#include <limits>

#include "collision/collision_fixture.hpp"

// Rays meet solids at a point that lies on the surface, by the distance that collide() computes; no point
// before it is inside.

using namespace collision_test;
using grbda::Plane;
using grbda::Vector3;

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

Placed point(const Vector& at) {
    return {ShapeKind::sphere, {0, 0, 0}, vector3(at), grbda::Matrix3<double>::identity()};
}

/// Signed distance of a point.
double gap(const Placed& shape, const Vector& at) {
    std::array<Touch, grbda::most_touches> touches;
    const Placed ball = point(at);
    const bool known = grbda::can_collide(ShapeKind::sphere, shape.kind);
    const int count = known ? grbda::collide(ball, shape, everything, touches)
                            : grbda::collide_convex(ball, shape, everything, touches);
    REQUIRE(count == 1);
    return touches[0].gap;
}
template <class Ground>
double gap(const Ground& ground, const Vector& at) {
    const Touches touches = touches_of(point(at), ground);
    REQUIRE(touches.count == 1);
    return touches.all[0].gap;
}

/// The law for one ray; returns whether it hits from outside.
template <class Solid>
bool check_ray(const Solid& solid, const Vector& origin, const Vector& direction, double tolerance) {
    const double t = grbda::ray_cast(solid, vector3(origin), vector3(direction));
    if (t == 0) {
        CHECK(gap(solid, origin) < tolerance);
        return false;
    }
    CHECK(t > 0);
    if (t < kNone) CHECK(std::abs(gap(solid, origin + t * direction)) < tolerance);
    const double end = std::min(t, 8.);
    for (int k = 0; k < 40; ++k) CHECK(gap(solid, origin + end * k / 40 * direction) > -tolerance);
    return t < kNone;
}

HeightField random_field(Random& random) {
    HeightField field;
    field.columns = 7;
    field.rows = 5;
    field.spacing_x = 0.4;
    field.spacing_y = 0.6;
    field.origin = {-1.2, -1.2, 0.1};
    for (int i = 0; i < 35; ++i) field.heights.push_back(random.between(-0.3, 0.3));
    return field;
}

}  // namespace

TEST_CASE("a ray meets a solid on its surface and nowhere before") {
    Random random(3);
    for (const ShapeKind kind : solids) {
        INFO(to_string(kind));
        int hits = 0;
        for (int i = 0; i < 400; ++i) {
            const Placed shape = random.shape(kind, 0.3);
            const Vector origin = random.inside(2), aim = random.inside(0.6);
            hits += check_ray(shape, origin, random.between(0.3, 2) * (aim - origin).normalized(), 1e-7);
        }
        CHECK(hits > 30);
        CHECK(hits < 400);
    }
    int hits = 0;
    for (int i = 0; i < 200; ++i) {
        const Plane plane{vector3(random.direction()), random.between(-1, 1)};
        hits += check_ray(plane, random.inside(2), random.direction(), 1e-12);
    }
    CHECK(hits > 30);
}

TEST_CASE("a ray meets uneven ground on its surface and nowhere before") {
    Random random(4);
    int hits = 0;
    for (int i = 0; i < 400; ++i) {
        const HeightField field = random_field(random);
        const Vector origin(random.between(-1.1, 1.1), random.between(-1.1, 1.1), random.between(0.5, 2));
        Vector direction = random.direction();
        direction.z() = -std::abs(direction.z());
        const double t = grbda::ray_cast(field, vector3(origin), vector3(direction));
        hits += check_ray(field, origin, direction, 1e-9);
        if (!(t < kNone)) continue;
        const Vector at = origin + t * direction;
        CHECK(at.z() == Approx(*grbda::ground_height(field, at.x(), at.y())).margin(1e-9));
    }
    CHECK(hits > 100);
    // from beside the ground, straight down, and along its lines
    for (int i = 0; i < 200; ++i) {
        const HeightField field = random_field(random);
        const double t = grbda::ray_cast(field, {-3, random.between(-1, 1), -0.5}, {0.5, 0, 0});
        CHECK(t == Approx(3.6));
        const double x = -1.2 + 0.4 * std::floor(random.between(0, 5.9)), y = random.between(-1.2, 1.2);
        CHECK(grbda::ray_cast(field, {x, y, 3}, {0, 0, -1}) ==
              Approx(3 - *grbda::ground_height(field, x, y)).margin(1e-12));
        CHECK(grbda::ray_cast(field, {x, y, 3}, {0, 0, 1}) == kNone);
    }
}

TEST_CASE("a ray passes over unknown ground, and misses meshes without a hull and ground without cells") {
    Random random(5);
    HeightField field = random_field(random);
    for (double& height : field.heights) height = 0;
    field.heights[2 * 7 + 3] =
        std::nan("");  // unknown around its sample: x from −0.4 to 0.4, y from −0.6 to 0.6
    CHECK(grbda::ray_cast(field, {0, 0, 1}, {0, 0, -1}) == kNone);
    CHECK(grbda::ray_cast(field, {0, 0, 0.05}, {1, 0, 0}) == Approx(0.4));  // the side of the next cell
    CHECK(grbda::ray_cast(field, {-0.8, 0, 1}, {0, 0, -1}) == Approx(0.9));
    CHECK(grbda::ray_cast(HeightField{}, {0, 0, 1}, {0, 0, -1}) == kNone);
    Placed mesh = point({0, 0, 0});
    mesh.kind = ShapeKind::mesh;
    CHECK(grbda::ray_cast(mesh, {0, 0, 1}, {0, 0, -1}) == kNone);
}
