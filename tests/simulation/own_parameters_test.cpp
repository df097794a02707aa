#include "constraints/actuation.hpp"
#include "dynamics/regressor.hpp"
#include "simulation/simulation_fixture.hpp"

// Parameters of single simulations of a batch, against simulators of models that were edited.

using namespace simulation_test;
using grbda::BatchSimulator;
using grbda::SimulationParameters;

namespace {

std::span<const double> span_of(const VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
grbda::Table<double> table_of(const VectorXd& x) { return {x.begin(), x.end()}; }

/// Numbers of one simulation, and both ways to simulate with them.
struct Case {
    VectorXd inertial, stiffness, damping, motor_stiffness, motor_damping, torque, speed;
    grbda::Vector3<double> gravity{0, 0, 0};
    double friction = 0;

    Case(const Model& model, const SimulatorOptions& options, Random& random)
        : inertial(grbda::inertial_parameters(model)),
          stiffness(VectorXd::Zero(model.nv_tree)),
          damping(VectorXd::Zero(model.nv_tree)) {
        const auto factor = [&] { return 1 + 0.2 * random_vector(random, 1)[0]; };
        for (int i = 0; i < model.carrier_count(); ++i)
            if (i < model.body_count() || model.rod(i).strut < 0) inertial.segment(10 * i, 10) *= factor();
        gravity = {0.3 * factor(), -0.2 * factor(), -8 * factor()};
        friction = 0.5 * factor();
        for (int v = 0; v < model.nv_tree; ++v) {
            if (options.servo_damping[v] == 0) continue;
            damping[v] = options.servo_damping[v] * factor();
            stiffness[v] = options.servo_stiffness[v] * factor();
        }
        const auto motors = static_cast<Eigen::Index>(Simulator(model).motor_torques().size());
        for (VectorXd* x : {&motor_stiffness, &motor_damping, &torque, &speed})
            *x = VectorXd::Constant(motors, factor());
        motor_damping *= 0.01;
        for (const grbda::Coordinate& x : grbda::motor_coordinates(model))
            if (model.bodies[x.body].joint == grbda::JointType::spherical) motor_stiffness.setZero();
    }

    SimulationParameters parameters() const {
        SimulationParameters given;
        given.inertial_parameters = span_of(inertial);
        given.gravity = gravity;
        given.friction = friction;
        given.servo_stiffness = span_of(stiffness);
        given.servo_damping = span_of(damping);
        given.motor_stiffness = span_of(motor_stiffness);
        given.motor_damping = span_of(motor_damping);
        given.motor_torque = span_of(torque);
        given.motor_speed = span_of(speed);
        return given;
    }
    Simulator simulator(const Model& model, SimulatorOptions options, const Ground& ground) const {
        options.friction = friction;
        options.servo_stiffness = table_of(stiffness);
        options.servo_damping = table_of(damping);
        options.motors = {
            table_of(motor_stiffness), table_of(motor_damping), table_of(torque), table_of(speed), {}};
        return Simulator(grbda::with_gravity(grbda::with_inertial_parameters(model, inertial), gravity),
                         options, ground);
    }
};

/// Soft servos on all joints without a quaternion.
SimulatorOptions with_servos(const Model& model, StepRule rule) {
    SimulatorOptions options;
    options.rule = rule;
    options.servo_stiffness.assign(static_cast<std::size_t>(model.nv_tree), 0);
    options.servo_damping = options.servo_stiffness;
    for (const grbda::Body& body : model.bodies)
        for (int k = 0; k < velocity_size(body.joint) && !has_quaternion(body.joint); ++k) {
            options.servo_stiffness[body.v + k] = 2;
            options.servo_damping[body.v + k] = 0.1;
        }
    if (rule != StepRule::semi_implicit) options.contacts = options.limits = options.passive = false;
    return options;
}

void check_equal(BatchSimulator& batch, int i, Simulator& alone) {
    VectorXd qd(batch.model().nv_tree);
    batch.velocity(i, qd);
    CHECK(batch.q(i) == alone.q());
    CHECK(qd == alone.velocity());
    CHECK(batch.energies(i).sum() == alone.energies().sum());
    REQUIRE(batch.contacts(i).size() == alone.contacts().size());
    for (std::size_t k = 0; k < alone.contacts().size(); ++k)
        CHECK(batch.contacts(i)[k].impulse == alone.contacts()[k].impulse);
}

void step_both(BatchSimulator& batch, std::vector<Simulator>& alone, int steps) {
    const grbda::BatchOutcome outcome = batch.step({}, steps);
    for (std::size_t i = 0; i < alone.size(); ++i) {
        INFO("simulation " << i);
        bool good = true;
        for (int k = 0; k < steps && good; ++k) good = alone[i].step().result.ok();
        CHECK((good || !outcome.ok()));
        check_equal(batch, static_cast<int>(i), alone[i]);
    }
}

}  // namespace

TEST_CASE("a simulation with parameters of its own is that of an edited model, to the bit") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model model = tangible(robot.model);
        const Ground ground = Plane{{0, 0, 1}, -0.6};
        const SimulatorOptions options = with_servos(model, StepRule::semi_implicit);
        Random random(5);
        std::vector<Case> cases;
        for (int i = 0; i < 3; ++i) cases.emplace_back(model, options, random);
        for (const int threads : {1, 2}) {
            BatchSimulator batch(model, 3, options, ground, threads);
            CHECK(batch.parameter_bytes() == 0);
            std::vector<Simulator> alone;
            alone.emplace_back(model, options, ground);
            for (const int i : {1, 2}) {
                batch.set_parameters(i, cases[static_cast<std::size_t>(i)].parameters());
                alone.push_back(cases[static_cast<std::size_t>(i)].simulator(model, options, ground));
            }
            CHECK(batch.parameter_bytes() > 0);
            step_both(batch, alone, 15);
            // another edit in the middle of a motion; one returns to the model
            batch.set_parameters(1, cases[0].parameters());
            batch.clear_parameters(2);
            const grbda::SimulatorState first = alone[1].state(), second = alone[2].state();
            alone[1] = cases[0].simulator(model, options, ground);
            alone[1].restore(first);
            alone[2] = Simulator(model, options, ground);
            alone[2].restore(second);
            step_both(batch, alone, 10);
        }
    }
}

TEST_CASE("parameters of single simulations act with every rule of steps") {
    for (const StepRule rule : {StepRule::runge_kutta, StepRule::adaptive})
        for (const char* name : {"tello", "delta", "digit_leg", "double_pendulum"}) {
            INFO(name << ", rule " << static_cast<int>(rule));
            const Model& model = named(name).model;
            const SimulatorOptions options = with_servos(model, rule);
            Random random(6);
            const Case own(model, options, random);
            BatchSimulator batch(model, 2, options);
            batch.set_parameters(1, own.parameters());
            std::vector<Simulator> alone;
            alone.emplace_back(model, options);
            alone.push_back(own.simulator(model, options, {}));
            step_both(batch, alone, 10);
        }
}

TEST_CASE("a parameter that is set keeps the others") {
    const Model model = tangible(named("mini_cheetah").model);
    const SimulatorOptions options = with_servos(model, StepRule::semi_implicit);
    const Ground ground = Plane{{0, 0, 1}, -0.25};
    Random random(8);
    const Case own(model, options, random);
    BatchSimulator batch(model, 1, options, ground);
    batch.set_parameters(0, own.parameters());
    SimulationParameters slippery;
    slippery.friction = 0.05;
    batch.set_parameters(0, slippery);
    Case changed = own;
    changed.friction = 0.05;
    std::vector<Simulator> alone;
    alone.push_back(changed.simulator(model, options, ground));
    step_both(batch, alone, 80);
    REQUIRE_FALSE(batch.contacts(0).empty());
    CHECK(batch.contacts(0).front().friction == Approx(0.05));
}

TEST_CASE("parameters that cannot be are refused and change nothing") {
    const Model& model = named("mit_humanoid").model;
    BatchSimulator batch(model, 2);
    const auto refuses = [&](const SimulationParameters& given) {
        CHECK_THROWS_AS(batch.set_parameters(1, given), std::invalid_argument);
    };
    VectorXd pi = grbda::inertial_parameters(model);
    SimulationParameters given;
    given.inertial_parameters = span_of(pi);
    CHECK_THROWS_AS(batch.set_parameters(2, given), std::invalid_argument);
    CHECK_THROWS_AS(batch.clear_parameters(-1), std::invalid_argument);
    pi[0] = -1;
    refuses(given);
    pi[0] = std::nan("");
    refuses(given);
    given = {};
    given.inertial_parameters = span_of(pi).first(3);
    refuses(given);
    given = {};
    given.friction = -0.1;
    refuses(given);
    given = {};
    given.gravity = {0, 0, std::nan("")};
    refuses(given);
    given = {};
    given.delay = -1;
    refuses(given);
    given = {};
    given.motor_torque = span_of(pi).first(1);
    refuses(given);
    const VectorXd gains = VectorXd::Constant(model.nv_tree, 1);  // also of the floating base
    given = {};
    given.servo_stiffness = span_of(gains);
    refuses(given);
    REQUIRE(batch.step({}, 20).ok());
    CHECK(batch.q(0) == batch.q(1));
}

TEST_CASE("controls that act late are those of steps before, to the bit") {
    const Model& model = named("mini_cheetah").model;
    const SimulatorOptions options = with_servos(model, StepRule::semi_implicit);
    constexpr int steps = 12;
    Random random(9);
    std::vector<VectorXd> targets;
    for (int k = 0; k < steps; ++k) targets.push_back(random_vector(random, model.nv_tree, 0.3));
    const auto controls_of = [&](int k) {
        Controls controls;
        controls.target = span_of(targets[static_cast<std::size_t>(k)]);
        return controls;
    };
    for (const int delay : {0, 1, 3}) {
        BatchSimulator batch(model, 2, options, {}, 2);
        SimulationParameters given;
        given.delay = delay;
        batch.set_parameters(1, given);
        SimulatorOptions late = options;
        late.delay = delay;
        Simulator alone(model, late), shifted(model, options), plain(model, options);
        grbda::SimulatorState middle;
        for (int k = 0; k < steps; ++k) {
            if (k == 5) middle = batch.state(1);
            const std::vector<Controls> both(2, controls_of(k));
            REQUIRE(batch.step(both).ok());
            REQUIRE(alone.step(controls_of(k)).result.ok());
            REQUIRE(shifted.step(controls_of(std::max(k - delay, 0))).result.ok());
            REQUIRE(plain.step(controls_of(k)).result.ok());
        }
        CHECK(batch.q(0) == plain.q());
        CHECK(batch.q(1) == shifted.q());
        CHECK(alone.q() == shifted.q());
        batch.restore(1, middle);  // with the controls that have not acted yet
        for (int k = 5; k < steps; ++k) {
            const std::vector<Controls> both(2, controls_of(k));
            REQUIRE(batch.step(both).ok());
        }
        CHECK(batch.q(1) == shifted.q());
    }
}
