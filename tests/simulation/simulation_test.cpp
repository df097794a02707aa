#include "simulation/simulation_fixture.hpp"

// Bodies that touch, against what mechanics says of them.

using namespace simulation_test;

namespace {

double slide_speed(ContactModel contact, double friction, double ratio) {
    const double angle = std::atan(ratio * friction), half = 0.05;
    SimulatorOptions options;
    options.contact = contact;
    options.friction = friction;
    Simulator simulator(cube(1, 2 * half), options, incline(angle));
    const Vector3d normal(std::sin(angle), 0, std::cos(angle));
    REQUIRE(simulator
                .set_state(pose(half * normal, {0, std::sin(angle / 2), 0, std::cos(angle / 2)}),
                           VectorXd::Zero(6))
                .ok());
    run(simulator, 1000);
    return simulator.velocity()[0];  // in its own axes, x down the slope
}

}  // namespace

TEST_CASE("a block stays on an incline below its friction's angle, and slides above it") {
    for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid})
        for (const double friction : {0.3, 0.8}) {
            INFO("model " << static_cast<int>(contact) << ", friction " << friction);
            CHECK(std::abs(slide_speed(contact, friction, 0.999)) < 1e-5);
            for (const double ratio : {1.001, 1.2, 2.}) {
                const double angle = std::atan(ratio * friction);
                const double expected = kGravity * (std::sin(angle) - friction * std::cos(angle));
                INFO("ratio " << ratio);
                CHECK(slide_speed(contact, friction, ratio) == Approx(expected).epsilon(0.01).margin(1e-3));
            }
        }
}

TEST_CASE("a ball that is dropped lands in time and does not rebound") {
    const double radius = 0.1, height = 1;
    Model model = free_bodies({2}, 0.2);
    add_shape(model, 0, ShapeKind::sphere, {radius, 0, 0});
    Simulator simulator(model, {}, Plane{});
    REQUIRE(simulator.set_state(pose({0, 0, radius + height}), VectorXd::Zero(6)).ok());
    const double time = std::sqrt(2 * height / kGravity);
    while (total_impulse(simulator) == 0 && simulator.time() < 1) run(simulator, 1);
    CHECK(simulator.time() == Approx(time).margin(2e-3));
    double lowest = 1, rebound = 0;
    for (int i = 0; i < 500; ++i) {
        run(simulator, 1);
        lowest = std::min(lowest, simulator.q()[2]);
        rebound = std::max(rebound, simulator.q()[2] - lowest);
    }
    CHECK(rebound < 3e-4);  // what overlap it lands with is undone softly
    CHECK(simulator.q()[2] == Approx(radius).margin(1e-4));
    CHECK(total_impulse(simulator) == Approx(2 * kGravity * 1e-3).epsilon(1e-6));
}

TEST_CASE("a ball that slides comes to roll, with five sevenths of its speed") {
    const double radius = 0.1, speed = 2;
    grbda::RobotDescription robot;
    robot.name = "ball";
    robot.links.push_back({"world_link", {}, {}});
    robot.links.push_back(link("ball", 1, 0));
    robot.links[1].inertial->inertia = 0.4 * radius * radius * Eigen::Matrix3d::Identity();
    grbda::JointDescription joint;
    joint.name = "free";
    joint.type = grbda::JointType::floating;
    joint.parent = "world_link";
    joint.child = "ball";
    robot.joints.push_back(joint);
    Model model = grbda::build_model(robot, {});
    add_shape(model, 0, ShapeKind::sphere, {radius, 0, 0});
    SimulatorOptions options;
    options.friction = 0.5;
    options.contact = ContactModel::rigid;
    Simulator simulator(model, options, Plane{});
    VectorXd qd = VectorXd::Zero(6);
    qd[0] = speed;
    REQUIRE(simulator.set_state(pose({0, 0, radius}), qd).ok());
    run(simulator, 1000);
    // along the world's x: the ball has turned, and its velocity is in its own axes
    const double before = simulator.q()[0];
    run(simulator, 100);
    CHECK((simulator.q()[0] - before) / 0.1 == Approx(5. / 7 * speed).epsilon(2e-3));
}

TEST_CASE("a heavy block on light ones stands, and each bears what is above it") {
    const double size = 0.1;
    const std::vector<double> masses{1, 1, 1, 1, 1, 1e4};
    Model model = free_bodies(masses, size);
    VectorXd q(7 * masses.size());
    for (std::size_t i = 0; i < masses.size(); ++i) {
        add_shape(model, static_cast<int>(i), ShapeKind::sphere, {size / 2, 0, 0});
        q.segment<7>(static_cast<Eigen::Index>(7 * i)) = pose({0, 0, size * (static_cast<double>(i) + 0.5)});
    }
    SimulatorOptions options;
    options.contact = ContactModel::rigid;
    options.self_collision = true;
    Simulator simulator(model, options, Plane{});
    REQUIRE(simulator.set_state(q, VectorXd::Zero(model.nv_tree)).ok());
    run(simulator, 200);
    double below = 0;
    for (const grbda::ContactState& contact : simulator.contacts())
        if (contact.contact.other == grbda::world) below += contact.impulse[2];
    CHECK(below == Approx((1e4 + 5) * kGravity * 1e-3).epsilon(1e-3));
    CHECK(simulator.q()[7 * 5 + 2] == Approx(size * 5.5).margin(1e-3));
}

TEST_CASE("energy does not grow through impacts") {
    int impacts = 0;
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
        Random random(500 + seed);
        Model model = cube(1, 0.2);
        SimulatorOptions options;
        options.friction = 0.7;
        options.recovery = 0;  // what undoes overlap lifts
        Simulator simulator(model, options, Plane{});
        Eigen::Vector4d turn = random_vector(random, 4).head<4>();
        VectorXd qd = random_vector(random, 6, 5);
        REQUIRE(simulator.set_state(pose({0, 0, 0.5}, turn.normalized()), qd).ok());
        double energy = simulator.energies().sum();
        for (int i = 0; i < 1500; ++i) {
            run(simulator, 1);
            const double now = simulator.energies().sum();
            impacts += total_impulse(simulator) > 0;
            // of free flight the rule's own error: h v g h m, and a little of the spin
            CHECK(now < energy + 1e-3);
            energy = now;
        }
    }
    CHECK(impacts > 1000);
}

/// Momentum, and angular momentum about the centre of mass.
TEST_CASE("a ball that spins bears its weight, in however many parts a step is taken") {
    Model model = free_bodies({1}, 0.1);
    add_shape(model, 0, ShapeKind::sphere, {0.1, 0, 0});
    SimulatorOptions options;
    options.step = 0.01;
    options.friction = 0;
    for (const double spin : {0., 5., 25., 70., 300.}) {
        INFO("spin " << spin);
        Simulator simulator(model, options, Plane{});
        VectorXd qd = VectorXd::Zero(6);
        qd[5] = spin;
        REQUIRE(simulator.set_state(pose({0, 0, 0.1}), qd).ok());
        run(simulator, 50);
        CHECK(total_impulse(simulator) == Approx(kGravity * options.step).epsilon(1e-2));
    }
}

TEST_CASE("what is mounted on something may overlap it there") {
    Model model = named("double_pendulum").model;
    Simulator bare(model);
    add_shape(model, 0, ShapeKind::sphere, {0.1, 0, 0});
    add_shape(model, grbda::world, ShapeKind::sphere, {0.1, 0, 0});
    Simulator based(model);
    run(bare, 200);
    run(based, 200);
    CHECK(based.contacts().empty());
    CHECK(based.q() == bare.q());
}

TEST_CASE("boxes and cylinders stand on a box of the world by searched pairs, and fall through without") {
    constexpr double size = 0.1;
    for (const ShapeKind kind : {ShapeKind::box, ShapeKind::cylinder}) {
        Model model = free_bodies({1}, size);
        add_shape(model, 0, kind,
                  kind == ShapeKind::box ? Vector3d::Constant(size) : Vector3d(size / 2, size, 0));
        add_shape(model, grbda::world, ShapeKind::box, {1, 1, 0.2}, {0, 0, 0.4});
        SimulatorOptions options;
        for (const bool is_searched : {true, false}) {
            options.other_pairs = is_searched ? &grbda::collide_convex : nullptr;
            Simulator simulator(model, options);
            REQUIRE(simulator.set_state(pose({0.1, 0.2, 0.56}), VectorXd::Zero(6)).ok());
            run(simulator, 1000);
            if (!is_searched) {
                CHECK(simulator.q()[2] < -1);
                continue;
            }
            CHECK((simulator.q() - pose({0.1, 0.2, 0.55})).norm() < 1e-3);
            // a cylinder rocks on the lowest point of its rim, as it does on the ground
            CHECK(simulator.velocity().norm() < (kind == ShapeKind::box ? 1e-6 : 2e-3));
            double push = 0;
            for (const grbda::ContactState& contact : simulator.contacts()) push += contact.impulse[2];
            CHECK(push == Approx(kGravity * options.step).epsilon(1e-3));
            CHECK(simulator.contacts().size() >= 4);
        }
    }
}

TEST_CASE("a cylinder stands still on its cap") {
    Model model = free_bodies({2}, 0.2);
    add_shape(model, 0, ShapeKind::cylinder, {0.1, 0.4, 0});
    Simulator simulator(model, {}, Plane{});
    REQUIRE(simulator.set_state(pose({0, 0, 0.2}), VectorXd::Zero(6)).ok());
    run(simulator, 1000);
    CHECK(simulator.velocity().norm() < 1e-10);
}

TEST_CASE("without contacts a ball falls through the ground, by rules for smooth motion too") {
    Model model = free_bodies({1}, 0.1);
    add_shape(model, 0, ShapeKind::sphere, {0.1, 0, 0});
    for (const StepRule rule : {StepRule::semi_implicit, StepRule::runge_kutta}) {
        SimulatorOptions options;
        options.contacts = false;
        options.rule = rule;
        Simulator simulator(model, options, Plane{});
        run(simulator, 500);
        CHECK(simulator.contacts().empty());
        CHECK(simulator.q()[2] == Approx(-0.5 * kGravity * 0.25).epsilon(0.01));
    }
}

TEST_CASE("a stack of boxes stands by searched pairs") {
    constexpr double size = 0.1;
    Model model = free_bodies({1, 1, 1}, size);
    VectorXd q(21);
    for (int i = 0; i < 3; ++i) {
        add_shape(model, i, ShapeKind::box, Vector3d::Constant(size));
        q.segment(7 * i, 7) = pose({0.01 * i, 0, size * (0.5 + i)});
    }
    SimulatorOptions options;
    options.self_collision = true;
    options.other_pairs = &grbda::collide_convex;
    Simulator simulator(model, options, Plane{});
    REQUIRE(simulator.set_state(q, VectorXd::Zero(18)).ok());
    run(simulator, 500);
    CHECK((simulator.q() - q).norm() < 2e-3);
    CHECK(simulator.velocity().norm() < 1e-4);
}

TEST_CASE("bodies pass through one another where masks or the files say so") {
    constexpr double size = 0.1;
    Model model = free_bodies({1, 1}, size);
    for (int i = 0; i < 2; ++i) {
        add_shape(model, i, ShapeKind::sphere, {size / 2, 0, 0});
        model.shapes[i].link = "body" + std::to_string(i);
    }
    VectorXd q(14), qd = VectorXd::Zero(12);
    q << pose({0, 0, 0}), pose({0.01, 0, 0.2});
    qd[8] = -1;
    /// Whether the upper body is below the lower one after it has met it.
    const auto passes = [&] {
        SimulatorOptions options;
        options.self_collision = true;
        Simulator simulator(model, options);
        REQUIRE(simulator.set_state(q, qd).ok());
        run(simulator, 400);
        return simulator.q()[9] < simulator.q()[2];
    };
    CHECK_FALSE(passes());
    model.shapes[0].mask = {2, 0};
    CHECK(passes());
    model.shapes[1].mask = {4, 2};
    CHECK_FALSE(passes());
    const int a = model.frame("body0").index, b = model.frame("body1").index;
    model.self_collision.ignored = {{std::min(a, b), std::max(a, b)}};
    CHECK(is_ignored(model.self_collision, b, a));
    CHECK(passes());
}

namespace {

/// Ground at 0 with a wall of 1 m, two samples thick, across x = 1.
grbda::HeightField wall() {
    grbda::HeightField field;
    field.columns = 201;
    field.rows = 3;
    field.spacing_x = 0.02;
    field.origin = {-1, -1, 0};
    for (int row = 0; row < field.rows; ++row)
        for (int column = 0; column < field.columns; ++column)
            field.heights.push_back(column == 100 || column == 101 ? 1 : 0);
    return field;
}

Model small_ball() {
    Model model = free_bodies({1}, 0.02);
    add_shape(model, 0, ShapeKind::sphere, {0.02, 0, 0});
    return model;
}

}  // namespace

TEST_CASE("a small ball does not pass through the ground, a thin floor or a wall, however long steps are") {
    for (const double step : {0.5, 0.1, 0.02}) {
        INFO("step " << step);
        SimulatorOptions options;
        options.step = step;
        const auto fall = [&](const Model& model, const Ground& ground) {
            Simulator simulator(model, options, ground);
            REQUIRE(simulator.set_state(pose({0, 0, 1}), VectorXd::Zero(6)).ok());
            for (int i = 0; simulator.time() < 2; ++i) {
                REQUIRE(simulator.step().result.ok());
                CHECK(simulator.q()[2] > 0);
            }
        };
        fall(small_ball(), Plane{});
        Model above_floor = small_ball();
        add_shape(above_floor, grbda::world, ShapeKind::box, {2, 2, 0.01});
        fall(above_floor, {});
        Simulator simulator(grbda::with_gravity(small_ball(), {0, 0, 0}), options, wall());
        VectorXd qd = VectorXd::Zero(6);
        qd[0] = 7;
        REQUIRE(simulator.set_state(pose({-0.5, 0, 0.3}), qd).ok());
        for (int i = 0; simulator.time() < 1; ++i) {
            const grbda::StepOutcome outcome = simulator.step();
            REQUIRE(outcome.result.ok());
            CHECK(simulator.q()[0] < 1.02);
        }
    }
}

TEST_CASE("robots that fall overlap the ground by no more than they move in a step") {
    for (const char* name : {"mit_humanoid", "tello", "mini_cheetah", "cassie_like"})
        for (const double step : {5e-3, 2e-3, 1e-3}) {
            SimulatorOptions options;
            options.step = step;
            options.passive = false;
            const double drop = name == std::string("cassie_like") ? 1.5 : 0.9;
            Simulator simulator(named(name).model, options, Plane{{0, 0, 1}, -drop});
            double deepest = 0;
            for (int i = 0; simulator.time() < 1; ++i) {
                REQUIRE(simulator.step().result.ok());
                for (const grbda::ContactState& contact : simulator.contacts())
                    deepest = std::max(deepest, -contact.gap);
            }
            const double fall = std::sqrt(2 * kGravity * drop);  // m/s at most
            INFO(name << ", step " << step << ", overlap " << deepest);
            CHECK(deepest < std::max(1e-3, fall * step + kGravity * step * step / 2));
        }
}

TEST_CASE("a simulation goes on from a snapshot to the bit") {
    Simulator simulator(tangible(named("tello").model), {}, Plane{{0, 0, 1}, -0.7});
    run(simulator, 400);
    REQUIRE(total_impulse(simulator) > 0);
    const grbda::SimulatorState snapshot = simulator.state();
    CHECK(snapshot.time() == simulator.time());
    const auto end = [&] {
        run(simulator, 100);
        VectorXd all(simulator.q().size() + simulator.velocity().size());
        all << simulator.q(), simulator.velocity();
        return all;
    };
    const VectorXd once = end();
    const double time = simulator.time();
    simulator.restore(snapshot);
    CHECK(simulator.time() == snapshot.time());
    CHECK(end() == once);
    CHECK(simulator.time() == time);
    Simulator another(tangible(named("tello").model), {}, Plane{{0, 0, 1}, -0.7});
    another.restore(snapshot);
    run(another, 100);
    CHECK(another.q() == once.head(another.q().size()));
    another.restore(grbda::SimulatorState::from_bytes(snapshot.bytes()));
    CHECK(another.time() == snapshot.time());
    run(another, 100);
    CHECK(another.q() == once.head(another.q().size()));
    const std::string bytes = snapshot.bytes();
    for (const std::size_t size : {std::size_t{0}, std::size_t{20}, bytes.size() / 2, bytes.size() - 1})
        CHECK_THROWS_AS(grbda::SimulatorState::from_bytes(bytes.substr(0, size)), std::invalid_argument);
    CHECK_THROWS_AS(grbda::SimulatorState{}.bytes(), std::invalid_argument);
    Simulator cubes(cube(1, 0.1));
    CHECK_THROWS_AS(cubes.restore(snapshot), std::invalid_argument);
    CHECK_THROWS_AS(cubes.restore({}), std::invalid_argument);
}

TEST_CASE("a state that is set has the time that is given") {
    Simulator simulator(cube(1, 0.1));
    run(simulator, 3);
    REQUIRE(simulator.set_state(pose({0, 0, 1}), VectorXd::Zero(6), 2.5).ok());
    CHECK(simulator.time() == 2.5);
    run(simulator, 2);
    CHECK(simulator.time() == Approx(2.502));
    REQUIRE(simulator.set_state(pose({0, 0, 1}), VectorXd::Zero(6)).ok());
    CHECK(simulator.time() == 0);
    CHECK_FALSE(simulator.set_state(pose({0, 0, 1}), VectorXd::Zero(6), std::nan("")).ok());
}
