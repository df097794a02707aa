#include "simulation/simulation_fixture.hpp"

// Ground that is replaced between steps.

using namespace simulation_test;
using grbda::BatchSimulator;

namespace {

grbda::HeightField flat_field(double height) {
    grbda::HeightField field;
    field.columns = field.rows = 3;
    field.spacing_x = field.spacing_y = 2;
    field.origin = {-2, -2, 0};
    field.heights.assign(9, height);
    return field;
}

}  // namespace

TEST_CASE("a body rests on ground that is replaced as on ground that it started from") {
    const Model model = cube(2, 0.2);
    for (const Ground& risen : {Ground(Plane{{0, 0, 1}, 0.05}), Ground(flat_field(0.05))}) {
        Simulator simulator(model, {}, Plane{});
        REQUIRE(simulator.set_state(pose({0, 0, 0.1}), VectorXd::Zero(6)).ok());
        run(simulator, 100);
        simulator.set_ground(risen);
        run(simulator, 1000);
        CHECK(simulator.q()[2] == Approx(0.15).margin(1e-3));
        CHECK(total_impulse(simulator) == Approx(2 * kGravity * 1e-3).epsilon(1e-6));
        simulator.set_ground(std::monostate{});
        run(simulator, 50);
        CHECK(simulator.contacts().empty());
        CHECK(simulator.velocity()[2] == Approx(-kGravity * 0.05).epsilon(1e-6));
    }
}

TEST_CASE("ground that is replaced for a batch is that of each simulation, to the bit") {
    const Model model = tangible(named("mini_cheetah").model);
    for (const bool own : {false, true}) {
        BatchSimulator batch(model, 2, {}, Plane{{0, 0, 1}, -0.26}, 2);
        SimulatorOptions options;
        if (own) {
            grbda::SimulationParameters slippery;
            slippery.friction = options.friction = 0.3;
            for (const int i : {0, 1}) batch.set_parameters(i, slippery);
        }
        Simulator alone(model, options, Plane{{0, 0, 1}, -0.26});
        REQUIRE(batch.step({}, 50).ok());
        run(alone, 50);
        batch.set_ground(flat_field(-0.28));
        alone.set_ground(flat_field(-0.28));
        REQUIRE(batch.step({}, 100).ok());
        run(alone, 100);
        CHECK(batch.q(0) == alone.q());
        CHECK(batch.q(1) == alone.q());
        CHECK_FALSE(alone.contacts().empty());
    }
}

TEST_CASE("ground that cannot be is refused and changes nothing") {
    const Model model = cube(2, 0.2);
    Simulator simulator(model, {}, Plane{});
    REQUIRE(simulator.set_state(pose({0, 0, 0.1}), VectorXd::Zero(6)).ok());
    CHECK_THROWS_AS(simulator.set_ground(Plane{{0, 0, 2}, 0}), std::invalid_argument);
    grbda::HeightField field = flat_field(0);
    field.heights.pop_back();
    CHECK_THROWS_AS(simulator.set_ground(field), std::invalid_argument);
    run(simulator, 100);
    CHECK(simulator.q()[2] == Approx(0.1).margin(1e-3));
    SimulatorOptions smooth;
    smooth.rule = StepRule::runge_kutta;
    Simulator flying(model, smooth);
    CHECK_THROWS_AS(flying.set_ground(Plane{}), std::invalid_argument);
}
