#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/rnea.hpp"
#include "grbda/io/load.hpp"
#include "grbda/io/mjcf.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Armature is inertia of a joint's own motion: forces are the rates of its momentum, seen from the parent.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::JointType;
using grbda::Model;
using grbda::Workspace;

constexpr int kStates = 2;
constexpr double kRounding = 1e-10;  // of sums with bodies many times heavier than the armature

grbda::RobotDescription with_armature(grbda::RobotDescription robot, double factor, double added) {
    for (grbda::JointDescription& joint : robot.joints)
        if (joint.type != JointType::fixed) joint.armature = factor * joint.armature + added;
    return robot;
}

VectorXd spanning_rates(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& yd) {
    REQUIRE(grbda::spanning_velocity<double>(model, data, q, yd).ok());
    return data.qd;
}

VectorXd inverse(const Model& model, Workspace<double>& data, const State& state) {
    REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
    return data.tau;
}

/// Rotation from the axes of the linear velocity of a floating joint to the joint's frame; of others none.
template <class Turn>
void turn_linear_parts(const Model& model, const VectorXd& q, VectorXd& x, Turn&& turn) {
    for (const grbda::Body& body : model.bodies) {
        if (body.joint != JointType::floating) continue;
        const Eigen::Matrix3d R = motion::quaternion(q, body.q + 3).normalized().toRotationMatrix();
        x.segment<3>(body.v) = turn(R) * Eigen::Vector3d(x.segment<3>(body.v));
    }
}

/// j q̇ of every joint, in axes that are fixed in the parent.
VectorXd momentum(const Model& model, Workspace<double>& data, const VectorXd& armature,
                  const motion::Instant& now) {
    VectorXd result = armature.cwiseProduct(spanning_rates(model, data, now.q, now.yd));
    turn_linear_parts(model, now.q, result, [](const Eigen::Matrix3d& R) { return R; });
    return result;
}

}  // namespace

TEST_CASE("armature takes the rate of its momentum as seen from the parent on every robot") {
    int floating = 0;
    at_random_states(all(), kStates, 141, [&](const Robot& robot, const State& state, Random&) {
        constexpr double added = 0.7;
        if (!robot.model.rods.empty()) return;  // links with armature in their joints are no rods
        const Model model = grbda::build_model(with_armature(robot.description, 1, added), robot.options);
        if (model.nq != robot.model.nq)
            return;  // joints that close loops have coordinates if they have armature
        Workspace<double> data(model), plain(robot.model);
        REQUIRE(model.layout == robot.model.layout);
        const VectorXd armature = VectorXd::Constant(model.nv_tree, added);
        VectorXd rate = motion::derivative([&](double t) {
            return momentum(robot.model, plain, armature, motion::along(robot.model, plain, state, t));
        });
        turn_linear_parts(model, state.q, rate, [](const Eigen::Matrix3d& R) { return R.transpose(); });
        REQUIRE(grbda::constraint_embedding<double>(robot.model, plain, state.q, state.yd).ok());
        const VectorXd expected = grbda::explicit_jacobian(robot.model, plain).transpose() * rate;
        const VectorXd tau = inverse(robot.model, plain, state), found = inverse(model, data, state) - tau;
        CHECK((found - expected).norm() <
              motion::kDifferences * (1 + rate.norm() + expected.norm()) + kRounding * tau.norm());
        for (const grbda::Body& body : model.bodies)
            floating += body.joint == JointType::floating && body.parent != grbda::world ? 1 : 0;
    });
    CHECK(floating > sample_size::least(10));  // below a moving body, where paths are the general ones
}

TEST_CASE("armature of a floating base is a body at its origin that has no weight") {
    int floating = 0, reached = 0;
    for (const Robot& drawn : mechanisms().robots) {
        grbda::RobotDescription with = drawn.description;
        if (with.joints.front().type != JointType::floating) continue;
        ++floating;
        INFO(drawn.name);
        constexpr double inertia = 0.9;
        with.joints.front().armature = inertia;
        grbda::RobotDescription heavier = drawn.description;
        heavier.joints.front().armature = 0;
        grbda::LinkDescription body;
        body.name = "added";
        body.inertial = grbda::Inertial{inertia, {0, 0, 0}, inertia * Eigen::Matrix3d::Identity()};
        grbda::JointDescription fixed;
        fixed.name = "adding";
        fixed.type = JointType::fixed;
        fixed.parent = heavier.joints.front().child;
        fixed.child = body.name;
        heavier.links.push_back(body);
        heavier.joints.push_back(fixed);
        Model a = grbda::build_model(with), b = grbda::build_model(heavier);
        a.gravity = b.gravity = {0, 0, 0};
        Random random(142);
        State state;
        if (!random_state(a, random, state)) continue;
        Workspace<double> data_a(a), data_b(b);
        MatrixXd M_a(a.nv, a.nv), M_b(b.nv, b.nv);
        REQUIRE(grbda::crba<double>(a, data_a, state.q, M_a).ok());
        REQUIRE(grbda::crba<double>(b, data_b, state.q, M_b).ok());
        CHECK(relative(M_a, M_b) < kRounding);
        CHECK(relative(inverse(a, data_a, state), inverse(b, data_b, state)) < kRounding);
        REQUIRE(grbda::bias_force<double>(a, data_a, state.q, state.yd).ok());
        REQUIRE(grbda::bias_force<double>(b, data_b, state.q, state.yd).ok());
        CHECK(relative(data_a.tau, data_b.tau) < kRounding);
        REQUIRE(grbda::aba<double>(a, data_a, state.q, state.yd, state.tau, state.wrenches).ok());
        REQUIRE(grbda::aba<double>(b, data_b, state.q, state.yd, state.tau, state.wrenches).ok());
        CHECK(relative_by_inertia(M_b, data_a.ydd, data_b.ydd) < 10 * kRounding);
        grbda::MechanicalState of_a, of_b;
        REQUIRE(grbda::mechanical_state<double>(a, data_a, state.q, state.yd, of_a).ok());
        REQUIRE(grbda::mechanical_state<double>(b, data_b, state.q, state.yd, of_b).ok());
        CHECK(std::abs(of_a.kinetic - of_b.kinetic) < kRounding * (1 + of_b.kinetic));
        ++reached;
    }
    CHECK(floating > sample_size::least(10));
    CHECK(10 * reached >= 6 * floating);
}

TEST_CASE("a free body with armature and without forces keeps its velocity") {
    grbda::Diagnostics diagnostics;
    const Model model = grbda::build_model(grbda::read_mjcf(
        "<mujoco><option gravity='0 0 0'/><default><joint armature='1'/></default><worldbody>"
        "<body name='b'><joint name='f' type='free'/><geom type='box' size='.1 .2 .3' mass='1'/></body>"
        "</worldbody></mujoco>",
        "free.xml", diagnostics));
    Workspace<double> data(model);
    VectorXd q(7), yd(6);
    q << 0, 0, 0, 0, 0, 0, 1;
    yd << 1, 0, 0, 0, 0, 1;  // along x, spinning about the principal axis z
    REQUIRE(grbda::aba<double>(model, data, q, yd, VectorXd::Zero(6)).ok());
    VectorXd expected(6);
    expected << 0, -1, 0, 0, 0, 0;  // −ω × v: the velocity stands still, the body's axes turn
    CHECK((data.ydd - expected).norm() < kRounding);
    MatrixXd M(6, 6);
    REQUIRE(grbda::crba<double>(model, data, q, M).ok());
    CHECK(std::abs(M(0, 0) - 2) < kRounding);
}

TEST_CASE("a pendulum's armature counts in its kinetic energy") {
    grbda::RobotDescription robot = named("double_pendulum").description;
    for (grbda::JointDescription& joint : robot.joints) joint.armature = 5;
    const Model model = grbda::build_model(robot), &plain = named("double_pendulum").model;
    Workspace<double> data(model), data_plain(plain);
    const VectorXd q = Eigen::Vector2d(0.3, -0.2), yd = Eigen::Vector2d(2, 1);
    grbda::MechanicalState with, without;
    REQUIRE(grbda::mechanical_state<double>(model, data, q, yd, with).ok());
    REQUIRE(grbda::mechanical_state<double>(plain, data_plain, q, yd, without).ok());
    CHECK(std::abs(with.kinetic - without.kinetic - 0.5 * 5 * (4 + 1)) < kRounding);
    CHECK(with.mass == without.mass);
    CHECK(with.angular_momentum == without.angular_momentum);
}

TEST_CASE("armature added to a model is that of its description, on every robot") {
    at_random_states(all(), 1, 95, [](const Robot& robot, const State& state, Random& random) {
        grbda::RobotDescription described = robot.description;
        const Model& model = robot.model;
        grbda::Table<double> added(model.v_index.size(), 0);
        for (int i = 0; i < model.body_count(); ++i) {
            const grbda::Body& body = model.bodies[i];
            if (body.joint == JointType::floating) continue;
            const double armature = 0.2 * std::abs(random_vector(random, 1)[0]);
            for (grbda::JointDescription& joint : described.joints) {
                if (joint.name != model.names.joints[i]) continue;
                joint.armature += armature;
                for (int k = 0; k < velocity_size(body.joint); ++k) added[body.v + k] = armature;
            }
        }
        const Model expected = grbda::build_model(described, robot.options),
                    found = grbda::with_armature(model, added);
        if (expected.independent != found.independent) return;  // other coordinates suit it better
        MatrixXd M(model.nv, model.nv), M_expected(model.nv, model.nv);
        Workspace<double> data(found), other(expected);
        REQUIRE(grbda::crba<double>(found, data, state.q, M).ok());
        REQUIRE(grbda::crba<double>(expected, other, state.q, M_expected).ok());
        CHECK(relative(M, M_expected) < kRounding);
        REQUIRE(grbda::aba<double>(found, data, state.q, state.yd, state.tau, state.wrenches).ok());
        REQUIRE(grbda::aba<double>(expected, other, state.q, state.yd, state.tau, state.wrenches).ok());
        CHECK(relative_by_inertia(M, data.ydd, other.ydd) < 1e-9);
        CHECK(relative(inverse(found, data, state), inverse(expected, other, state)) < 1e-9);
    });
    const Model& model = named("tello").model;
    grbda::Table<double> wrong(model.v_index.size(), 0);
    wrong[0] = 1;  // of the floating base
    CHECK_THROWS_AS(grbda::with_armature(model, wrong), std::invalid_argument);
    wrong[0] = 0;
    wrong[8] = -1;
    CHECK_THROWS_AS(grbda::with_armature(model, wrong), std::invalid_argument);
    CHECK_THROWS_AS(grbda::with_armature(model, {1.}), std::invalid_argument);
}
