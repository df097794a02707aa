#include <cmath>
#include <optional>

#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/crba.hpp"
#include "kinematics/configuration.hpp"
#include "grbda/simulation/simulator.hpp"
#include "simulation/integrator/dormand_prince.hpp"
#include "support/robots.hpp"

// Rules for smooth motion: their orders, what they keep, and the one against the other.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Controls;
using grbda::Model;
using grbda::Simulator;
using grbda::SimulatorOptions;
using grbda::StepRule;
using grbda::Workspace;

/// A start with every joint moving, and forces on all of them.
struct Start {
    VectorXd q, qd;
    std::vector<double> tau_s;
};

/// Slow enough that a step of some milliseconds is a small part of the motion.
Start start_of(const Model& model, const State& state, Random& random) {
    Workspace<double> data(model);
    REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
    Start start{state.q, data.qd, {}};
    const double fastest = data.qd.cwiseAbs().maxCoeff();
    if (fastest > 1) start.qd /= fastest;
    // what accelerates all coordinates alike: other forces spin a thin rod about itself within a step
    MatrixXd M(model.nv, model.nv);
    REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
    VectorXd tau_s(model.nv_tree);
    grbda::spanning_force<double>(model, data, M * random_vector(random, model.nv), tau_s);
    start.tau_s.assign(tau_s.data(), tau_s.data() + tau_s.size());
    return start;
}

struct End {
    VectorXd q, qd;
};

/// After `time` seconds; none: a step failed, as near a singularity it may.
std::optional<End> end_of(const Model& model, const Start& start, SimulatorOptions options, StepRule rule,
                          double time, int steps) {
    options.rule = rule;
    options.step = time / steps;
    options.limits = false;
    Simulator simulator(model, options);
    if (!simulator.set_state(start.q, start.qd).ok()) return {};
    Controls controls;
    controls.tau_s = start.tau_s;
    for (int i = 0; i < steps; ++i)
        if (!simulator.step(controls).result.ok()) return {};
    return End{simulator.q(), simulator.velocity()};
}

/// Distance of two states in the metric of the mass matrix, over the speed in it: the spin of a thin rod
/// about itself counts as little as it weighs.
double distance(const Model& model, const End& a, const End& b) {
    Workspace<double> data(model);
    VectorXd way(model.nv), change(model.nv), speed(model.nv);
    MatrixXd M(model.nv, model.nv);
    const auto both = [&] {
        return grbda::choose_coordinates<double>(model, data, b.q, grbda::Marks::ignored).ok() &&
               grbda::difference<double>(model, data, b.q, a.q, way).ok() &&
               grbda::crba<double>(model, data, b.q, M).ok();
    };
    REQUIRE(both());
    grbda::independent_part<double>(model, data, a.qd - b.qd, change);
    grbda::independent_part<double>(model, data, b.qd, speed);
    return std::sqrt((way.dot(M * way) + change.dot(M * change)) / speed.dot(M * speed));
}

/// No dry friction, which only one rule has; dampers on all joints of one coordinate, springs where they are.
SimulatorOptions damped(const Model& model) {
    SimulatorOptions options;
    options.servo_damping.assign(static_cast<std::size_t>(model.nv_tree), 0);
    for (const grbda::Body& body : model.bodies)
        if (velocity_size(body.joint) == 1) options.servo_damping[body.v] = 1e-6;
    return options;
}

Model without_dry_friction(Model model) {
    for (double& x : model.passive.friction) x = 0;
    for (grbda::Tendon& tendon : model.passive.tendons) tendon.friction = 0;
    return model;
}

/// Lets all robots fall without passive forces and limits, in steps of 0.05 s.
void check_energy_of_falls(int count) {
    int whole = 0;
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        SimulatorOptions options;
        options.rule = StepRule::adaptive;
        options.step = 0.05;
        options.limits = options.passive = false;
        Simulator simulator(model, options);
        Workspace<double> data(model);
        const VectorXd q = grbda::neutral_configuration(model);
        const VectorXd yd = VectorXd::Constant(model.nv, 0.3);
        REQUIRE(grbda::spanning_velocity<double>(model, data, q, yd).ok());
        REQUIRE(simulator.set_state(q, data.qd).ok());
        const double start = simulator.energies().sum();
        double largest = simulator.energies().kinetic, deviation = 0;
        int steps = 0;
        for (; steps < count; ++steps) {
            const grbda::Result result = simulator.step().result;
            if (!result.ok()) {  // some mechanisms fall into a singular configuration
                CHECK(result.status == grbda::Status::singular_constraint);
                break;
            }
            largest = std::max(largest, simulator.energies().kinetic);
            deviation = std::max(deviation, std::abs(simulator.energies().sum() - start));
            CHECK(grbda::closure_residual<double>(model, data, simulator.q()).ok());
        }
        CHECK(deviation <= 1e-6 * largest);
        whole += steps == count ? 1 : 0;
    }
    CHECK(whole >= (count > 40 ? 16 : 17));
}

}  // namespace

TEST_CASE("the rule of Runge and Kutta is of fourth order on every robot") {
    constexpr double time = 0.016;
    int compared = 0;
    at_random_states(all(), 1, 71, [&](const Robot& robot, const State& state, Random& random) {
        const Model model = without_dry_friction(robot.model);
        if (model.nv == 0) return;
        const SimulatorOptions options = damped(model);
        const Start start = start_of(model, state, random);
        const auto exact = end_of(model, start, options, StepRule::runge_kutta, time, 64);
        if (!exact) return;
        const auto error = [&](int steps) {
            const auto end = end_of(model, start, options, StepRule::runge_kutta, time, steps);
            return end ? distance(model, *end, *exact) : 1e9;
        };
        const double coarse = error(8), fine = error(16);
        INFO(coarse << ", " << fine);
        if (coarse < 1e-10) return;  // rounding
        if (coarse > 0.1) return;    // dampers that are too stiff for an explicit rule
        CHECK(std::log2(coarse / fine) > 4 - 0.35);
        CHECK(fine < 1e-2);
        ++compared;
    });
    CHECK(compared > 12);
}

TEST_CASE("the coefficients of adaptive steps meet the conditions of their orders") {
    using namespace grbda::simulation::dormand_prince;
    const auto sum = [](const Row& weights, auto&& term) {
        double result = 0;
        for (int i = 0; i < stages; ++i) result += weights[static_cast<std::size_t>(i)] * term(i);
        return result;
    };
    for (int i = 0; i < stages; ++i)
        CHECK(sum(a[static_cast<std::size_t>(i)], [](int) { return 1.; }) ==
              Approx(c[static_cast<std::size_t>(i)]).margin(1e-14));
    for (int k = 0; k < 8; ++k) {
        const auto power = [&](int i) { return std::pow(c[static_cast<std::size_t>(i)], k); };
        CHECK(sum(b, power) == Approx(1. / (k + 1)).epsilon(1e-13));
        if (k < 7)
            CHECK(sum(b, [&](int i) { return sum(a[static_cast<std::size_t>(i)], power); }) ==
                  Approx(1. / ((k + 1) * (k + 2))).epsilon(1e-12));
        if (k < 5) CHECK(sum(error_5, power) == Approx(0).margin(1e-14));
        if (k < 3) CHECK(sum(error_3, power) == Approx(0).margin(1e-14));
    }
}

TEST_CASE("adaptive steps lead where many steps of Runge and Kutta lead, on every robot") {
    constexpr double time = 0.016;
    int compared = 0;
    at_random_states(all(), 1, 74, [&](const Robot& robot, const State& state, Random& random) {
        const Model model = without_dry_friction(robot.model);
        if (model.nv == 0) return;
        const SimulatorOptions options = damped(model);
        const Start start = start_of(model, state, random);
        const auto exact = end_of(model, start, options, StepRule::runge_kutta, time, 128);
        const auto coarse = end_of(model, start, options, StepRule::runge_kutta, time, 64);
        const auto end = end_of(model, start, options, StepRule::adaptive, time, 1);
        if (!exact || !coarse || !end) return;
        const double error = distance(model, *coarse, *exact);  // fifteen times that of the finer one
        INFO(error << ", " << distance(model, *end, *exact));
        if (error > 1e-7) return;
        CHECK(distance(model, *end, *exact) < 1e-7);
        ++compared;
    });
    CHECK(compared > 25);
}

TEST_CASE("adaptive steps go back the way they came") {
    at_random_states(all(), 1, 75, [](const Robot& robot, const State& state, Random& random) {
        const Start start = start_of(robot.model, state, random);
        SimulatorOptions options;
        options.rule = StepRule::adaptive;
        options.step = 0.02;
        options.tolerance = 1e-10;
        options.limits = options.passive = false;
        Simulator simulator(robot.model, options);
        REQUIRE(simulator.set_state(start.q, start.qd).ok());
        for (int way = 0; way < 2; ++way) {
            if (!simulator.step().result.ok()) return;
            REQUIRE(simulator.set_state(VectorXd(simulator.q()), -simulator.velocity()).ok());
        }
        CHECK(relative(simulator.q(), start.q) < 1e-7);
        CHECK(relative(simulator.velocity(), start.qd) < 1e-5);
    });
}

TEST_CASE("a passive fall keeps its energy by adaptive steps on every robot") { check_energy_of_falls(40); }

TEST_CASE("a passive fall of twenty seconds keeps its energy by adaptive steps on every robot", "[.long]") {
    check_energy_of_falls(400);
}

TEST_CASE("adaptive steps are for smooth motion within a tolerance that numbers have") {
    const Model& model = named("double_pendulum").model;
    SimulatorOptions options;
    options.rule = StepRule::adaptive;
    options.limits = options.passive = false;
    CHECK_THROWS_AS(Simulator(model, options, grbda::Plane{}), std::invalid_argument);
    Simulator simulator(model, options);
    MatrixXd A(2 * model.nv, 2 * model.nv), B(2 * model.nv, model.nv_tree);
    CHECK_THROWS_AS(simulator.step_derivatives({}, A, B), std::invalid_argument);
    for (const double tolerance : {0., -1., 1e-16, 1., std::nan("")}) {
        options.tolerance = tolerance;
        CHECK_THROWS_AS(Simulator(model, options), std::invalid_argument);
    }
}
