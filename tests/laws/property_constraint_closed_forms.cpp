#include <cmath>

#include "constraints/actuation.hpp"
#include "constraints/constraint_forces.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "support/robots.hpp"

// Constraint forces that can be written down by hand.

namespace {

using namespace test_robots;
using grbda::ConstraintForces;
using grbda::Model;

constexpr double kRounding = 1e-12;
constexpr double kGravity = 9.81;
constexpr double kLength = 0.6;

/// A point mass on a massless arm that hangs down from (x, 0, 0); a positive angle swings it towards +x.
void add_pendulum(grbda::RobotDescription& robot, const std::string& name, double x, double mass) {
    robot.links.push_back({name, grbda::Inertial{mass, {0, 0, -kLength}, Eigen::Matrix3d::Zero()}, {}});
    grbda::JointDescription joint;
    joint.name = name + "_joint";
    joint.parent = "ground";
    joint.child = name;
    joint.origin.translation << x, 0, 0;
    joint.axis = -Eigen::Vector3d::UnitY();
    robot.joints.push_back(joint);
}

grbda::RobotDescription ground(const std::string& name) {
    grbda::RobotDescription robot;
    robot.name = name;
    robot.links.push_back({"ground", {}, {}});
    return robot;
}

/// From the mass of one pendulum to that of the other, level.
void add_rod(grbda::RobotDescription& robot, const std::string& name, double length) {
    grbda::LoopDescription rod;
    rod.name = name;
    rod.type = grbda::LoopType::distance;
    rod.predecessor = "left";
    rod.successor = "right";
    rod.predecessor_origin.translation << 0, 0, -kLength;
    rod.successor_origin.translation << 0, 0, -kLength;
    rod.length = length;
    robot.loops.push_back(rod);
}

/// Two pendula side by side with rods between their masses; the left one is driven.
Model rods(int count) {
    grbda::RobotDescription robot = ground("pendula with rods");
    add_pendulum(robot, "left", 0, 2);
    add_pendulum(robot, "right", 0.9, 3);
    robot.joints[0].independent = true;
    robot.start = {{"left_joint", {0.3}}, {"right_joint", {0.3}}};
    for (int i = 0; i < count; ++i) add_rod(robot, "rod" + std::to_string(i), 0.9);
    return grbda::build_model(robot);
}

struct Swing {
    double angle, rate, acceleration;
};

const Swing swings[] = {{0.4, 0, 0}, {0.4, 2, 0}, {-0.7, -1, 5}, {1.1, 3, -2}};

/// Tension T of the rod, which alone acts on the right pendulum: m l² θ̈ + m g l sin θ = T l cos θ.
double tension(const Swing& swing) {
    return 3 * (kLength * swing.acceleration + kGravity * std::sin(swing.angle)) / std::cos(swing.angle);
}

}  // namespace

TEST_CASE("a pendulum's bearing carries its weight and the forces that accelerate it") {
    grbda::RobotDescription robot = ground("pendulum");
    add_pendulum(robot, "bob", 0.2, 1.5);
    const Model model = grbda::build_model(robot);
    grbda::Workspace<double> data(model);
    ConstraintForces forces(model);
    for (const Swing& swing : swings) {
        const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, swing.angle),
                              yd = Eigen::VectorXd::Constant(1, swing.rate),
                              ydd = Eigen::VectorXd::Constant(1, swing.acceleration);
        REQUIRE(grbda::constraint_forces<double>(model, data, q, yd, ydd, forces).ok());
        const double s = std::sin(swing.angle), c = std::cos(swing.angle);
        // in the body's axes: z up the arm, x along the way of the mass
        const double along = 1.5 * (kGravity * c + kLength * swing.rate * swing.rate),
                     across = 1.5 * (kGravity * s + kLength * swing.acceleration);
        Eigen::Matrix<double, 6, 1> expected;
        expected << across, 0, along, 0, -kLength * across, 0;
        CHECK((forces.joints.col(0) - expected).norm() < kRounding * expected.norm());
        expected << c * across - s * along, 0, s * across + c * along, 0, -kLength * across, 0;
        CHECK((forces.joints_world.col(0) - expected).norm() < kRounding * expected.norm());
        CHECK(std::abs(forces.tau[0] - kLength * across) < kRounding * expected.norm());
    }
}

TEST_CASE("a rod between two pendula pulls with the force that the second one needs") {
    const Model model = rods(1);
    grbda::Workspace<double> data(model);
    ConstraintForces forces(model);
    for (const Swing& swing : swings) {
        const Eigen::Vector2d q(swing.angle, swing.angle);
        const Eigen::VectorXd yd = Eigen::VectorXd::Constant(1, swing.rate),
                              ydd = Eigen::VectorXd::Constant(1, swing.acceleration);
        REQUIRE(grbda::constraint_forces<double>(model, data, q, yd, ydd, forces).ok());
        const double T = tension(swing);
        Eigen::Matrix<double, 6, 1> expected = Eigen::Matrix<double, 6, 1>::Zero();
        expected[0] = T;
        CHECK((forces.loops_world.col(0) - expected).norm() < 10 * kRounding * (1 + std::abs(T)));
        CHECK(std::abs(std::abs(forces.multipliers[0]) - std::abs(T)) < 10 * kRounding * (1 + std::abs(T)));
    }
    grbda::Determinacy unique;
    const Eigen::Vector2d q(0.4, 0.4);
    REQUIRE(grbda::static_determinacy<double>(model, data, q, unique).ok());
    CHECK(unique.loops.all());
    CHECK(unique.joints.all());
    CHECK(unique.redundancy[0] == 0);
}

TEST_CASE("two rods at one place pull half each, and neither force is unique") {
    const Model model = rods(2);
    REQUIRE(model.rows == 2);
    grbda::Workspace<double> data(model);
    ConstraintForces forces(model);
    grbda::Determinacy unique;
    for (const Swing& swing : swings) {
        const Eigen::Vector2d q(swing.angle, swing.angle);
        const Eigen::VectorXd yd = Eigen::VectorXd::Constant(1, swing.rate),
                              ydd = Eigen::VectorXd::Constant(1, swing.acceleration);
        REQUIRE(grbda::constraint_forces<double>(model, data, q, yd, ydd, forces).ok());
        for (int rod = 0; rod < 2; ++rod)
            CHECK(forces.loops_world(0, rod) == Approx(0.5 * tension(swing)).epsilon(10 * kRounding));
        REQUIRE(grbda::static_determinacy<double>(model, data, q, unique).ok());
        CHECK(unique.redundancy[0] == 1);
        CHECK_FALSE(unique.loops.topRows(3).all());
        CHECK(unique.loops.bottomRows(3).all());
        CHECK_FALSE((unique.multipliers[0] != 0 || unique.multipliers[1] != 0));
        CHECK(unique.joints.all());  // the loads of the rods stay between the two masses
    }
}

TEST_CASE("a gear's multiplier turns the links behind it, and acts on a motor there by the ratio") {
    constexpr double I1 = 0.4, I2 = 0.02, ratio = 6, friction = 0.7;
    grbda::RobotDescription robot = ground("gear");
    for (const auto& [name, inertia] : {std::pair{"wheel", I1}, std::pair{"pinion", I2}}) {
        robot.links.push_back(
            {name, grbda::Inertial{1, {0, 0, 0}, inertia * Eigen::Matrix3d::Identity()}, {}});
        grbda::JointDescription joint;
        joint.name = std::string(name) + "_joint";
        joint.parent = "ground";
        joint.child = name;
        joint.axis = Eigen::Vector3d::UnitZ();
        robot.joints.push_back(joint);
    }
    robot.joints[0].independent = true;
    robot.couplings.push_back(
        {"gear",
         grbda::LinearRelation{{{"pinion_joint", 1, {}}, {"wheel_joint", -ratio, {}}}, 0, false},
         {}});
    robot.actuated = {"pinion_joint"};
    const Model model = grbda::build_model(robot);
    REQUIRE(model.nv == 1);
    grbda::Workspace<double> data(model);
    ConstraintForces forces(model);
    const Eigen::VectorXd q = Eigen::VectorXd::Zero(2), yd = Eigen::VectorXd::Zero(1),
                          ydd = Eigen::VectorXd::Constant(1, 5);
    REQUIRE(grbda::constraint_forces<double>(model, data, q, yd, ydd, forces).ok());
    const int row = model.couplings[0].row;
    CHECK(forces.multipliers[row] == Approx(I2 * ratio * 5).epsilon(kRounding));  // the wheel is driven
    CHECK(forces.tau[0] == Approx((I1 + I2 * ratio * ratio) * 5).epsilon(kRounding));

    grbda::Actuation<double> actuation(model);
    REQUIRE(grbda::actuation_jacobian<double>(model, data, q, actuation).ok());
    CHECK(actuation.J(0, 0) == Approx(ratio).epsilon(kRounding));
    Eigen::VectorXd motor(1), applied = Eigen::VectorXd::Zero(2);
    REQUIRE(grbda::motor_forces<double>(model, actuation, forces.tau, motor).ok());
    CHECK(motor[0] == Approx(forces.tau[0] / ratio).epsilon(kRounding));
    // the pinion is driven, and brakes: what is left of its torque goes to the wheel
    const int pinion = model.joint("pinion_joint").v.first;
    applied[pinion] = motor[0] + friction;
    applied[1 - pinion] = -friction * ratio;
    const grbda::Matrix6X<double> none(6, 0);
    REQUIRE(grbda::constraint_forces<double>(model, data, q, yd, ydd, none, applied, forces).ok());
    CHECK(forces.multipliers[row] == Approx(I2 * ratio * 5 - applied[pinion]).epsilon(kRounding));
}

TEST_CASE("motors against each other share their force, and one too few is reported") {
    const Model model = [] {
        Model both = rods(1);
        both.actuated = {1, 1};
        return both;
    }();
    grbda::Workspace<double> data(model);
    grbda::Actuation<double> actuation(model);
    const Eigen::Vector2d q(0.4, 0.4);
    REQUIRE(grbda::actuation_jacobian<double>(model, data, q, actuation).ok());
    CHECK(actuation.redundant == 1);
    CHECK(actuation.undriven == 0);
    Eigen::VectorXd motors(2);
    const Eigen::VectorXd tau = Eigen::VectorXd::Constant(1, 8);
    REQUIRE(grbda::motor_forces<double>(model, actuation, tau, motors).ok());
    CHECK((motors - Eigen::Vector2d(4, 4)).norm() < 8 * kRounding);

    Model base = named("mit_humanoid").model;
    grbda::Workspace<double> data_base(base);
    base.actuated[0] = 0;
    for (std::size_t i = 1; i < base.actuated.size(); ++i) base.actuated[i] = 1;
    grbda::Actuation<double> floating(base);
    REQUIRE(grbda::actuation_jacobian<double>(base, data_base, grbda::neutral_configuration(base), floating)
                .ok());
    CHECK(floating.undriven == 6);
    Eigen::VectorXd forces(floating.J.rows()), wanted = Eigen::VectorXd::Ones(base.nv);
    CHECK(grbda::motor_forces<double>(base, floating, wanted, forces).status == grbda::Status::unbalanced);
    wanted.head<6>().setZero();  // what contacts do is in the wrenches
    CHECK(grbda::motor_forces<double>(base, floating, wanted, forces).ok());
    wanted *= 1e-13;  // as rounding leaves it of a robot that falls
    wanted[0] = 2e-13;
    CHECK(grbda::motor_forces<double>(base, floating, wanted, forces).ok());
}
