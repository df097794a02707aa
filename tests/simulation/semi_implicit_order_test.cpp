#include <algorithm>

#include "simulation/simulation_fixture.hpp"

// Semi-implicit steps beside the adaptive rule: how the error depends on the step.

namespace {

using namespace simulation_test;

VectorXd end_of(const Model& model, SimulatorOptions options, const VectorXd& q, const VectorXd& qd,
                double time, long steps) {
    options.step = time / double(steps);
    options.limits = options.passive = false;
    Simulator simulator(model, options);
    REQUIRE(simulator.set_state(q, qd).ok());
    for (long i = 0; i < steps; ++i) REQUIRE(simulator.step().result.ok());
    return simulator.q();
}

}  // namespace

TEST_CASE("the error of semi-implicit steps is proportional to the step, also where bodies turn fast") {
    for (const char* name : {"ur10e", "double_pendulum", "tello", "mit_humanoid", "four_bar"})
        for (const double speed : {0., 1.}) {
            INFO(name << " from " << speed << " rad/s");
            constexpr double time = 0.5;
            const Model& model = named(name).model;
            Workspace<double> data(model);
            const VectorXd q = grbda::neutral_configuration(model);
            REQUIRE(
                grbda::spanning_velocity<double>(model, data, q, VectorXd::Constant(model.nv, speed)).ok());
            const VectorXd qd = data.qd;
            SimulatorOptions exact;
            exact.rule = StepRule::adaptive;
            exact.tolerance = 1e-11;
            const VectorXd end = end_of(model, exact, q, qd, time, 10);
            double before = 0;
            for (const int steps : {100, 140, 200, 300, 400, 560, 800, 1200, 1700, 2500, 3500, 5000}) {
                const double error =
                    (end_of(model, {}, q, qd, time, steps) - end).cwiseAbs().maxCoeff() * steps;
                INFO(steps << " steps: " << error / steps);
                if (before > 1e-9 * steps) {
                    CHECK(error < 1.1 * before);
                    CHECK(error > 0.8 * before);
                }
                before = error;
            }
        }
}
