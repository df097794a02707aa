#include "simulation/simulation_fixture.hpp"

// Contacts and springs against closed forms: friction only where bodies touch, surfaces and springs of a
// given stiffness, derivatives of bodies at rest.

using namespace simulation_test;

namespace {

/// A body of mass 1 on a slide along x or z.
Model slider(const Vector3d& axis) {
    grbda::RobotDescription robot;
    robot.name = "slider";
    robot.links.push_back({"world_link", {}, {}});
    robot.links.push_back(link("cart", 1, 0.1));
    grbda::JointDescription joint;
    joint.name = "rail";
    joint.type = grbda::JointType::prismatic;
    joint.axis = axis;
    joint.parent = "world_link";
    joint.child = "cart";
    robot.joints.push_back(joint);
    return grbda::build_model(robot, {});
}

Model ball(double mass, double radius) {
    Model model = free_bodies({mass}, radius);
    add_shape(model, 0, ShapeKind::sphere, {radius, 0, 0});
    return model;
}

constexpr ContactModel kModels[] = {ContactModel::compliant, ContactModel::rigid};

/// A spring of 100 rad/s, pulled by 0.1 m.
Simulator spring(double damping, const SimulatorOptions& options) {
    Model model = grbda::with_gravity(slider(Vector3d::UnitX()), {0, 0, 0});
    model.passive.stiffness.assign(1, 1e4);
    model.passive.damping.assign(1, damping);
    Simulator simulator(model, options);
    REQUIRE(simulator.set_state(VectorXd::Constant(1, 0.1), VectorXd::Zero(1)).ok());
    return simulator;
}

}  // namespace

TEST_CASE("a ground that a ball on a rail never touches does not brake it") {
    for (const ContactModel contact : kModels) {
        Model model = slider(Vector3d::UnitX());
        add_shape(model, 0, ShapeKind::sphere, {0.1, 0, 0});
        SimulatorOptions options;
        options.contact = contact;
        options.step = 5e-3;
        Simulator simulator(model, options, Plane{{0, 0, 1}, -0.105});
        const double force = 10;
        run(simulator, 200, {.tau_s = {&force, 1}, .target = {}, .target_rate = {}});
        CHECK(simulator.velocity()[0] == Approx(10).epsilon(1e-9));
    }
}

TEST_CASE("balls that pass without touching lose nothing") {
    Model model = grbda::with_gravity(free_bodies({1, 1}, 0.1), {0, 0, 0});
    for (int i = 0; i < 2; ++i) add_shape(model, i, ShapeKind::sphere, {0.1, 0, 0});
    VectorXd q(14), qd = VectorXd::Zero(12);
    q << pose({-1, 0, 0}), pose({1, 0, 0.201});
    qd[0] = 5;
    qd[6] = -5;
    SimulatorOptions options;
    options.self_collision = true;
    Simulator simulator(model, options);
    REQUIRE(simulator.set_state(q, qd).ok());
    run(simulator, 400);
    CHECK(simulator.q()[0] > 0.9);
    CHECK((simulator.velocity() - qd).norm() < 1e-9);
}

TEST_CASE("a box that starts to slide is slowed by friction alone and stays on the ground") {
    constexpr double half = 0.1, friction = 0.3, time = 0.5;
    for (const ContactModel contact : kModels)
        for (const double speed : {2., 5.}) {
            SimulatorOptions options;
            options.contact = contact;
            options.friction = friction;
            Simulator simulator(cube(3, 2 * half), options, Plane{});
            VectorXd qd = VectorXd::Zero(6);
            qd[0] = speed;
            REQUIRE(simulator.set_state(pose({0, 0, half}), qd).ok());
            double highest = 0;
            for (int i = 0; i < 500; ++i) {
                run(simulator, 1);
                highest = std::max(highest, simulator.q()[2] - half);
            }
            INFO("model " << static_cast<int>(contact) << ", highest " << highest);
            CHECK(highest < 1e-5);
            CHECK(simulator.velocity()[0] == Approx(speed - friction * kGravity * time).epsilon(1e-3));
        }
}

TEST_CASE("friction of an impact is its coefficient times the impulse along the normal") {
    for (const double step : {1e-3, 7e-4}) {
        SimulatorOptions options;
        options.step = step;
        options.friction = 0.2;
        Simulator simulator(grbda::with_gravity(ball(1, 0.1), {0, 0, 0}), options, Plane{});
        VectorXd qd = VectorXd::Zero(6);
        qd[0] = 5;
        qd[2] = -2;
        REQUIRE(simulator.set_state(pose({0, 0, 0.1234}), qd).ok());
        run(simulator, 100);
        const double before = simulator.q()[0], time = simulator.time();
        run(simulator, 10);
        CHECK((simulator.q()[0] - before) / (simulator.time() - time) == Approx(5 - 0.2 * 2).epsilon(5e-3));
    }
}

TEST_CASE("a surface of a given stiffness sinks by the weight over it, at any step") {
    for (const double stiffness : {1e4, 1e5, 1e6})
        for (const double step : {5e-3, 1e-3, 1e-4}) {
            INFO("stiffness " << stiffness << ", step " << step);
            const double sinks = kGravity / stiffness;
            SimulatorOptions options;
            options.step = step;
            options.stiffness = stiffness;
            Simulator simulator(ball(1, 0.1), options, Plane{});
            REQUIRE(simulator.set_state(pose({0, 0, 0.1 - sinks}), VectorXd::Zero(6)).ok());
            run(simulator, 300);
            CHECK(0.1 - simulator.q()[2] == Approx(sinks).epsilon(1e-6));
        }
}

TEST_CASE("a surface of a given stiffness holds any weight that is laid on it") {
    for (const double mass : {1., 100., 1e4}) {
        SimulatorOptions options;
        options.stiffness = 1e6;
        options.dissipation = 0.2;
        Simulator simulator(ball(mass, 0.2), options, Plane{});
        REQUIRE(simulator.set_state(pose({0, 0, 0.2}), VectorXd::Zero(6)).ok());
        run(simulator, 2000);
        CHECK(0.2 - simulator.q()[2] == Approx(mass * kGravity / 1e6).epsilon(1e-3));
    }
}

TEST_CASE("a spring without a damper swings as far after many periods, at any step") {
    for (const double step : {1e-4, 1e-3, 5e-3}) {
        SimulatorOptions options;
        options.step = step;
        Simulator simulator = spring(0, options);
        double farthest = 0;
        while (simulator.time() < 2) {
            run(simulator, 1);
            if (simulator.time() > 1.5) farthest = std::max(farthest, std::abs(simulator.q()[0]));
        }
        // velocities are those of the middle of a step: it starts as far out as 0.1 / cos(h ω / 2) allows
        const double half_angle = std::atan(50 * step);
        CHECK(farthest == Approx(0.1 / std::cos(half_angle)).epsilon(5e-3));
    }
}

TEST_CASE("a spring with a damper loses what the damper takes, by every rule") {
    constexpr double damping = 10, time = 0.2;
    for (const StepRule rule : {StepRule::semi_implicit, StepRule::runge_kutta}) {
        INFO("rule " << static_cast<int>(rule));
        SimulatorOptions options;
        options.rule = rule;
        options.limits = false;
        options.step = 1e-4;
        Simulator simulator = spring(damping, options);
        while (simulator.time() < time - 1e-9) run(simulator, 1);
        constexpr double decay = damping / 2;
        const double rate = std::sqrt(1e4 - decay * decay), size = 0.1 * std::exp(-decay * time);
        const double q = size * (std::cos(rate * time) + decay / rate * std::sin(rate * time));
        const double v = -size * 1e4 / rate * std::sin(rate * time);
        CHECK(simulator.energies().sum() == Approx(v * v / 2 + 1e4 * q * q / 2).epsilon(0.02));
    }
}

TEST_CASE("derivatives of a step of a box at rest are those of steps that leave its contacts closed") {
    for (const double stiffness : {0., 1e5}) {
        INFO("stiffness " << stiffness);
        SimulatorOptions options;
        options.stiffness = stiffness;
        options.dissipation = 0.01;
        const Model model = cube(2, 0.1);
        Simulator simulator(model, options, Plane{});
        REQUIRE(simulator.set_state(pose({0, 0, 0.05}), VectorXd::Zero(6)).ok());
        run(simulator, 500);
        const VectorXd q = simulator.q(), qd = simulator.velocity();
        REQUIRE(simulator.set_state(q, qd).ok());
        Eigen::MatrixXd A(12, 12), B(12, 6);
        REQUIRE(simulator.step_derivatives({}, A, B).ok());
        Workspace<double> data(model);
        const auto end = [&](Eigen::Index k, double by) {
            VectorXd way = VectorXd::Zero(6), at = q, speed = qd, out(12);
            (k < 6 ? way[k] : speed[k - 6]) += by;
            REQUIRE(grbda::integrate<double>(model, data, q, way, at).ok());
            REQUIRE(simulator.set_state(at, speed).ok());
            run(simulator, 1);
            REQUIRE(grbda::difference<double>(model, data, q, simulator.q(), way).ok());
            out << way, simulator.velocity();
            return out;
        };
        for (Eigen::Index k = 0; k < 12; ++k) {
            const double by = k < 6 ? 1e-8 : 1e-7;  // overlap is some 1e-6 m
            const VectorXd expected = (end(k, by) - end(k, -by)) / (2 * by);
            INFO("column " << k << ": " << A.col(k).transpose() << ", expected " << expected.transpose());
            CHECK((A.col(k) - expected).norm() < 1e-4 * std::max(expected.norm(), 1.));
        }
    }
}
