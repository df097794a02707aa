#include "collision/collision_fixture.hpp"

// Laws that hold for all collisions.

using namespace collision_test;

namespace {

constexpr ShapeKind kinds[] = {ShapeKind::sphere, ShapeKind::capsule,   ShapeKind::cylinder, ShapeKind::box,
                               ShapeKind::plane,  ShapeKind::ellipsoid, ShapeKind::mesh};

Placed moved(const Placed& shape, const Eigen::Matrix3d& R, const Vector& by) {
    Placed result = shape;
    result.position = vector3(R * vector(shape.position) + by);
    result.rotation = matrix3(R * matrix(shape.rotation));
    return result;
}

template <class Function>
void for_all_pairs(const Function& function) {
    for (const ShapeKind a : kinds)
        for (const ShapeKind b : kinds) function(a, b);
}

void check_finite(const Touches& touches) {
    for (const Touch& touch : touches) {
        CHECK(std::isfinite(touch.gap));
        CHECK(vector(touch.position).allFinite());
        CHECK(vector(touch.normal).norm() == Approx(1));
    }
}

}  // namespace

TEST_CASE("pairs that can collide have touches, others have none") {
    Random random(21);
    for_all_pairs([&](ShapeKind a, ShapeKind b) {
        CHECK(can_collide(a, b) == can_collide(b, a));
        for (int i = 0; i < 20; ++i)
            CHECK((touches_of(random.shape(a, 0.5), random.shape(b, 0.5)).count > 0) == can_collide(a, b));
    });
}

TEST_CASE("the touches of (a, b) are those of (b, a), mirrored") {
    Random random(22);
    for_all_pairs([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < 200; ++i) {
            const Placed a = random.shape(first, 0.4), b = random.shape(second, 0.4);
            const Touches there = touches_of(a, b), back = touches_of(b, a);
            REQUIRE(there.count == back.count);
            for (const Touch& touch : there) {
                const bool found = std::any_of(back.begin(), back.end(), [&](const Touch& other) {
                    return std::abs(touch.gap - other.gap) < 1e-12 &&
                           (vector(touch.normal) + vector(other.normal)).norm() < 1e-9 &&
                           (vector(touch.position) - vector(other.position)).norm() < 1e-9;
                });
                CHECK(found);
            }
        }
    });
}

TEST_CASE("touches move with the bodies") {
    Random random(23);
    for_all_pairs([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < 200; ++i) {
            const Placed a = random.shape(first, 0.4), b = random.shape(second, 0.4);
            const Eigen::Matrix3d R = random.rotation();
            const Vector by = random.inside(2);
            const Touches here = touches_of(a, b), there = touches_of(moved(a, R, by), moved(b, R, by));
            REQUIRE(here.features() == there.features());
            for (std::size_t j = 0; j < static_cast<std::size_t>(here.count); ++j) {
                const Touch &x = here.all[j], &y = there.all[j];
                CHECK(x.gap == Approx(y.gap).margin(1e-12));
                CHECK((R * vector(x.normal) - vector(y.normal)).norm() < 1e-9);
                CHECK((R * vector(x.position) + by - vector(y.position)).norm() < 1e-9);
            }
        }
    });
}

TEST_CASE("a body moves at least as far as its deepest gap changes") {
    Random random(24);
    constexpr int steps = 400;
    const HeightField field = [&] {
        HeightField ground = random_field(random, 30, 30, 0.3);
        ground.spacing_x = ground.spacing_y = 0.2;
        ground.origin = {-3, -3, -0.2};
        return ground;
    }();
    const auto walk = [&](Placed a, const auto& other) {
        const Vector by = random.inside(0.002), axis = random.direction();
        const double angle = random.between(0, 0.01), most = by.norm() + angle * bounding_radius(a);
        const Eigen::Matrix3d turn = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
        double before = touches_of(a, other).deepest().gap;
        for (int i = 0; i < steps; ++i) {
            a.position = vector3(vector(a.position) + by);
            a.rotation = matrix3(turn * matrix(a.rotation));
            const double now = touches_of(a, other).deepest().gap;
            INFO(static_cast<int>(a.kind)
                 << " " << i << " " << vector(a.position).transpose() << " " << before);
            CHECK(std::abs(now - before) <= most + 1e-12);
            before = now;
        }
    };
    for_all_pairs([&](ShapeKind first, ShapeKind second) {
        if (!can_collide(first, second) || first == ShapeKind::plane) return;
        for (int i = 0; i < 10; ++i) {
            const Placed a = random.shape(first, 0.4), b = random.shape(second, 0.4);
            walk(a, b);
        }
    });
    for (int i = 0; i < 20; ++i) {
        walk(random.shape(ShapeKind::sphere, 0.4), field);
        walk(random.shape(ShapeKind::capsule, 0.4), field);
        walk(random.shape(ShapeKind::box, 0.4), field);
    }
}

TEST_CASE("bodies whose centres, axes or faces coincide touch along an axis of the second") {
    const Placed ball{ShapeKind::sphere, {0.1, 0, 0}, {1, 2, 3}};
    CHECK(vector(touches_of(ball, ball).deepest().normal) == Vector::UnitX());
    CHECK(touches_of(ball, ball).deepest().gap == Approx(-0.2));
    const Placed rod{ShapeKind::capsule, {0.1, 0.4, 0}, {1, 2, 3}};
    for (const Touch& touch : touches_of(rod, rod)) {
        CHECK(vector(touch.normal) == Vector::UnitX());
        CHECK(touch.gap == Approx(-0.2));
    }
    CHECK(touches_of(rod, rod).count >= 2);
    Placed crossing = rod;
    crossing.rotation = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    CHECK(vector(touches_of(crossing, rod).deepest().normal).cwiseAbs() == Vector::UnitY());
    const Placed cube{ShapeKind::box, {0.4, 0.4, 0.4}, {1, 2, 3}};
    CHECK(vector(touches_of(ball, cube).deepest().normal) == Vector::UnitX());
    CHECK(touches_of(ball, cube).deepest().gap == Approx(-0.3));
}

TEST_CASE("no sizes and no places give NaN") {
    Random random(25);
    for_all_pairs([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < 500; ++i) {
            const Placed a = random.hostile_shape(first), b = random.hostile_shape(second);
            check_finite(touches_of(a, b, random.between(0, 1) < 0.5 ? everything : 1e99));
            check_finite(touches_of(a, a));
        }
    });
    for (const ShapeKind kind : solids)
        for (int i = 0; i < 500; ++i) {
            HeightField field = random_field(random, 4, 3, random.hostile_size());
            field.spacing_x = std::max(random.hostile_size(), 1e-13);
            field.heights[5] = random.hostile_place();
            check_finite(touches_of(random.hostile_shape(kind), field));
        }
}
