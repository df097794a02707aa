#include "collision/collision_fixture.hpp"

// Pairs of shapes, against slow searches.

using namespace collision_test;

namespace {

constexpr double tolerance = 1e-7;  ///< m: of the searches
constexpr int poses = 1000;

/// From the nearest of two cores; one is a point or an axis.
double search_distance(const Placed& a, const Placed& b) {
    const auto from = [&](double t) {
        const Vector point = core(a, {0, 0, t});
        if (b.kind != ShapeKind::capsule) return distance_to_core(b, point);
        return ternary_search([&](double s) { return (core(b, {0, 0, s}) - point).norm(); });
    };
    return a.kind == ShapeKind::sphere ? from(0) : ternary_search(from);
}

double search_gap(const Placed& a, const Placed& b) { return search_distance(a, b) - skin(a) - skin(b); }

/// From a point inside to the surface.
double depth_in(const Placed& solid, const Vector& point) {
    double best = everything;
    const auto surface = [&](const auto& place) {
        for (const double start : {-0.5, 0.5})
            best = std::min(best, compass_search(
                                      [&](const std::array<double, 2>& x) {
                                          return (core(solid, place(x)) - point).norm();
                                      },
                                      std::array<double, 2>{start, 0}));
    };
    for (const double side : {-1.0, 1.0}) {
        surface([&](const std::array<double, 2>& x) { return Cube{x[0], x[1], side}; });
        surface([&](const std::array<double, 2>& x) { return Cube{x[0], side, x[1]}; });
        surface([&](const std::array<double, 2>& x) { return Cube{side, x[0], x[1]}; });
    }
    return best;
}

/// Each end of a gap is as far from its body's core as its surface is.
void check_ends(const Placed& a, const Placed& b, const Touch& touch) {
    const Vector n = vector(touch.normal), half = n * (touch.gap / 2), p = vector(touch.position);
    CHECK(n.norm() == Approx(1));
    check_foot(a, p + half, n);
    check_foot(b, p - half, -n);
}

}  // namespace

TEST_CASE("the deepest touch of a pair of shapes is where they are nearest") {
    Random random(11);
    const std::pair<ShapeKind, ShapeKind> pairs[] = {
        {ShapeKind::sphere, ShapeKind::sphere},   {ShapeKind::sphere, ShapeKind::capsule},
        {ShapeKind::sphere, ShapeKind::cylinder}, {ShapeKind::sphere, ShapeKind::box},
        {ShapeKind::capsule, ShapeKind::capsule}, {ShapeKind::capsule, ShapeKind::box}};
    for (const auto& [first, second] : pairs) {
        INFO(static_cast<int>(first) << " " << static_cast<int>(second));
        REQUIRE(can_collide(first, second));
        int apart = 0;
        const int count = first == ShapeKind::capsule ? poses / 4 : poses;
        for (int i = 0; i < count; ++i) {
            const Placed a = random.shape(first, 0.4), b = random.shape(second, 0.4);
            const double gap = search_gap(a, b);
            const Touches touches = touches_of(a, b);
            REQUIRE(touches.count > 0);
            if (gap + skin(a) + skin(b) < 1e-6) continue;  // one is in the core of the other
            ++apart;
            CHECK(touches.deepest().gap == Approx(gap).margin(tolerance));
            for (const Touch& touch : touches) check_ends(a, b, touch);
            CHECK(touches_of(a, b, gap - 1e-6).count == 0);
        }
        CHECK(apart > count / 2);
    }
}

TEST_CASE("a sphere whose centre is in a box or a cylinder leaves through the nearest face") {
    Random random(12);
    for (const ShapeKind kind : {ShapeKind::box, ShapeKind::cylinder})
        for (int i = 0; i < poses; ++i) {
            const Placed solid = random.shape(kind, 0.4);
            Placed sphere = random.shape(ShapeKind::sphere, 0);
            const Vector centre =
                core(solid, {random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)});
            sphere.position = vector3(centre);
            const Touch touch = touches_of(sphere, solid).deepest();
            CHECK(touch.gap == Approx(-depth_in(solid, centre) - sphere.size.x).margin(tolerance));
            const Vector foot = vector(touch.position) - vector(touch.normal) * (touch.gap / 2);
            CHECK(depth_in(solid, foot) < tolerance);
        }
}

TEST_CASE("the depth of a capsule whose axis passes through a box is the displacement that frees its axis") {
    Random random(13);
    int through = 0;
    for (int i = 0; i < poses; ++i) {
        const Placed capsule = random.shape(ShapeKind::capsule, 0.2), box = random.shape(ShapeKind::box, 0.2);
        if (search_distance(capsule, box) > 1e-9) continue;
        ++through;
        const Touches touches = touches_of(capsule, box);
        REQUIRE(touches.count > 0);
        const Touch deepest = touches.deepest();
        double lowest = everything;
        for (int j = 0; j <= 1000; ++j)
            lowest = std::min(lowest, level(box, core(capsule, {0, 0, -1 + 0.002 * j})));
        CHECK(deepest.gap <= lowest - capsule.size.x + 1e-12);
        CHECK(deepest.gap == Approx(widest_gap(capsule, box)).margin(tolerance));
        for (const Touch& touch : touches) check_ends(capsule, box, touch);
        Placed moved = capsule;
        const double way = -deepest.gap - capsule.size.x + 1e-9;
        moved.position = vector3(vector(capsule.position) + vector(deepest.normal) * way);
        CHECK(search_distance(moved, box) > 1e-10);
    }
    CHECK(through > poses / 20);
}

TEST_CASE("a capsule that lies along another, or on a box, touches it at both ends") {
    Random random(14);
    for (int i = 0; i < poses; ++i) {
        Placed below = random.shape(ShapeKind::capsule, 0.5), above = below;
        const Eigen::Matrix3d R = matrix(below.rotation);
        above.size = {random.between(0.1, 0.5), random.between(0.1, 0.5), 0};
        const double shift = random.between(-0.9, 0.9) * (above.size.y + below.size.y) / 2;
        const double radii = above.size.x + below.size.x;
        above.position = vector3(vector(below.position) + R * Vector(radii, 0, shift));
        above.rotation = matrix3(R * Eigen::AngleAxisd(1e-9, random.direction()).toRotationMatrix());
        const double first = std::max(-below.size.y / 2, shift - above.size.y / 2),
                     last = std::min(below.size.y / 2, shift + above.size.y / 2);
        const auto check = [&](const Touches& touches, const Eigen::Matrix3d& axes, const Placed& about) {
            double lower = everything, upper = -everything;
            for (const Touch& touch : touches) {
                const Vector place = axes.transpose() * (vector(touch.position) - vector(about.position));
                lower = std::min(lower, place.z());
                upper = std::max(upper, place.z());
                CHECK(touch.gap == Approx(0).margin(1e-8));
                CHECK((vector(touch.normal) - axes.col(0)).norm() < 1e-7);
            }
            CHECK(lower == Approx(first).margin(1e-7));
            CHECK(upper == Approx(last).margin(1e-7));
        };
        check(touches_of(above, below, 1e-6), R, below);

        Placed box = below;
        box.kind = ShapeKind::box;
        box.size = {2 * below.size.x, random.between(0.1, 0.5), below.size.y};
        const Touches on_box = touches_of(above, box, 1e-6);
        CHECK(on_box.features() == std::vector<int>{0, 1});
        check(on_box, R, box);
    }
}
