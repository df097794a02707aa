#include <algorithm>
#include <iterator>
#include <memory>
#include <set>

#include "grbda/io/hulls.hpp"
#include "simulation/simulation_fixture.hpp"

// Bodies whose shapes are meshes, which collide by their convex hulls.

using namespace simulation_test;

namespace {

constexpr double kSize = 0.1;

std::vector<Vector3d> cube_corners(double size) {
    std::vector<Vector3d> corners;
    for (int i = 0; i < 8; ++i)
        corners.emplace_back(size * Vector3d((i & 1) - 0.5, (i >> 1 & 1) - 0.5, (i >> 2) - 0.5));
    return corners;
}

/// Points of a grid on the surface of a cube.
std::vector<Vector3d> cube_grid(double size) {
    std::vector<Vector3d> points;
    for (int i = 0; i <= 6; ++i)
        for (int j = 0; j <= 6; ++j)
            for (int k = 0; k <= 6; ++k)
                if (i % 6 == 0 || j % 6 == 0 || k % 6 == 0)
                    points.emplace_back(size * (Vector3d(i, j, k) / 6 - Vector3d::Constant(0.5)));
    return points;
}

std::vector<Vector3d> can_corners(int sides, double radius, double height) {
    std::vector<Vector3d> corners;
    for (int i = 0; i < 2 * sides; ++i) {
        const double angle = 2 * M_PI * (i / 2) / sides;
        corners.emplace_back(radius * std::cos(angle), radius * std::sin(angle), (i % 2 - 0.5) * height);
    }
    return corners;
}

void add_hull(Model& model, int body, const std::vector<Vector3d>& points) {
    std::string found;
    auto hull = grbda::convex_hull(points, found);
    REQUIRE(hull);
    add_shape(model, body, ShapeKind::mesh, {1, 1, 1});
    model.shapes.back().shape.hull = std::make_shared<const grbda::ConvexHull>(*std::move(hull));
}

Model mesh_cube(const std::vector<Vector3d>& points) {
    Model model = free_bodies({1}, kSize);
    add_hull(model, 0, points);
    return model;
}

/// Thrown with a spin about the vertical and a slip, so that it lands flat.
VectorXd thrown() {
    VectorXd qd = VectorXd::Zero(6);
    qd << 0, 0, 1, 0.5, -0.3, 0;
    return qd;
}

/// Returns the rise of total energy above its lowest value, less what repair adds, over the kinetic energy.
double rise_of_energy(Simulator& simulator, int steps) {
    double lowest = simulator.energies().sum(), highest_kinetic = 0, repair = 0, rise = 0;
    for (int i = 0; i < steps; ++i) {
        const grbda::StepOutcome outcome = simulator.step();
        REQUIRE(outcome.result.ok());
        repair += outcome.energy.repair;
        const grbda::Energies energies = simulator.energies();
        rise = std::max(rise, energies.sum() - repair - lowest);
        lowest = std::min(lowest, energies.sum() - repair);
        highest_kinetic = std::max(highest_kinetic, energies.kinetic);
    }
    return rise / highest_kinetic;
}

grbda::HeightField flat_field() {
    grbda::HeightField field;
    field.columns = field.rows = 21;
    field.spacing_x = field.spacing_y = 0.25;
    field.origin = {-2.5, -2.5, 0};
    field.heights.assign(21 * 21, 0);
    return field;
}

}  // namespace

TEST_CASE("a mesh of a cube falls, slides and comes to rest as the box") {
    const Model box = cube(1, kSize);
    for (const auto& points : {cube_corners(kSize), cube_grid(kSize)})
        for (const bool is_plane : {true, false}) {
            const Ground ground = is_plane ? Ground(Plane{}) : Ground(flat_field());
            const Model mesh = mesh_cube(points);
            Simulator first(box, {}, ground), second(mesh, {}, ground);
            for (Simulator* simulator : {&first, &second}) {
                REQUIRE(simulator->set_state(pose({0, 0, 0.2}), thrown()).ok());
                run(*simulator, 2000);
            }
            INFO(first.q().transpose() << "\n" << second.q().transpose());
            CHECK((first.q() - second.q()).norm() < 1e-4);
            CHECK(second.velocity().norm() < 1e-6);
            CHECK(second.contacts().size() == 4);
            CHECK(total_impulse(second) == Approx(kGravity * 1e-3).epsilon(1e-3));
        }
}

TEST_CASE("a mesh without a hull falls through the ground") {
    Model model = mesh_cube(cube_corners(kSize));
    model.shapes.back().shape.hull = nullptr;
    Simulator simulator(model, {}, Plane{});
    REQUIRE(simulator.set_state(pose({0, 0, 0.2}), VectorXd::Zero(6)).ok());
    run(simulator, 1000);
    CHECK(simulator.q()[2] < -1);
}

TEST_CASE("hulls that tumble on the ground gain no energy, and come to rest unless they roll") {
    const std::vector<Vector3d> wedge = {
        {-0.1, -0.05, 0}, {0.12, -0.06, 0}, {0, 0.1, 0}, {0, 0, 0.12}, {0.03, 0.03, 0.1}};
    for (const auto& points :
         {cube_corners(kSize), wedge, can_corners(24, 0.06, 0.1), can_corners(6, 0.05, 0.2)})
        for (const double step : {2e-3, 1e-3, 5e-4}) {
            INFO(points.size() << " points, step " << step);
            const Model model = mesh_cube(points);
            SimulatorOptions options;
            options.step = step;
            options.friction = 0.6;
            Simulator simulator(model, options, Plane{});
            VectorXd qd = VectorXd::Zero(6);
            qd << 3, -2, 1, 0.6, 0.4, 0;
            REQUIRE(
                simulator.set_state(pose({0, 0, 0.3}, Eigen::Vector4d(0.3, 0.4, 0.1, 0.86).normalized()), qd)
                    .ok());
            CHECK(rise_of_energy(simulator, static_cast<int>(4 / step)) < 1e-3);
            if (points.size() < 48) CHECK(simulator.velocity().norm() < 0.02);
        }
}

TEST_CASE("a stack of meshes stands by searched pairs") {
    Model model = free_bodies({1, 1, 1}, kSize);
    VectorXd q(21);
    for (int i = 0; i < 3; ++i) {
        add_hull(model, i, i == 1 ? cube_corners(kSize) : can_corners(12, kSize / 2, kSize));
        q.segment(7 * i, 7) = pose({0.01 * i, 0, kSize * (0.5 + i)});
    }
    SimulatorOptions options;
    options.self_collision = true;
    options.other_pairs = &grbda::collide_convex;
    Simulator simulator(model, options, Plane{});
    REQUIRE(simulator.set_state(q, VectorXd::Zero(18)).ok());
    run(simulator, 500);
    CHECK((simulator.q() - q).norm() < 2e-3);
    CHECK(simulator.velocity().norm() < 1e-3);
}

TEST_CASE("contacts of many vertices and shapes have ids of their own, which they keep") {
    Model model = free_bodies({1, 1}, kSize);
    VectorXd q(14);
    for (int i = 0; i < 2; ++i) {
        add_hull(model, i, can_corners(200, kSize, kSize));
        q.segment(7 * i, 7) = pose({0.5 * i, 0, kSize / 2});
    }
    Simulator simulator(model, {}, Plane{});
    REQUIRE(simulator.set_state(q, VectorXd::Zero(12)).ok());
    const auto ids = [&] {
        run(simulator, 100);
        std::set<std::uint64_t> result;
        for (const grbda::ContactState& contact : simulator.contacts()) result.insert(contact.id);
        CHECK(result.size() == simulator.contacts().size());
        return result;
    };
    const std::set<std::uint64_t> first = ids();
    const std::set<std::uint64_t> second = ids();
    CHECK(first.size() >= 16);
    CHECK(first == second);
}

TEST_CASE("rays of simulators meet hulls, which live as long as the simulators") {
    std::unique_ptr<grbda::BatchSimulator> batch;
    {
        Model model = mesh_cube(cube_corners(kSize));
        batch = std::make_unique<grbda::BatchSimulator>(model, 1, SimulatorOptions{}, Plane{{0, 0, 1}, -1});
    }
    const grbda::Ray rays[] = {{{0, 0, 2}, {0, 0, -1}}, {{0.2, 0, 2}, {0, 0, -1}}};
    double hits[2];
    REQUIRE(batch->cast_rays(rays, hits, true).ok());
    CHECK(hits[0] == Approx(2 - kSize / 2));
    CHECK(hits[1] == Approx(3));
    REQUIRE(batch->cast_rays(rays, hits).ok());
    CHECK(hits[0] == Approx(3));
}
