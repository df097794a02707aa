#include <array>
#include <map>

#include "simulation/simulation_fixture.hpp"
#include "support/sample_size.hpp"

// Random mechanisms without controls, with shapes of every kind, on planes and on hills. No motion may gain
// energy, and only a singular configuration may end one.

using namespace simulation_test;

namespace {

double uniform(Random& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

/// With a shape of a random kind on every body.
Model with_random_shapes(Model model, Random& random) {
    constexpr std::array kinds{ShapeKind::sphere, ShapeKind::capsule, ShapeKind::box, ShapeKind::cylinder,
                               ShapeKind::ellipsoid};
    model.shapes.clear();
    for (int body = 0; body < model.body_count(); ++body) {
        if (model.bodies[body].rotor) continue;
        const Vector3d size(uniform(random, 0.02, 0.1), uniform(random, 0.02, 0.2),
                            uniform(random, 0.02, 0.1));
        add_shape(model, body, kinds[random() % kinds.size()], size, random_vector(random, 3, 0.1));
    }
    return model;
}

grbda::HeightField random_hills(Random& random, double highest) {
    constexpr int side = 81;
    grbda::HeightField field;
    field.rows = field.columns = side;
    field.spacing_x = field.spacing_y = 0.15;
    field.origin = {-6, -6, 0};
    for (int i = 0; i < side * side; ++i) field.heights.push_back(highest - uniform(random, 0, 0.08));
    return field;
}

bool is_singular(grbda::Status status) {
    return status == grbda::Status::singular_constraint || status == grbda::Status::singular_inertia;
}

/// One motion; counts how it ends.
void move(const Robot& robot, std::uint64_t seed, std::map<grbda::Status, int>& ends) {
    constexpr std::array steps{5e-3, 2e-3, 1e-3, 2.5e-4};
    constexpr double duration = 0.5, largest_rise = 1e-3;
    Random random(seed);
    const Model model = with_random_shapes(robot.model, random);
    SimulatorOptions options;
    options.step = steps[seed % steps.size()];
    options.contact = random() % 4 == 0 ? ContactModel::rigid : ContactModel::compliant;
    options.friction = uniform(random, 0, 1.2);
    State state;
    if (random() % 2 == 0 || !random_state(model, random, state)) {
        state.q = grbda::neutral_configuration(model);
        state.yd = random_vector(random, model.nv, 1);
    }
    Workspace<double> data(model);
    if (!grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok()) return;
    const double below = lowest_origin(model, state.q) - 0.3;
    const Ground ground =
        random() % 2 == 0 ? Ground(Plane{{0, 0, 1}, below}) : Ground(random_hills(random, below));
    Simulator simulator(model, options, ground);
    if (!simulator.set_state(state.q, data.qd).ok()) return;
    double explained = 0, rise = 0, highest_kinetic = 1e-9;
    double lowest = simulator.energies().kinetic + simulator.energies().gravity;
    grbda::Result result;
    while (simulator.time() < duration) {
        const grbda::StepOutcome outcome = simulator.step();
        result = outcome.result;
        if (!result.ok()) break;
        explained += outcome.energy.passive + outcome.energy.repair;
        const grbda::Energies energies = simulator.energies();
        const double energy = energies.kinetic + energies.gravity - explained;
        rise = std::max(rise, energy - lowest);
        lowest = std::min(lowest, energy);
        highest_kinetic = std::max(highest_kinetic, energies.kinetic);
    }
    INFO(robot.name << ", seed " << seed << ", step " << options.step << ", at " << simulator.time()
                    << " s: " << to_string(result.status) << ", residual " << result.residual);
    CHECK(rise < largest_rise * highest_kinetic);
    CHECK((result.ok() || is_singular(result.status)));
    ++ends[result.status];
}

void move_many(int motions) {
    const std::vector<Robot>& robots = mechanisms().robots;
    std::map<grbda::Status, int> ends;
    const std::uint64_t first = sample_size::first_seed(71);
    for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(motions); ++i)
        move(robots[i % robots.size()], first + i, ends);
    CHECK(10 * ends[grbda::Status::ok] >= 9 * motions);
}

}  // namespace

TEST_CASE("random passive motions gain no energy") { move_many(24); }

TEST_CASE("two hundred random passive motions gain no energy", "[.long]") { move_many(200); }
