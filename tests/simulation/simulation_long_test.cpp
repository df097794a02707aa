#include <array>
#include <map>

#include "simulation/simulation_fixture.hpp"
#include "support/sample_size.hpp"

// Tests that take minutes: many robots fall many times, at every step size.

using namespace simulation_test;

namespace {

grbda::HeightField hills(double lowest) {
    constexpr int side = 41;
    grbda::HeightField field;
    field.rows = field.columns = side;
    field.spacing_x = field.spacing_y = 0.25;
    field.origin = {-5, -5, 0};
    for (int row = 0; row < side; ++row)
        for (int column = 0; column < side; ++column)
            field.heights.push_back(lowest - 0.15 + 0.15 * std::sin(0.9 * row) * std::cos(0.7 * column));
    return field;
}

/// Rise of energy above the lowest that it had, less what repair added since, over the largest kinetic
/// energy, until a status that is not ok or the end.
struct Fall {
    double rise = 0;
    grbda::Status status = grbda::Status::ok;
};

Fall fall(Simulator& simulator, double time) {
    Fall result;
    double lowest = simulator.energies().sum(), highest_kinetic = 1e-9, repair = 0, rise = 0;
    while (simulator.time() < time) {
        const grbda::StepOutcome outcome = simulator.step();
        result.status = outcome.result.status;
        if (!outcome.result.ok()) break;
        repair += outcome.energy.repair;
        const grbda::Energies energies = simulator.energies();
        rise = std::max(rise, energies.sum() - repair - lowest);
        lowest = std::min(lowest, energies.sum() - repair);
        highest_kinetic = std::max(highest_kinetic, energies.kinetic);
    }
    result.rise = rise / highest_kinetic;
    return result;
}

}  // namespace

TEST_CASE("random mechanisms that fall on a plane or on hills gain no energy, at any step", "[.long]") {
    std::map<grbda::Status, int> ends;
    int index = 0;
    for (const Robot& robot : mechanisms().robots) {
        SimulatorOptions options;
        const std::array steps{5e-3, 2e-3, 1e-3, 5e-4, 1e-4};
        options.step = steps[static_cast<std::size_t>(index) % steps.size()];
        options.passive = false;
        const Model model = tangible(robot.model);
        const double below = lowest_origin(model, grbda::neutral_configuration(model)) - 0.1;
        const Ground ground = index++ % 2 == 0 ? Ground(Plane{{0, 0, 1}, below}) : Ground(hills(below));
        Simulator simulator(model, options, ground);
        const Fall found = fall(simulator, 0.4);
        INFO(robot.name << ", step " << options.step << ", " << to_string(found.status));
        CHECK(found.rise < 1e-3);
        ++ends[found.status];
    }
    for (const auto& [status, count] : ends) WARN(to_string(status) << ": " << count);
    CHECK(20 * ends[grbda::Status::ok] >= 19 * index);
}

/// A random state; where random configurations do not close, one on a walk from the assembled one.
bool state_to_drop(const Model& model, Random& random, State& state) {
    if (random_state(model, random, state)) return true;
    Workspace<double> data(model);
    state.q = grbda::neutral_configuration(model);
    state.yd = random_vector(random, model.nv, 1);
    bool moved = false;
    for (int step = 0; step < 20; ++step) {
        Eigen::VectorXd next(model.nq);
        if (!grbda::integrate<double>(model, data, state.q, random_vector(random, model.nv, 0.02), next).ok())
            continue;
        state.q = next;
        moved = true;
    }
    return moved;
}

TEST_CASE("robots with loops are dropped a hundred thousand times", "[.long]") {
    constexpr int drops = 10000, steps = 40;
    std::map<grbda::Status, int> ends;
    for (const char* name : {"digit_leg", "cassie_like", "kangaroo_leg", "tello", "mit_humanoid"})
        for (const double step : {1e-3, 5e-3}) {
            int begun = 0;
            const Model model = tangible(named(name).model);
            SimulatorOptions options;
            options.step = step;
            Random random(sample_size::first_seed(29));
            Simulator simulator(model, options, Plane{{0, 0, 1}, -0.3});
            for (int drop = 0; drop < drops; ++drop) {
                State state;
                if (!state_to_drop(model, random, state)) continue;
                Workspace<double> data(model);
                if (!grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok()) continue;
                if (!simulator.set_state(state.q, data.qd).ok()) continue;
                ++begun;
                grbda::Status status = grbda::Status::ok;
                for (int i = 0; i < steps && status == grbda::Status::ok; ++i)
                    status = simulator.step().result.status;
                INFO(name << ", step " << step << ", drop " << drop << ", " << to_string(status));
                REQUIRE((simulator.q().allFinite() && simulator.velocity().allFinite()));
                ++ends[status];
            }
            INFO(name << ", step " << step);
            CHECK(begun >= drops * 9 / 10);
        }
    for (const auto& [status, count] : ends) WARN(to_string(status) << ": " << count);
}

TEST_CASE("momentum in free flight is kept over a hundred thousand steps", "[.long]") {
    for (const char* name : {"mini_cheetah", "tello"}) {
        INFO(name);
        const Model model = grbda::with_gravity(named(name).model, {0, 0, 0});
        Random random(sample_size::first_seed(7));
        State state;
        REQUIRE(random_state(model, random, state));
        SimulatorOptions options;
        options.passive = false;
        Simulator simulator(model, options);
        Workspace<double> data(model);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
        REQUIRE(simulator.set_state(state.q, data.qd).ok());
        const auto before = momentum(simulator);
        run(simulator, 100000);
        CHECK((momentum(simulator) - before).norm() < 1e-10 * before.norm());
    }
}
