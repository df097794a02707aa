#include "simulation/simulation_fixture.hpp"

// Robots with loops and rotors in motion, and what a simulator refuses.

using namespace simulation_test;

TEST_CASE("momentum is conserved in free flight, rotors spinning and loops moving") {
    for (const char* name : {"mit_humanoid", "tello", "mini_cheetah", "digit"}) {
        INFO(name);
        const Model model = grbda::with_gravity(named(name).model, {0, 0, 0});
        Random random(7);
        State state;
        REQUIRE(random_state(model, random, state));
        Simulator simulator(model);
        Workspace<double> data(model);
        REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
        REQUIRE(simulator.set_state(state.q, data.qd).ok());
        const auto before = momentum(simulator);
        run(simulator, 1000);
        CHECK((momentum(simulator) - before).norm() < 1e-11 * before.norm());
    }
}

namespace {

/// A robot with servos on all joints that are no base and no rotor, and boxes for feet.
struct Standing {
    Model model;
    SimulatorOptions options;
    std::vector<double> target;
    double height = 0;  ///< of the feet's soles, at the start

    Standing(const std::string& name, const std::vector<std::string>& feet) : model(named(name).model) {
        const auto n = static_cast<std::size_t>(model.nv_tree);
        const VectorXd q = grbda::neutral_configuration(model);
        Workspace<double> data(model);
        REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
        model.shapes.clear();  // its own feet
        height = std::numeric_limits<double>::infinity();
        for (const std::string& foot : feet) {
            const int frame = model.frame(foot).index;
            const auto& at = model.frames[frame].position;
            add_shape(model, model.frames[frame].body, ShapeKind::box, {0.2, 0.1, 0.04}, {at.x, at.y, at.z});
            height = std::min(height, grbda::frame_position(model, data, frame).z() - 0.02);
        }
        options.servo_stiffness.assign(n, 0);
        options.servo_damping.assign(n, 0);
        target.assign(n, 0);
        for (const grbda::Body& body : model.bodies) {
            if (body.rotor || velocity_size(body.joint) != 1) continue;
            options.servo_stiffness[body.v] = 500;
            options.servo_damping[body.v] = 20;
            target[static_cast<std::size_t>(body.v)] = q[body.q];
        }
    }
};

}  // namespace

TEST_CASE("the feet of a standing biped carry its weight") {
    Standing humanoid("mit_humanoid", {"left_ankle_link", "right_ankle_link"});
    Simulator simulator(humanoid.model, humanoid.options, Plane{{0, 0, 1}, humanoid.height - 1e-3});
    Controls controls;
    controls.target = humanoid.target;
    double mass = 0;
    for (const grbda::Body& body : humanoid.model.bodies) mass += body.mass;
    run(simulator, 300, controls);
    double impulse = 0;  // of a whole number of small swings
    for (int i = 0; i < 200; ++i) {
        run(simulator, 1, controls);
        impulse += total_impulse(simulator) / 200;
    }
    CHECK(simulator.contacts().size() == 8);
    CHECK(impulse == Approx(mass * kGravity * simulator.options().step).epsilon(1e-3));
    CHECK(std::abs(simulator.q()[2]) < 0.01);
}

TEST_CASE("digit stands on its own feet by servos on its motors, and is pushed") {
    const Model& model = named("digit").model;
    const VectorXd q = standing_digit(model);
    const auto n = static_cast<std::size_t>(model.nv_tree);
    SimulatorOptions options;
    options.servo_stiffness.assign(n, 0);
    options.servo_damping.assign(n, 0);
    std::vector<double> target(n, 0), push(n, 0);
    int motors = 0;
    double mass = 0;
    for (int i = 0; i < model.body_count(); ++i) {
        const grbda::Body& body = model.bodies[i];
        mass += body.mass;
        if (model.names.joints[i].find("motor") == std::string::npos) continue;
        ++motors;
        options.servo_stiffness[body.v] = 1000;
        options.servo_damping[body.v] = 30;
        target[static_cast<std::size_t>(body.v)] = q[body.q];
    }
    REQUIRE(motors == 12);
    Workspace<double> data(model);
    Simulator simulator(model, options, Plane{{0, 0, 1}, -0.85});
    REQUIRE(simulator.set_state(q, VectorXd::Zero(model.nv_tree)).ok());
    Controls controls;
    controls.target = target;
    controls.tau_s = push;
    const auto stands = [&] {
        CHECK(simulator.contacts().size() == 8);
        CHECK(total_impulse(simulator) == Approx(mass * kGravity * simulator.options().step).epsilon(0.02));
        CHECK(simulator.q().head<3>().norm() < 0.02);
        CHECK(grbda::closure_residual<double>(model, data, simulator.q()).residual < 1e-12);
    };
    run(simulator, 1000, controls);
    stands();
    push[0] = 20;  // N, forward
    run(simulator, 100, controls);
    CHECK(simulator.velocity()[0] > 0.01);
    push[0] = 0;
    run(simulator, 1500, controls);
    stands();
}

TEST_CASE("digit stands on both feet where its file starts") {
    const Model& model = named("digit").model;
    const auto n = static_cast<std::size_t>(model.nv_tree);
    const VectorXd q = grbda::neutral_configuration(model);
    SimulatorOptions options;
    options.servo_stiffness.assign(n, 0);
    options.servo_damping.assign(n, 0);
    std::vector<double> target(n, 0);
    double mass = 0;
    for (int i = 0; i < model.body_count(); ++i) {
        const grbda::Body& body = model.bodies[i];
        mass += body.mass;
        if (model.names.joints[i].find("motor") == std::string::npos) continue;
        options.servo_stiffness[body.v] = 1000;
        options.servo_damping[body.v] = 30;
        target[static_cast<std::size_t>(body.v)] = q[body.q];
    }
    Simulator simulator(model, options, Plane{});
    Controls controls;
    controls.target = target;
    run(simulator, 5000, controls);
    CHECK(simulator.q()[2] == Approx(0.85).margin(0.01));
    CHECK(simulator.q().segment<3>(3).norm() < 0.01);  // half the angle by which the torso leans
    for (const char* foot : {"left_foot", "right_foot"}) {
        const int link = model.frame(foot).index;
        double load = 0;
        int count = 0;
        for (const grbda::ContactState& contact : simulator.contacts()) {
            if (contact.link != link) continue;
            load += contact.impulse[2];
            ++count;
        }
        INFO(foot);
        CHECK(count == 4);
        CHECK(load == Approx(mass * kGravity * options.step / 2).epsilon(1e-3));
    }
}

TEST_CASE("no shapes of a walking robot overlap where it starts") {
    for (const char* name : {"mini_cheetah", "mit_humanoid", "tello", "digit"}) {
        INFO(name);
        SimulatorOptions options;
        options.self_collision = true;
        options.other_pairs = grbda::collide_convex;
        Simulator simulator(grbda::with_gravity(named(name).model, {0, 0, 0}), options);
        run(simulator, 1);
        for (const grbda::ContactState& contact : simulator.contacts()) CHECK(contact.gap > 0);
    }
}

TEST_CASE("loops stay closed while a robot falls on the ground") {
    for (const char* name : {"tello", "digit_leg", "four_bar", "cassie_like"}) {
        INFO(name);
        Model model = named(name).model;
        for (int body = 0; body < model.body_count(); ++body)
            if (!model.bodies[body].rotor) add_shape(model, body, ShapeKind::sphere, {0.02, 0, 0});
        Workspace<double> data(model);
        REQUIRE(grbda::forward_kinematics<double>(model, data, grbda::neutral_configuration(model)).ok());
        double lowest = 0;
        for (int body = 0; body < model.body_count(); ++body)
            lowest = std::min(lowest, grbda::frame_position(model, data, model.body_frame[body]).z());
        Simulator simulator(model, {}, Plane{{0, 0, 1}, lowest - 0.05});
        for (int i = 0; i < 300; ++i) {
            run(simulator, 1);
            CHECK(grbda::closure_residual<double>(model, data, simulator.q()).residual < 1e-12);
        }
    }
}

TEST_CASE("a linkage that is driven against a stop of a dependent joint stays at the stop") {
    Model model = named("four_bar").model;
    const VectorXd start = grbda::neutral_configuration(model);
    for (const int driven : {0, 1})
        for (const double torque : {-0.5, 0.5}) {
            const int stopped = (driven + 1) % 3;
            INFO("joint " << driven << " against " << stopped << ", torque " << torque);
            Model bounded = grbda::with_gravity(model, {0, 0, 0});
            constexpr double play = 0.05;
            bounded.bounded[stopped] = 1;
            bounded.limits[stopped].lower = start[stopped] - play;
            bounded.limits[stopped].upper = start[stopped] + play;
            SimulatorOptions options;
            options.servo_damping.assign(3, 0.01);
            Simulator simulator(bounded, options);
            std::vector<double> tau_s(3, 0);
            tau_s[static_cast<std::size_t>(driven)] = torque;
            Controls controls;
            controls.tau_s = tau_s;
            run(simulator, 3000, controls);
            CHECK(std::abs(simulator.q()[stopped] - start[stopped]) == Approx(play).margin(1e-4));
            CHECK(simulator.velocity().cwiseAbs().maxCoeff() < 1e-3);
        }
}

TEST_CASE(
    "a parallelogram turns through both of its flat positions, where every choice of coordinates is "
    "singular") {
    const Model model = grbda::with_gravity(named("four_bar").model, {0, 0, 0});
    SimulatorOptions options;
    options.limits = options.passive = false;
    Simulator simulator(model, options);
    Workspace<double> data(model);
    const VectorXd start = grbda::neutral_configuration(model);
    for (const double speed : {3., 7.}) {
        INFO("at " << speed << " rad/s");
        REQUIRE(grbda::spanning_velocity<double>(model, data, start, VectorXd::Constant(1, speed)).ok());
        REQUIRE(simulator.set_state(start, VectorXd(data.qd)).ok());
        const double energy = simulator.energies().sum();
        run(simulator, 6000);
        CHECK((simulator.q() - start).cwiseAbs().maxCoeff() > 2 * 3.14);
        CHECK(simulator.energies().sum() < energy);  // by this rule it decays
        CHECK(simulator.energies().sum() > 0.8 * energy);
    }
}

TEST_CASE("a call with controls of a wrong size changes nothing") {
    const Model& model = named("four_bar").model;
    SimulatorOptions options;
    options.limits = options.passive = false;
    const std::vector<double> wrong(1);
    Controls controls;
    controls.tau_s = wrong;
    Eigen::MatrixXd A(2 * model.nv, 2 * model.nv), B(2 * model.nv, model.nv_tree);
    Workspace<double> data(model);
    const VectorXd start = grbda::neutral_configuration(model);
    REQUIRE(grbda::spanning_velocity<double>(model, data, start, VectorXd::Constant(1, 7)).ok());
    Simulator calm(model, options), disturbed(model, options);
    for (Simulator* simulator : {&calm, &disturbed})
        REQUIRE(simulator->set_state(start, VectorXd(data.qd)).ok());
    for (int i = 0; i < 1500; ++i) {
        run(calm, 1);
        CHECK_THROWS_AS(disturbed.step(controls), std::invalid_argument);
        CHECK_THROWS_AS(disturbed.step_derivatives(controls, A, B), std::invalid_argument);
        run(disturbed, 1);
    }
    CHECK(calm.switches() > 0);
    CHECK(calm.q() == disturbed.q());
    CHECK(disturbed.step_derivatives({}, A, B).ok());
}

TEST_CASE("rules for smooth motion refuse what there is to touch, and no joint for want of limits") {
    SimulatorOptions options;
    options.rule = StepRule::runge_kutta;
    Model ball = free_bodies({1}, 0.1);
    CHECK_NOTHROW(Simulator(ball, options));
    add_shape(ball, 0, ShapeKind::sphere, {0.1, 0, 0});
    add_shape(ball, grbda::world, ShapeKind::box, {1, 1, 1});
    CHECK_THROWS_AS(Simulator(ball, options), std::invalid_argument);
    CHECK_THROWS_AS(Simulator(named("ur10e").model, options), std::invalid_argument);
}

TEST_CASE("a model that was moved from has no simulation") {
    Model model = named("tello").model;
    const Model other = std::move(model);
    CHECK(other.nv > 0);
    CHECK_THROWS_AS(Simulator(model), std::invalid_argument);
    CHECK_THROWS_AS(grbda::BatchSimulator(model, 2), std::invalid_argument);
}

TEST_CASE("energy counts the weight that forces carry") {
    Model model = free_bodies({2}, 0.1);
    grbda::CarriedWeight weight;
    weight.body = 0;
    weight.mass = 2;
    weight.moment = {0, 0, 0};
    model.passive.weights.push_back(weight);
    SimulatorOptions options;
    options.rule = StepRule::runge_kutta;
    Simulator simulator(model, options);
    VectorXd qd = VectorXd::Zero(6);
    qd << 0.3, 0, 1, 0, 0, 2;
    REQUIRE(simulator.set_state(pose({0, 0, 1}), qd).ok());
    const double energy = simulator.energies().sum();
    run(simulator, 500);
    CHECK(simulator.q()[2] == Approx(1.5));
    CHECK(simulator.energies().sum() == Approx(energy).epsilon(1e-6));
}

TEST_CASE("equal starts give equal bits") {
    Model model = named("mit_humanoid").model;
    for (int body = 0; body < model.body_count(); ++body)
        if (!model.bodies[body].rotor) add_shape(model, body, ShapeKind::sphere, {0.05, 0, 0});
    const auto end = [&] {
        Simulator simulator(model, {}, Plane{{0, 0, 1}, -0.2});
        run(simulator, 300);
        return simulator.q();
    };
    CHECK(end() == end());
}

TEST_CASE("options that mean nothing are refused") {
    const Model& model = named("four_bar").model;
    const auto with = [&](const auto& change) {
        SimulatorOptions options;
        change(options);
        return Simulator(model, options).time();
    };
    CHECK(with([](SimulatorOptions&) {}) == 0);
    CHECK_THROWS_AS(with([](SimulatorOptions& x) { x.step = 0; }), std::invalid_argument);
    CHECK_THROWS_AS(with([](SimulatorOptions& x) { x.step = std::nan(""); }), std::invalid_argument);
    CHECK_THROWS_AS(with([](SimulatorOptions& x) { x.friction = -1; }), std::invalid_argument);
    CHECK_THROWS_AS(with([](SimulatorOptions& x) { x.servo_stiffness = {1.}; }), std::invalid_argument);
    CHECK_THROWS_AS(with([](SimulatorOptions& x) { x.most_contacts = -1; }), std::invalid_argument);
    Simulator simulator(model);
    const std::vector<double> wrong(2);
    Controls controls;
    controls.tau_s = wrong;
    CHECK_THROWS_AS(simulator.step(controls), std::invalid_argument);
    CHECK_THROWS_AS(simulator.set_state(VectorXd::Zero(2), VectorXd::Zero(3)), std::invalid_argument);
}
