#include "constraints/actuation.hpp"
#include "simulation/simulation_fixture.hpp"

// Torques of motors with limits, against those computed by hand through the Jacobian of actuation.

using namespace simulation_test;

namespace {

/// A flywheel of unit inertia about a fixed axis, its motor turning `reduction` times as fast.
Model flywheel(double reduction) {
    grbda::RobotDescription robot;
    robot.name = "flywheel";
    robot.links.push_back({"base", {}, {}});
    robot.links.push_back(link("wheel", 1, 0));
    robot.links.back().inertial->inertia = Eigen::Matrix3d::Identity();
    grbda::JointDescription joint;
    joint.name = "axle";
    joint.type = grbda::JointType::continuous;
    joint.parent = "base";
    joint.child = "wheel";
    joint.axis = Vector3d::UnitZ();
    robot.joints.push_back(joint);
    Model model = grbda::build_model(robot, {});
    model.actuated.front() = 1;
    model.reduction.front() = reduction;
    return model;
}

SimulatorOptions free_options() {
    SimulatorOptions options;
    options.contacts = options.limits = options.passive = false;
    return options;
}

grbda::Table<double> same(std::size_t size, double x) { return grbda::Table<double>(size, x); }

/// Limits as the documentation states them.
double clipped(double tau, double omega, double torque, double speed, double stall) {
    const double upper = std::min(torque, stall - stall * omega / speed),
                 lower = std::max(-torque, -stall - stall * omega / speed);
    return std::max(-torque, std::min(torque, std::max(lower, std::min(upper, tau))));
}

}  // namespace

TEST_CASE("clipped torques of motors act as Jᵀ τ_motor, on every robot with loops and without") {
    int clipped_torques = 0, passed = 0;
    at_random_states(all(), 1, 41, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        std::vector<grbda::Coordinate> driven = grbda::motor_coordinates(model);
        const std::vector<grbda::Coordinate> all_motors = driven;
        const auto floats = [&](const grbda::Coordinate& x) {
            return model.bodies[x.body].joint == grbda::JointType::floating;
        };
        std::erase_if(driven, floats);
        const auto motors = static_cast<Eigen::Index>(driven.size());
        if (motors == 0) return;
        Workspace<double> data(model);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, 0.3 * state.yd).ok());
        const VectorXd qd = data.qd;
        SimulatorOptions options = free_options();
        options.step = 1e-4;
        options.motors.torque = same(static_cast<std::size_t>(motors), 1.5);
        options.motors.speed = same(static_cast<std::size_t>(motors), 2);
        options.motors.stall = same(static_cast<std::size_t>(motors), 2.5);
        SimulatorOptions plain = free_options();
        plain.step = options.step;
        Simulator by_motors(model, options), by_hand(model, plain);
        if (!by_motors.set_state(state.q, qd).ok()) return;
        REQUIRE(by_hand.set_state(state.q, qd).ok());
        data.chart = by_motors.chart();
        grbda::Actuation<double> actuation(model);
        if (!grbda::actuation_jacobian<double>(model, data, state.q, actuation).ok()) return;
        VectorXd yd(model.nv);
        grbda::independent_part<double>(model, data, qd, yd);
        Eigen::MatrixXd J(motors, model.nv);
        for (Eigen::Index row = 0, kept = 0; row < actuation.J.rows(); ++row)
            if (!floats(all_motors[static_cast<std::size_t>(row)])) J.row(kept++) = actuation.J.row(row);
        const VectorXd omega = J * yd, wanted = random_vector(random, motors, 3);
        VectorXd torques(motors);
        for (Eigen::Index i = 0; i < motors; ++i) torques[i] = clipped(wanted[i], omega[i], 1.5, 2, 2.5);
        clipped_torques += static_cast<int>((torques - wanted).cwiseAbs().maxCoeff() > 1e-6);
        const VectorXd tau = J.transpose() * torques;
        VectorXd tau_s(model.nv_tree);
        grbda::spanning_force<double>(model, data, tau, tau_s);
        Controls motor_controls, joint_controls;
        motor_controls.motor_tau = {wanted.data(), static_cast<std::size_t>(motors)};
        joint_controls.tau_s = {tau_s.data(), static_cast<std::size_t>(tau_s.size())};
        const grbda::StepOutcome outcome = by_motors.step(motor_controls),
                                 other = by_hand.step(joint_controls);
        if (!outcome.result.ok() || !other.result.ok() || outcome.parts > 1) return;
        ++passed;
        for (Eigen::Index i = 0; i < motors; ++i)
            CHECK(by_motors.motor_torques()[static_cast<std::size_t>(i)] == Approx(torques[i]).margin(1e-9));
        // Jᵀ changes a little during the step
        CHECK(relative(by_motors.velocity(), by_hand.velocity()) < 1e-6);
        CHECK(relative(by_motors.q(), by_hand.q()) < 1e-7);
        // power of the motors is that of the forces, and their work that of the energy balance
        CHECK(torques.dot(omega) == Approx(tau.dot(yd)).margin(1e-10));
        double work = 0;
        for (Eigen::Index i = 0; i < motors; ++i) {
            const grbda::Coordinate& x = driven[static_cast<std::size_t>(i)];
            const grbda::Body& body = model.bodies[x.body];
            if (has_quaternion(body.joint)) return;
            const int place = body.q + x.component;
            work += torques[i] * model.reduction[x.body] * (by_motors.q()[place] - state.q[place]);
        }
        CHECK(outcome.energy.controls == Approx(work).epsilon(1e-3).margin(1e-9));
    });
    CHECK(clipped_torques > 10);
    CHECK(passed > 20);
}

TEST_CASE("a motor follows its line of torque over speed, through its gear") {
    for (const double reduction : {1., 6.}) {
        const Model model = flywheel(reduction);
        SimulatorOptions options = free_options();
        options.motors.torque = {0.8};
        options.motors.speed = {3};
        options.motors.stall = {1.2};
        Simulator simulator(model, options);
        const std::vector<double> wanted{5};
        Controls controls;
        controls.motor_tau = wanted;
        double rate = 0;
        for (int k = 0; k < 12000; ++k) {
            const double torque = std::min(0.8, 1.2 * (1 - reduction * rate / 3));
            rate += options.step * reduction * torque;
            REQUIRE(simulator.step(controls).result.ok());
            REQUIRE(simulator.motor_torques()[0] == Approx(torque).margin(1e-12));
        }
        CHECK(simulator.velocity()[0] == Approx(rate).epsilon(1e-9));
        CHECK(reduction * rate == Approx(3).epsilon(0.02));  // nearly at the speed without load
        // beyond that speed it brakes, no harder than its torque
        REQUIRE(simulator.set_state(simulator.q(), VectorXd::Constant(1, 30 / reduction)).ok());
        REQUIRE(simulator.step(controls).result.ok());
        CHECK(simulator.motor_torques()[0] == -0.8);
    }
}

TEST_CASE("the control law of a motor acts at the motor, from the state at the start of the step") {
    const double reduction = 5, stiffness = 2, damping = 0.3;
    const Model model = flywheel(reduction);
    SimulatorOptions options = free_options();
    options.motors.stiffness = {stiffness};
    options.motors.damping = {damping};
    options.motors.torque = {1};
    Simulator simulator(model, options);
    const std::vector<double> target{1.5}, rate{0.2}, more{0.1};
    Controls controls;
    controls.motor_target = target;
    controls.motor_target_rate = rate;
    controls.motor_tau = more;
    double q = 0, qd = 0;
    for (int k = 0; k < 500; ++k) {
        const double law = 0.1 + stiffness * (1.5 - reduction * q) + damping * (0.2 - reduction * qd);
        qd += options.step * reduction * std::max(-1., std::min(1., law));
        q += options.step * qd;
        REQUIRE(simulator.step(controls).result.ok());
    }
    CHECK(simulator.q()[0] == Approx(q).epsilon(1e-9));
    CHECK(simulator.velocity()[0] == Approx(qd).epsilon(1e-9));
    Eigen::MatrixXd A(2, 2), B(2, 1);
    CHECK_THROWS_AS((void)simulator.step_derivatives(controls, A, B), std::invalid_argument);
}

TEST_CASE("options of motors that cannot be are refused") {
    const Model model = flywheel(2);
    const auto refuses = [&](auto change) {
        SimulatorOptions options;
        change(options);
        CHECK_THROWS_AS(Simulator(model, options), std::invalid_argument);
    };
    refuses([](SimulatorOptions& o) { o.motors.torque = {1, 1}; });
    refuses([](SimulatorOptions& o) { o.motors.torque = {0}; });
    refuses([](SimulatorOptions& o) { o.motors.stiffness = {-1}; });
    refuses([](SimulatorOptions& o) { o.motors.damping = {std::nan("")}; });
    refuses([](SimulatorOptions& o) { o.motors.speed = {3}; });  // without a torque
    refuses([](SimulatorOptions& o) { o.delay = -1; });
    Simulator simulator(model);
    const std::vector<double> two(2, 1);
    Controls controls;
    controls.motor_tau = two;
    CHECK_THROWS_AS(simulator.step(controls), std::invalid_argument);
}
