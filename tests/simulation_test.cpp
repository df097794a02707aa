#include <cmath>
#include <limits>
#include <stdexcept>

#include "grbda/algorithms/configuration.hpp"
#include "grbda/algorithms/coordinates.hpp"
#include "grbda/algorithms/embedding.hpp"
#include "grbda/algorithms/energy.hpp"
#include "grbda/algorithms/kinematics.hpp"
#include "grbda/algorithms/closure.hpp"
#include "grbda/collision/convex.hpp"
#include "grbda/simulation/simulator.hpp"
#include "robots.hpp"

// Bodies that touch, against what mechanics says of them.

namespace {

using namespace test_robots;
using Eigen::Vector3d;
using Eigen::VectorXd;
using grbda::ContactModel;
using grbda::Controls;
using grbda::Data;
using grbda::Ground;
using grbda::Model;
using grbda::Plane;
using grbda::ShapeKind;
using grbda::Simulator;
using grbda::SimulatorOptions;

constexpr double kGravity = 9.81;

/// A shape fixed in a body, centred there.
void add_shape(Model& model, int body, ShapeKind kind, const Vector3d& size, const Vector3d& at = {0, 0, 0}) {
    grbda::BodyShape shape;
    shape.body = body;
    shape.shape.kind = kind;
    shape.shape.size = size;
    shape.position = {at.x(), at.y(), at.z()};
    shape.rotation = grbda::Matrix3<double>::identity();
    shape.collision = true;
    model.shapes.push_back(shape);
}

grbda::LinkDescription link(const std::string& name, double mass, double size) {
    grbda::LinkDescription result;
    result.name = name;
    result.inertial =
        grbda::Inertial{mass, Vector3d::Zero(), mass * size * size / 6 * Eigen::Matrix3d::Identity()};
    return result;
}

/// Free bodies, cubes of unit density but for their mass, one floating joint each.
Model free_bodies(const std::vector<double>& masses, double size) {
    grbda::RobotDescription robot;
    robot.name = "bodies";
    robot.links.push_back({"world_link", {}, {}});
    for (std::size_t i = 0; i < masses.size(); ++i) {
        const std::string name = "body" + std::to_string(i);
        robot.links.push_back(link(name, masses[i], size));
        grbda::JointDescription joint;
        joint.name = "joint" + std::to_string(i);
        joint.type = grbda::JointType::floating;
        joint.parent = "world_link";
        joint.child = name;
        robot.joints.push_back(joint);
    }
    return grbda::build_model(robot, {});
}

Model cube(double mass, double size) {
    Model model = free_bodies({mass}, size);
    add_shape(model, 0, ShapeKind::box, Vector3d::Constant(size));
    return model;
}

/// A plane that falls by `angle` along x.
Plane incline(double angle) { return {{std::sin(angle), 0, std::cos(angle)}, 0}; }

/// q of a free body.
VectorXd pose(const Vector3d& position, const Eigen::Vector4d& quaternion = {0, 0, 0, 1}) {
    VectorXd q(7);
    q << position, quaternion;
    return q;
}

void run(Simulator& simulator, int steps, const Controls& controls = {}) {
    for (int i = 0; i < steps; ++i) {
        const grbda::StepOutcome outcome = simulator.step(controls);
        INFO("step " << i << ": " << to_string(outcome.result.status));
        REQUIRE(outcome.result.ok());
        REQUIRE(outcome.contact.status == grbda::Status::ok);
        REQUIRE_FALSE(outcome.crowded);
    }
}

/// Speed down an incline of tan = ratio · friction after a second, of a cube laid on it.
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

double total_impulse(const Simulator& simulator) {
    double sum = 0;
    for (const grbda::ContactState& contact : simulator.contacts()) sum += contact.impulse[2];
    return sum;
}

}  // namespace

TEST_CASE("a block stays on an incline below its friction's angle, and slides above it") {
    for (const ContactModel contact : {ContactModel::compliant, ContactModel::rigid, ContactModel::coulomb})
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
    options.contact = ContactModel::coulomb;
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
Eigen::Matrix<double, 6, 1> momentum(Simulator& simulator) {
    const Model& model = simulator.model();
    Data<double> data(model);
    grbda::MechanicalState<double> mechanics;
    VectorXd yd(model.nv);
    REQUIRE(grbda::choose_coordinates<double>(model, data, simulator.q(), grbda::Marks::ignored).ok());
    grbda::independent_part<double>(model, data, simulator.velocity(), yd);
    REQUIRE(grbda::mechanical_state<double>(model, data, simulator.q(), yd, mechanics).ok());
    Eigen::Matrix<double, 6, 1> result;
    result << mechanics.linear_momentum, mechanics.angular_momentum;
    return result;
}

TEST_CASE("momentum is conserved in free flight, rotors spinning and loops moving") {
    for (const char* name : {"mit_humanoid", "tello", "mini_cheetah", "digit"}) {
        INFO(name);
        const Model model = grbda::with_gravity(named(name).model, {0, 0, 0});
        Random random(7);
        State state;
        REQUIRE(random_state(model, random, state));
        Simulator simulator(model);
        Data<double> data(model);
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
        Data<double> data(model);
        REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
        model.shapes.clear();  // its own feet
        height = std::numeric_limits<double>::infinity();
        for (const std::string& foot : feet) {
            const int frame = grbda::frame_index(model, foot);
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

TEST_CASE("a biped that stands has its weight on its feet") {
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

TEST_CASE("loops stay closed while a robot falls on the ground") {
    for (const char* name : {"tello", "digit_leg", "four_bar", "cassie_like"}) {
        INFO(name);
        Model model = named(name).model;
        for (int body = 0; body < model.body_count(); ++body)
            if (!model.bodies[body].rotor) add_shape(model, body, ShapeKind::sphere, {0.02, 0, 0});
        Data<double> data(model);
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

TEST_CASE("a linkage that is driven against a stop of a dependent joint stands there") {
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
    Data<double> data(model);
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
    const int a = grbda::frame_index(model, "body0"), b = grbda::frame_index(model, "body1");
    model.self_collision.ignored = {{std::min(a, b), std::max(a, b)}};
    CHECK(is_ignored(model.self_collision, b, a));
    CHECK(passes());
}
