#include "grbda/compile/build.hpp"
#include "dynamics/crba.hpp"
#include "grbda/io/urdf.hpp"
#include "simulation/simulation_fixture.hpp"

// The law of energy for whole steps: kinetic energy and that of gravity grow by no more than the work of
// forces and of repair, at every step size. Energies are those of mechanical_state(), which shares nothing
// with the balance that a step keeps.

using namespace simulation_test;

namespace {

/// By how much energy rises above the lowest that it had before, less what repair added since, over the
/// largest kinetic energy.
double largest_rise(Simulator& simulator, double time) {
    double lowest = simulator.energies().sum(), highest_kinetic = 0, repair = 0, rise = 0;
    while (simulator.time() < time) {
        const grbda::StepOutcome outcome = simulator.step();
        INFO("at " << simulator.time() << " s: " << to_string(outcome.result.status));
        REQUIRE(outcome.result.ok());
        repair += outcome.energy.repair;
        const grbda::Energies energies = simulator.energies();
        const double energy = energies.sum() - repair;
        rise = std::max(rise, energy - lowest);
        lowest = std::min(lowest, energy);
        highest_kinetic = std::max(highest_kinetic, energies.kinetic);
    }
    return rise / highest_kinetic;
}

SimulatorOptions without_springs(double step) {
    SimulatorOptions options;
    options.step = step;
    options.passive = false;
    return options;
}

constexpr double kLargestRise = 1e-3;

}  // namespace

TEST_CASE("a robot that swings passively gains no energy, at any step") {
    for (const char* name : {"digit_leg", "kangaroo_leg", "cassie_like", "delta"})
        for (const double step : {5e-3, 2e-3, 1e-3, 5e-4}) {
            INFO(name << ", step " << step);
            Simulator simulator(named(name).model, without_springs(step));
            CHECK(largest_rise(simulator, 0.5) < kLargestRise);
        }
}

TEST_CASE("a robot that falls on the ground gains no energy but what repairs overlap, at any step") {
    for (const char* name :
         {"tello", "digit_leg", "cassie_like", "mit_humanoid", "mini_cheetah", "kangaroo_leg"})
        for (const double step : {5e-3, 2e-3, 1e-3, 5e-4}) {
            INFO(name << ", step " << step);
            const Model model = tangible(named(name).model);
            Simulator simulator(model, without_springs(step), Plane{{0, 0, 1}, -0.9});
            CHECK(largest_rise(simulator, 0.6) < kLargestRise);
        }
}

TEST_CASE("the rule of Runge and Kutta keeps energy at any step") {
    for (const char* name : {"cassie_like", "digit_leg"}) {
        INFO(name);
        SimulatorOptions options = without_springs(5e-3);
        options.rule = StepRule::runge_kutta;
        options.limits = false;
        Simulator simulator(named(name).model, options);
        const double start = simulator.energies().sum();
        CHECK(largest_rise(simulator, 1) < 1e-4);
        CHECK(std::abs(simulator.energies().sum() - start) < 1e-3);
    }
}

namespace {

/// A cart of 2 kg on a rail along x.
Model cart(double damping = 0, double stiffness = 0) {
    grbda::RobotDescription robot;
    robot.name = "cart";
    robot.links.push_back({"world_link", {}, {}});
    robot.links.push_back(link("cart", 2, 0.1));
    grbda::JointDescription joint;
    joint.name = "rail";
    joint.type = grbda::JointType::prismatic;
    joint.axis = Vector3d::UnitX();
    joint.parent = "world_link";
    joint.child = "cart";
    joint.damping = grbda::PerCoordinate(damping);
    joint.stiffness = grbda::PerCoordinate(stiffness);
    robot.joints.push_back(joint);
    return grbda::build_model(robot, {});
}

}  // namespace

TEST_CASE("work of a force is force times displacement, and a damper dissipates the integral of d q̇²") {
    constexpr double force = 3, damping = 5;
    Model model = cart();
    model.passive.damping.assign(1, damping);
    Simulator simulator(model);
    grbda::EnergyBalance total;
    double taken = 0;  // ∫ d q̇² dt
    while (simulator.time() < 0.5) {
        const grbda::StepOutcome outcome =
            simulator.step({.tau_s = {&force, 1}, .target = {}, .target_rate = {}});
        REQUIRE(outcome.result.ok());
        total.add(outcome.energy);
        taken += damping * simulator.velocity()[0] * simulator.velocity()[0] * simulator.options().step;
    }
    CHECK(total.controls == Approx(force * simulator.q()[0]));
    CHECK(total.passive == Approx(-taken).epsilon(0.01));
    CHECK(total.change == Approx(simulator.energies().kinetic));
    CHECK(total.impulses == 0);
    CHECK(total.repair == 0);
    // by this rule energy is lost in each step, ½ M Δq̇²
    CHECK(total.change <= total.controls + total.passive);
    CHECK(total.change == Approx(total.controls + total.passive).epsilon(0.01));
}

TEST_CASE("a damper that drives and a spring that pushes away act as they stand") {
    for (const double step : {1e-3, 1e-4}) {
        const Model model = cart(-0.5, -2);
        SimulatorOptions options;
        options.step = step;
        Simulator simulator(model, options);
        const Eigen::VectorXd x = Eigen::VectorXd::Constant(1, 0.1), v = Eigen::VectorXd::Zero(1);
        REQUIRE(simulator.set_state(x, v).ok());
        Eigen::Vector2d state(0.1, 0);
        Eigen::MatrixXd M(1, 1);
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::crba<double>(model, data, x, M).ok());
        // ẍ = (2 x + 0.5 ẋ) / m, in many small steps
        const double h = 1e-6;
        for (int i = 0; i < 500000; ++i) {
            state[1] += h * (2 * state[0] + 0.5 * state[1]) / M(0, 0);
            state[0] += h * state[1];
        }
        while (simulator.time() < 0.5 - step / 2) REQUIRE(simulator.step().result.ok());
        CHECK(simulator.q()[0] == Approx(state[0]).epsilon(2 * step));
    }
}

TEST_CASE("a robot rests whose centre of mass is at the origin but for rounding") {
    const auto wheel = [](const std::string& name) {
        return "<link name=\"" + name +
               "\"><inertial><mass value=\"0.5\"/><inertia ixx=\"0.001\" iyy=\"0.001\" "
               "izz=\"0.0016\"/></inertial><collision><geometry><sphere "
               "radius=\"0.08\"/></geometry></collision></link>";
    };
    const auto joint = [](const std::string& name, const std::string& child, double x, double roll,
                          const std::string& more) {
        return "<joint name=\"" + name + "\" type=\"continuous\"><parent link=\"body\"/><child link=\"" +
               child + "\"/><origin xyz=\"" + std::to_string(x) + " 0.15 0\" rpy=\"" + std::to_string(roll) +
               " 0 0\"/><axis xyz=\"0 0 1\"/>" + more + "</joint>";
    };
    for (int i = 0; i < 24; ++i) {
        const double roll = -1.5707963 + 0.37 * i;
        INFO("roll " << roll);
        grbda::Diagnostics findings;
        const grbda::RobotDescription robot =
            grbda::read_urdf("<robot name=\"wheels\"><link name=\"body\"/>" + wheel("a") + wheel("b") +
                                 joint("ja", "a", 0.2, roll, "") +
                                 joint("jb", "b", -0.2, roll, "<mimic joint=\"ja\"/>") + "</robot>",
                             "wheels", findings);
        Simulator simulator(grbda::build_model(robot));
        for (int k = 0; k < 20; ++k) REQUIRE(simulator.step().result.ok());
        CHECK(simulator.velocity().norm() < 1e-12);
    }
}

TEST_CASE("work of a servo is what it gives to the cart that it moves") {
    SimulatorOptions options;
    options.servo_stiffness.assign(1, 400);
    options.servo_damping.assign(1, 4);
    options.step = 1e-4;
    Simulator simulator(cart(), options);
    const double target = 0.1;
    grbda::EnergyBalance total;
    for (int i = 0; i < 1000; ++i) {
        const grbda::StepOutcome outcome =
            simulator.step({.tau_s = {}, .target = {&target, 1}, .target_rate = {}});
        REQUIRE(outcome.result.ok());
        total.add(outcome.energy);
    }
    CHECK(total.controls == Approx(simulator.energies().kinetic).epsilon(0.01));
    CHECK(total.passive == Approx(0).margin(1e-12));
}

TEST_CASE("work of impulses is what an impact takes, and repair is what lifts a body out of the ground") {
    SimulatorOptions options;
    Simulator simulator(cube(2, 0.2), options, Plane{});
    REQUIRE(simulator.set_state(pose({0, 0, 0.2}), VectorXd::Zero(6)).ok());
    grbda::EnergyBalance total;
    const auto go = [&](int steps) {
        for (int i = 0; i < steps; ++i) {
            const grbda::StepOutcome outcome = simulator.step();
            REQUIRE(outcome.result.ok());
            total.add(outcome.energy);
        }
    };
    go(500);
    const double fallen = 2 * kGravity * 0.1;
    CHECK(total.change == Approx(-fallen).epsilon(1e-3));
    CHECK(total.impulses == Approx(-fallen).epsilon(0.04));  // at rest ½ M (g h)² in each step, too
    CHECK(total.repair < 1e-3 * fallen);
    constexpr double deep = 5e-3;
    REQUIRE(simulator.set_state(pose({0, 0, 0.1 - deep}), VectorXd::Zero(6)).ok());
    total = {};
    go(500);
    CHECK(simulator.q()[2] == Approx(0.1).margin(1e-4));
    CHECK(total.repair > 2 * kGravity * deep);
    CHECK(total.change == Approx(2 * kGravity * deep).epsilon(0.05));
}
