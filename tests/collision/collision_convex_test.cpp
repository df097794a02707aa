#include "collision/collision_fixture.hpp"
#include "grbda/collision/collide.hpp"

// Pairs of solids by search, beside what is known of them without one: closed forms, where a pair has one;
// that both ends of a gap are points of the bodies, and that the bodies lie on both sides of the planes
// there.

using namespace collision_test;

namespace {

constexpr double kGap = 1e-8;             ///< m: of bodies of some tenths
constexpr double kNearBy = 1e-4;          ///< m: on rims the root of the gap's
constexpr double kNearByAlways = 1.5e-4;  ///< m: in one of ten million poses

Touches searched(const Placed& a, const Placed& b, double margin = everything) {
    Touches found;
    found.count = collide_convex(a, b, margin, found.all);
    return found;
}

/// Pairs without a mesh first.
template <class Function>
void for_solids(const Function& function) {
    for (const bool has_mesh : {false, true})
        for (const ShapeKind a : solids)
            for (const ShapeKind b : solids)
                if ((a == ShapeKind::mesh || b == ShapeKind::mesh) == has_mesh) function(a, b);
}

bool is_searched(ShapeKind a, ShapeKind b) {
    const auto is_round = [](ShapeKind kind) {
        return kind == ShapeKind::sphere || kind == ShapeKind::capsule;
    };
    return !is_round(a) || !is_round(b);
}

/// Approximate distance of a point from a solid; zero on its surface.
double outside(const Placed& shape, const Vector& point) {
    const Vector p = matrix(shape.rotation).transpose() * (point - vector(shape.position)),
                 size = vector(shape.size);
    switch (shape.kind) {
        case ShapeKind::sphere: return p.norm() - size.x();
        case ShapeKind::capsule:
            return (p - Vector(0, 0, std::clamp(p.z(), -size.y() / 2, size.y() / 2))).norm() - size.x();
        case ShapeKind::cylinder:
            return std::max(p.head<2>().norm() - size.x(), std::abs(p.z()) - size.y() / 2);
        case ShapeKind::box: return (p.cwiseAbs() - size / 2).maxCoeff();
        case ShapeKind::ellipsoid: return (p.cwiseQuotient(size).norm() - 1) * size.minCoeff();
        case ShapeKind::mesh: return above_faces(*shape.hull, p);
        case ShapeKind::plane: break;
    }
    return 0;
}

Placed shifted(const Placed& shape, const Vector& by) {
    Placed result = shape;
    result.position = vector3(vector(shape.position) + by);
    return result;
}

/// Two solids with a gap between −0.1 and 0.1 m, or nearly none.
std::pair<Placed, Placed> pair_of(Random& random, ShapeKind first, ShapeKind second) {
    const Placed a = random.shape(first, 0.4), b = random.shape(second, 0.4);
    const Touch touch = searched(a, b).deepest();
    const double gaps[] = {touch.gap, 0, 1e-7, -1e-7, 1e-3, -1e-3, random.between(-0.1, 0.1)};
    const double gap = gaps[static_cast<std::size_t>(random.between(0, 6.999))];
    return {shifted(a, vector(touch.normal) * (gap - touch.gap)), b};
}

Placed box(const Vector& size, const Vector& at, double turn = 0) {
    return {ShapeKind::box, vector3(size), vector3(at),
            matrix3(Eigen::AngleAxisd(turn, Vector::UnitZ()).toRotationMatrix())};
}

void check_ends(unsigned seed, int poses, double near_by) {
    Random random(seed);
    for_solids([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < poses; ++i) {
            const auto [a, b] = pair_of(random, first, second);
            const Touches touches = searched(a, b);
            REQUIRE(touches.count > 0);
            INFO("seed " << seed << ", " << static_cast<int>(first) << " " << static_cast<int>(second) << " "
                         << i);
            const Touch deepest = touches.deepest();
            CHECK(deepest.gap == Approx(gap_along(a, b, vector(deepest.normal))).margin(kGap));
            for (const Touch& touch : touches) {
                if (is_searched(first, second)) CHECK(vector(touch.normal) == vector(deepest.normal));
                const Vector half = vector(touch.normal) * (0.5 * touch.gap);
                CHECK(std::abs(outside(a, vector(touch.position) + half)) < near_by);
                CHECK(std::abs(outside(b, vector(touch.position) - half)) < near_by);
            }
        }
    });
}

}  // namespace

TEST_CASE("a search gives the results of the closed forms") {
    Random random(61);
    for_solids([&](ShapeKind first, ShapeKind second) {
        if (!can_collide(first, second)) return;
        for (int i = 0; i < 200; ++i) {
            const auto [a, b] = pair_of(random, first, second);
            const Touch known = touches_of(a, b).deepest(), found = searched(a, b).deepest();
            CHECK(found.gap == Approx(known.gap).margin(kGap));
            CHECK((vector(found.normal) - vector(known.normal)).norm() < 1e-4);
        }
    });
}

TEST_CASE("both ends of a gap are on the bodies, and these are on both sides of it") {
    for (unsigned seed = 62; seed < 20062; seed += 1000) check_ends(seed, 200, kNearBy);
}

TEST_CASE("both ends of a gap are on the bodies in very many poses", "[.long]") {
    for (unsigned seed = 0; seed < 20000; ++seed) check_ends(seed, 10, kNearByAlways);
}

TEST_CASE("no direction leads out sooner") {
    Random random(63);
    for_solids([&](ShapeKind first, ShapeKind second) {
        if (!is_searched(first, second)) return;
        for (int i = 0; i < 100; ++i) {
            const auto [a, b] = pair_of(random, first, second);
            const Touch touch = searched(a, b).deepest();
            const Vector n = vector(touch.normal);
            for (int k = 0; k < 100; ++k) {
                const Vector other = k % 2 == 0 ? random.direction()
                                                : (n + random.inside(std::pow(10, -k / 10.0))).normalized();
                CHECK(gap_along(a, b, other) <= touch.gap + kGap);
            }
        }
    });
}

TEST_CASE("no direction has a shorter separation of bodies whose centres and axes nearly coincide") {
    constexpr int poses = 12;
    Random random(69);
    for_solids([&](ShapeKind first, ShapeKind second) {
        if (!is_searched(first, second)) return;
        for (int i = 0; i < poses; ++i) {
            INFO(static_cast<int>(first) << " " << static_cast<int>(second) << " " << i);
            const Placed b = random.shape(second, 0.4);
            Placed a = random.shape(first, 0);
            const double turn = i % 3 == 0 ? 0 : random.between(0, 3), tilt = i % 3 == 2 ? 1e-3 : 0;
            a.rotation = matrix3(matrix(b.rotation) * Eigen::AngleAxisd(turn, Vector::UnitZ()) *
                                 Eigen::AngleAxisd(tilt, random.direction()));
            const double aside = i % 2 == 0 ? 0 : std::pow(10, random.between(-8, -2));
            a.position =
                vector3(in_world(b, random.inside(aside) + Vector::UnitZ() * random.between(0, 0.01)));
            const Touch touch = searched(a, b).deepest();
            CHECK(touch.gap == Approx(gap_along(a, b, vector(touch.normal))).margin(kGap));
            CHECK(touch.gap >= widest_gap(a, b) - kGap);
            const Vector half = vector(touch.normal) * (0.5 * touch.gap);
            CHECK(std::abs(outside(a, vector(touch.position) + half)) < 1e-3);
            CHECK(std::abs(outside(b, vector(touch.position) - half)) < 1e-3);
        }
    });
}

TEST_CASE("a body that is moved by its gap just touches") {
    Random random(64);
    for_solids([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < 100; ++i) {
            const auto [a, b] = pair_of(random, first, second);
            const Touch touch = searched(a, b).deepest();
            const Placed there = shifted(a, vector(touch.normal) * -touch.gap);
            CHECK(std::abs(searched(there, b).deepest().gap) < kGap);
            CHECK(searched(shifted(there, vector(touch.normal) * 0.01), b, 0.009).count == 0);
        }
    });
}

TEST_CASE("searched gaps are those of (b, a), and move with the bodies") {
    Random random(65);
    for_solids([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < 100; ++i) {
            const auto [a, b] = pair_of(random, first, second);
            const Touch there = searched(a, b).deepest(), back = searched(b, a).deepest();
            CHECK(there.gap == Approx(back.gap).margin(kGap));
            if (is_searched(first, second)) CHECK(vector(there.normal) == -vector(back.normal));
            const Eigen::Matrix3d R = random.rotation();
            const auto turned = [&](const Placed& shape) {
                Placed result = shape;
                result.position = vector3(R * vector(shape.position));
                result.rotation = matrix3(R * matrix(shape.rotation));
                return result;
            };
            CHECK(there.gap == Approx(searched(turned(a), turned(b)).deepest().gap).margin(kGap));
        }
    });
}

TEST_CASE("a body moves at least as far as its searched gap changes") {
    Random random(66);
    for_solids([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < 4; ++i) {
            Placed a = random.shape(first, 0.4);
            const Placed b = random.shape(second, 0.4);
            const Vector by = random.inside(0.002), axis = random.direction();
            const double angle = random.between(0, 0.01), most = by.norm() + angle * bounding_radius(a);
            const Eigen::Matrix3d turn = Eigen::AngleAxisd(angle, axis).toRotationMatrix();
            double before = searched(a, b).deepest().gap;
            for (int k = 0; k < 200; ++k) {
                a = shifted(a, by);
                a.rotation = matrix3(turn * matrix(a.rotation));
                const double now = searched(a, b).deepest().gap;
                CHECK(std::abs(now - before) <= most + 2 * kGap);
                before = now;
            }
        }
    });
}

TEST_CASE("touching faces have touches at the corners of their common part") {
    const Placed table = box({1, 1, 0.2}, {0, 0, -0.1});
    const auto corners = [](const Touches& touches, double x, double y) {
        for (const Touch& touch : touches) {
            CHECK(std::abs(touch.position.x) == Approx(x));
            CHECK(std::abs(touch.position.y) == Approx(y));
            CHECK(std::abs(touch.normal.z) == Approx(1));
        }
        return touches.features();
    };
    using Features = std::vector<int>;
    CHECK(corners(searched(box({0.2, 0.4, 0.1}, {0, 0, 0.049}), table), 0.1, 0.2) == Features{0, 1, 2, 3});
    CHECK(corners(searched(table, box({0.2, 0.4, 0.1}, {0, 0, 0.049})), 0.1, 0.2) ==
          Features{15, 16, 17, 18});
    CHECK(corners(searched(box({3, 0.4, 0.1}, {0, 0, 0.051}), table), 0.5, 0.2).size() == 4);
    CHECK(corners(searched(box({0.2, 3, 0.1}, {0, 0, 0.05}), table), 0.1, 0.5).size() == 4);

    Placed can{ShapeKind::cylinder, {0.1, 0.4, 0}, {0, 0, 0.199}};
    CHECK(searched(can, table).features() == Features{0, 1, 2, 3});
    can.rotation = {{0, 0, 1}, {0, 1, 0}, {-1, 0, 0}};
    can.position = {0.1, 0, 0.1};
    const Touches lying = searched(can, table, 0.01);
    CHECK(lying.features() == Features{0, 1});
    for (const Touch& touch : lying) CHECK(std::abs(touch.position.x - 0.1) == Approx(0.2));
    Placed across = can;
    across.rotation = {{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};
    across.position = {0.1, 0, 0.3};
    const Touches crossed = searched(across, can, 0.01);
    REQUIRE(crossed.features() == Features{20});
    CHECK((vector(crossed.all[0].position) - Vector(0.1, 0, 0.2)).norm() < 1e-5);
}

TEST_CASE("features of touches stay while bodies move a little") {
    Random random(67);
    for (int i = 0; i < 100; ++i) {
        const Placed lower = box({1, 1, 0.2}, {0, 0, -0.1});
        const Vector at(random.between(-0.5, 0.5), random.between(-0.5, 0.5), 0.05);
        const double turn = random.between(0, 3);
        const Placed upper = box({0.3, 0.4, 0.1}, at, turn);
        Placed tilted = upper;
        tilted.rotation = matrix3(Eigen::AngleAxisd(1e-5, random.direction()) * matrix(upper.rotation));
        CHECK(searched(upper, lower, 0.001).features() == searched(tilted, lower, 0.001).features());
    }
}

TEST_CASE("no sizes and no places of searched pairs give NaN") {
    Random random(68);
    for_solids([&](ShapeKind first, ShapeKind second) {
        for (int i = 0; i < 300; ++i) {
            const Placed a = random.hostile_shape(first), b = random.hostile_shape(second);
            for (const Touches& touches : {searched(a, b), searched(a, b, 1e99), searched(a, a)})
                for (const Touch& touch : touches) {
                    CHECK(std::isfinite(touch.gap));
                    CHECK(vector(touch.position).allFinite());
                    CHECK(vector(touch.normal).norm() == Approx(1));
                }
        }
    });
    CHECK(searched(random.shape(ShapeKind::plane, 1), random.shape(ShapeKind::box, 1)).count == 0);
    CHECK(searched(random.shape(ShapeKind::box, 1), {ShapeKind::mesh, {1, 1, 1}, {}}).count == 0);
}
