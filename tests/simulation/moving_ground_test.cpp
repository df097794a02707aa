#include <algorithm>

#include "simulation/moving_ground_fixture.hpp"

// Ground that moves rigidly, by closed forms.

using namespace simulation_test;
using grbda::BatchSimulator;
using grbda::EnergyBalance;

namespace {

/// Steps that have to go on, and whose energy has to obey the law.
EnergyBalance balance_of(Simulator& simulator, int steps) {
    const double start = simulator.energies().sum();
    EnergyBalance total;
    double highest = 0;
    for (int i = 0; i < steps; ++i) {
        const grbda::StepOutcome outcome = simulator.step();
        INFO("at " << simulator.time() << " s: " << to_string(outcome.result.status));
        REQUIRE(outcome.result.ok());
        total.add(outcome.energy);
        const grbda::Energies energies = simulator.energies();
        highest = std::max(highest, energies.kinetic);
        const double tolerance = 1e-4 * highest + 1e-9;
        REQUIRE(energies.sum() - start <=
                total.controls + total.passive + total.repair + total.ground + tolerance);
    }
    return total;
}

double deepest(const Simulator& simulator) {
    double overlap = 0;
    for (const grbda::ContactState& x : simulator.contacts()) overlap = std::max(overlap, -x.gap);
    return overlap;
}

}  // namespace

TEST_CASE("a treadmill drags a body by friction up to its speed") {
    constexpr double mass = 2, friction = 0.4, speed = 1, until = speed / (friction * kGravity);
    for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid}) {
        const Model model = cube(mass, 0.2);
        SimulatorOptions options;
        options.friction = friction;
        options.contact = contact;
        Simulator simulator(model, options, Plane{});
        simulator.set_ground(Plane{}, {.linear = {speed, 0, 0}});
        REQUIRE(simulator.set_state(pose({0, 0, 0.1}), VectorXd::Zero(6)).ok());
        EnergyBalance work = balance_of(simulator, 200);
        CHECK(simulator.velocity()[0] == Approx(friction * kGravity * 0.2).epsilon(0.01));
        work.add(balance_of(simulator, 1800));
        CHECK(simulator.velocity()[0] == Approx(speed).epsilon(1e-6));
        CHECK(simulator.q()[0] == Approx(speed * (2 - until / 2)).margin(2e-3));
        CHECK(work.ground == Approx(mass * speed * speed).epsilon(0.01));  // half of it becomes heat
        CHECK(work.change == Approx(mass * speed * speed / 2).epsilon(0.01));
    }
}

TEST_CASE("a lift carries a body's weight, does the work of lifting it, and does not sink into it") {
    constexpr double mass = 2, speed = 0.5;
    for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid}) {
        const Model model = cube(mass, 0.2);
        SimulatorOptions options;
        options.contact = contact;
        Simulator simulator(model, options, Plane{});
        simulator.set_ground(Plane{}, moving({0, 0, speed}));
        REQUIRE(simulator.set_state(pose({0, 0, 0.1}), VectorXd::Zero(6)).ok());
        EnergyBalance work = balance_of(simulator, 4000);
        CHECK(simulator.q()[2] == Approx(0.1 + 4 * speed).margin(1e-3));
        CHECK(deepest(simulator) < 1e-3);
        CHECK(simulator.velocity()[2] == Approx(speed).epsilon(1e-6));
        CHECK(total_impulse(simulator) == Approx(mass * kGravity * 1e-3).epsilon(1e-6));
        CHECK(work.ground == Approx(mass * kGravity * 4 * speed + mass * speed * speed).epsilon(1e-3));
        CHECK(work.change == Approx(mass * kGravity * 4 * speed + mass * speed * speed / 2).epsilon(1e-3));
    }
}

TEST_CASE("a lift that goes down fast does not pass through what stands on it") {
    constexpr double speed = -3;
    Model ball = free_bodies({2}, 0.2);
    add_shape(ball, 0, ShapeKind::sphere, {0.002, 0, 0});
    for (const auto& [model, height] : {std::pair{ball, 0.002}, std::pair{cube(2, 0.2), 0.1}}) {
        Simulator simulator(model, {}, Plane{});
        simulator.set_ground(Plane{}, moving({0, 0, speed}));
        const VectorXd q = pose({0, 0, height});
        REQUIRE(simulator.set_state(q, rates(model, q, {0, 0, speed})).ok());
        for (int i = 0; i < 500; ++i) {
            const grbda::StepOutcome outcome = simulator.step();
            REQUIRE(outcome.result.ok());
            REQUIRE(outcome.parts == 1);
        }
        CHECK(simulator.q()[2] == Approx(q[2] + 0.5 * speed).margin(1e-4));
        CHECK(total_impulse(simulator) == Approx(2 * kGravity * 1e-3).epsilon(1e-6));
    }
}

TEST_CASE("a lift does the work that lifts a robot which servos hold") {
    constexpr double speed = 0.3;
    const Model model = tangible(named("mini_cheetah").model);
    SimulatorOptions options;
    options.servo_stiffness.assign(static_cast<std::size_t>(model.nv_tree), 0);
    options.servo_damping.assign(static_cast<std::size_t>(model.nv_tree), 0);
    for (const grbda::Body& body : model.bodies) {
        if (velocity_size(body.joint) != 1 || body.rotor) continue;
        options.servo_stiffness[body.v] = 100;
        options.servo_damping[body.v] = 5;
    }
    const Plane ground{{0, 0, 1}, -0.45};
    Simulator simulator(model, options, ground);
    simulator.set_ground(ground, moving({0, 0, speed}));
    const VectorXd q = grbda::neutral_configuration(model);
    REQUIRE(simulator.set_state(q, rates(model, q, {0, 0, speed})).ok());
    balance_of(simulator, 1000);
    const EnergyBalance work = balance_of(simulator, 2000);
    double mass = 0;
    for (const grbda::Body& body : model.bodies) mass += body.mass;
    CHECK(work.ground == Approx(mass * kGravity * 2 * speed).epsilon(2e-3));
    CHECK(work.change == Approx(mass * kGravity * 2 * speed).epsilon(2e-3));
}

TEST_CASE("a lift that accelerates presses with the mass times its acceleration more") {
    constexpr double mass = 2, a = 3, h = 1e-3;
    const Model model = cube(mass, 0.2);
    Simulator simulator(model, {}, Plane{});
    REQUIRE(simulator.set_state(pose({0, 0, 0.1}), VectorXd::Zero(6)).ok());
    run(simulator, 100);
    for (int i = 0; i < 1000; ++i) {
        const double t = simulator.time() - 0.1;
        simulator.set_ground(Plane{{0, 0, 1}, a * t * t / 2},
                             moving({0, 0, a * (t + h / 2)}, {0, 0, 0}, simulator.time()));
        run(simulator, 1);
    }
    CHECK(total_impulse(simulator) == Approx(mass * (kGravity + a) * h).epsilon(1e-4));
    CHECK(simulator.q()[2] == Approx(0.1 + a / 2).margin(1e-3));
    CHECK(deepest(simulator) < 1e-3);
}

namespace {

/// Way that a body slides down a plane that has tilted from level at ω up to an angle, its centre d above.
///   s̈ = g sin θ + ω² s − μ (g cos θ − 2 ω ṡ − ω² d)
double expected_slide(double angle, double omega, double friction, double d) {
    constexpr double dt = 1e-5;
    double s = 0, speed = 0;
    for (double t = 0; t < angle / omega; t += dt) {
        const double theta = omega * t;
        const double normal = kGravity * std::cos(theta) - 2 * omega * speed - omega * omega * d;
        const double push = kGravity * std::sin(theta) + omega * omega * s - friction * normal;
        if (speed > 0 || push > 0) speed += push * dt;
        s += speed * dt;
    }
    return s;
}

}  // namespace

TEST_CASE("a body stays on a plane that tilts up to the angle of friction, and slides beyond") {
    constexpr double friction = 0.5, omega = 0.2, mass = 2;
    for (const Ground& ground : {Ground(Plane{}), Ground(flat_field())})
        for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid}) {
            const Model model = cube(mass, 0.2);
            SimulatorOptions options;
            options.friction = friction;
            options.contact = contact;
            Simulator simulator(model, options, ground);
            simulator.set_ground(ground, moving({0, 0, 0}, {0, omega, 0}));
            const VectorXd q = pose({0, 0, 0.1});
            REQUIRE(simulator.set_state(q, rates(model, q, {0.1 * omega, 0, 0}, {0, omega, 0})).ok());
            const auto slide = [&] {  // along the plane
                const double angle = omega * simulator.time();
                return simulator.q()[0] * std::cos(angle) - simulator.q()[2] * std::sin(angle);
            };
            const double limit = std::atan(friction);
            EnergyBalance work = balance_of(simulator, static_cast<int>((limit - 0.01) / omega / 1e-3));
            CHECK(std::abs(slide()) < 1e-4);
            CHECK(work.ground == Approx(work.change).epsilon(1e-3));
            CHECK(work.change == Approx(mass * kGravity * 0.1 * (std::cos(limit - 0.01) - 1)).epsilon(1e-3));
            balance_of(simulator, static_cast<int>(0.11 / omega / 1e-3));
            const double expected = expected_slide(omega * simulator.time(), omega, friction, 0.1);
            CHECK(slide() == Approx(expected).epsilon(0.02));
        }
}

TEST_CASE("a body on a turntable keeps its place") {
    constexpr double omega = 4, radius = 0.4, duration = 5;
    const Model model = cube(2, 0.2);
    for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid}) {
        SimulatorOptions options;
        options.contact = contact;
        Simulator simulator(model, options, Plane{});
        simulator.set_ground(Plane{}, moving({0, 0, 0}, {0, 0, omega}));
        const VectorXd q = pose({radius, 0, 0.1});
        REQUIRE(simulator.set_state(q, rates(model, q, {0, omega * radius, 0}, {0, 0, omega})).ok());
        balance_of(simulator, static_cast<int>(duration / 1e-3));
        const Vector3d at = simulator.q().head<3>();
        const Vector3d expected =
            Eigen::AngleAxisd(omega * duration, Vector3d::UnitZ()) * Vector3d(radius, 0, 0.1);
        CHECK((at - expected).norm() < 3e-6);
    }
}

TEST_CASE("a batch finds moving ground at the time of each simulation, and a snapshot goes on to the bit") {
    const Model model = tangible(named("mini_cheetah").model);
    const Plane ground{{0, 0, 1}, -0.28};
    const GroundMotion motion = moving({0.3, 0, 0.1}, {0.05, -0.2, 0.4}, 0.2);
    BatchSimulator batch(model, 2, {}, ground, 2);
    batch.set_ground(ground, motion);
    const VectorXd q = grbda::neutral_configuration(model), qd = VectorXd::Zero(model.nv_tree);
    for (const int i : {0, 1}) {
        Simulator alone(model, {}, ground);
        alone.set_ground(ground, motion);
        const double start = 0.3 * i;
        REQUIRE(alone.set_state(q, qd, start).ok());
        REQUIRE(batch.set_state(i, q, qd, start).ok());
        run(alone, 120);
        const grbda::SimulatorState middle = alone.state();
        run(alone, 60);
        REQUIRE(batch.step_some(i, 1, {}, 180).ok());
        CHECK(batch.q(i) == alone.q());
        CHECK_FALSE(alone.contacts().empty());
        const VectorXd end = alone.q();
        alone.restore(middle);
        run(alone, 60);
        CHECK(alone.q() == end);
        CHECK_FALSE(alone.contacts().empty());
    }
    CHECK(batch.q(0) != batch.q(1));
}

TEST_CASE("ground with a motion of zero is ground at rest, to the bit") {
    const Model model = tangible(named("mini_cheetah").model);
    for (const Ground& ground : {Ground(Plane{{0, 0, 1}, -0.28}), Ground(hills(-0.3))}) {
        Simulator moved(model, {}, ground), rests(model, {}, ground);
        moved.set_ground(ground, moving({0, 0, 0}, {0, 0, 0}, 3));
        run(moved, 200);
        run(rests, 200);
        CHECK(moved.q() == rests.q());
        CHECK(moved.velocity() == rests.velocity());
        CHECK_FALSE(moved.contacts().empty());
    }
}

TEST_CASE("rays meet moving ground where it is at the time of each simulation") {
    const Model model = cube(2, 0.2);
    BatchSimulator batch(model, 2);
    const VectorXd q = pose({0, 0, 50});
    REQUIRE(batch.set_state(0, q, VectorXd::Zero(6), 1).ok());
    REQUIRE(batch.set_state(1, q, VectorXd::Zero(6), 2).ok());
    const grbda::Ray down{{1, 0, 5}, {0, 0, -1}};
    const std::vector<grbda::Ray> rays{down, down};
    std::vector<double> distances(2);
    batch.set_ground(Plane{}, moving({0, 0, 0.5}, {0, 0, 0}, 1));
    REQUIRE(batch.cast_rays(rays, distances).ok());
    CHECK(distances[0] == Approx(5));
    CHECK(distances[1] == Approx(4.5));
    // turned by angle about y, the plane is at z = −tan(angle) at x = 1
    batch.set_ground(Plane{}, moving({0, 0, 0}, {0, 0.3, 0}));
    REQUIRE(batch.cast_rays(rays, distances).ok());
    CHECK(distances[0] == Approx(5 + std::tan(0.3)));
    CHECK(distances[1] == Approx(5 + std::tan(0.6)));
    // about an axis through (2, 0, 0), which the screw motion has as its own
    batch.set_ground(Plane{}, moving({0, 0, 0.6}, {0, 0.3, 0}));
    REQUIRE(batch.cast_rays(rays, distances).ok());
    CHECK(distances[0] == Approx(5 - std::tan(0.3)));
    const grbda::HeightField field = hills();
    batch.set_ground(field, moving({0.4, -0.2, 0.1}, {0, 0, 0}, 1));
    REQUIRE(batch.cast_rays(rays, distances).ok());
    CHECK(distances[0] == Approx(5 - *grbda::ground_height(field, 1, 0)));
    CHECK(distances[1] == Approx(5 - 0.1 - *grbda::ground_height(field, 0.6, 0.2)));
}

TEST_CASE("a motion of the ground that is not finite is refused and changes nothing") {
    const Model model = cube(2, 0.2);
    Simulator simulator(model, {}, Plane{});
    REQUIRE(simulator.set_state(pose({0, 0, 0.1}), VectorXd::Zero(6)).ok());
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    const Plane lower{{0, 0, 1}, -1};
    CHECK_THROWS_AS(simulator.set_ground(lower, moving({nan, 0, 0})), std::invalid_argument);
    CHECK_THROWS_AS(simulator.set_ground(lower, moving({0, 0, 0}, {0, infinity, 0})), std::invalid_argument);
    CHECK_THROWS_AS(simulator.set_ground(lower, moving({0, 0, 1}, {0, 0, 0}, nan)), std::invalid_argument);
    BatchSimulator batch(model, 2, {}, Plane{});
    CHECK_THROWS_AS(batch.set_ground(lower, moving({0, nan, 0})), std::invalid_argument);
    run(simulator, 100);
    CHECK(simulator.q()[2] == Approx(0.1).margin(1e-3));
}
