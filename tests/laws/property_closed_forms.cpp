#include <algorithm>
#include <cmath>
#include <tuple>

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "support/dense.hpp"
#include "support/described.hpp"
#include "support/robots.hpp"

// Robots whose equations can be written down by hand. The READMEs in robots/ have their figures.

namespace {

using namespace test_robots;

constexpr int kStates = 20;
constexpr double kRounding = 1e-12;
constexpr double kGravity = 9.81;

double angle(const grbda::Model& model, const Eigen::VectorXd& q, const std::string& joint) {
    return described::position(model, q, joint)[0];
}

/// Random state of a robot without regard to its conditioning.
State random_motion(const grbda::Model& model, Random& random) {
    State state;
    state.q = grbda::random_configuration(model, random);
    state.yd = random_vector(random, model.nv, 2);
    state.ydd = random_vector(random, model.nv, 3);
    return state;
}

Eigen::VectorXd inverse_dynamics(const grbda::Model& model, const State& state) {
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd).ok());
    const Eigen::VectorXd tau = data.tau;
    REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, tau).ok());
    CHECK(relative(data.ydd, state.ydd) < kRounding);
    return tau;
}

/// Distance of a loop's two origins squared, less the length squared.
double rod_residual(const grbda::RobotDescription& robot, const std::string& name,
                    const std::map<std::string, grbda::Pose>& poses) {
    for (const grbda::LoopDescription& loop : robot.loops)
        if (loop.name == name)
            return ((poses.at(loop.predecessor) * loop.predecessor_origin).translation -
                    (poses.at(loop.successor) * loop.successor_origin).translation)
                       .squaredNorm() -
                   *loop.length * *loop.length;
    FAIL("no loop " << name);
    return 0;
}

/// Two pendula about y, the second of which follows the first by q₂ = 0.2 + 0.7 x − 0.9 x², x = q₁ − 0.3.
grbda::RobotDescription cam_pendula() {
    grbda::RobotDescription robot;
    robot.name = "pendula with a cam";
    robot.links.push_back({"ground", {}, {}});
    for (const auto& [name, mass, length, moment] :
         {std::tuple{"first", 1.5, 0.4, 0.02}, std::tuple{"second", 0.8, 0.7, 0.05}}) {
        grbda::LinkDescription link{name, grbda::Inertial{mass, {0, 0, -length}, {}}, {}};
        link.inertial->inertia = Eigen::Vector3d(moment, moment, 0.01).asDiagonal();
        robot.links.push_back(link);
        grbda::JointDescription joint;
        joint.name = std::string(name) + "_joint";
        joint.parent = "ground";
        joint.child = name;
        joint.axis = Eigen::Vector3d::UnitY();
        robot.joints.push_back(joint);
    }
    robot.couplings.push_back(
        {"cam", grbda::PolynomialRelation{"second_joint", "first_joint", {0.1, 0.7, -0.9}, 0.1, 0.3}, {}});
    return robot;
}

/// An arm on the ground and a rod above its joint, parallel to the axis at zero, where it is at its shortest:
/// to first order it holds nothing.
grbda::RobotDescription arm_on_shortest_rod() {
    grbda::RobotDescription robot;
    robot.name = "arm on a rod";
    robot.links.push_back({"ground", {}, {}});
    robot.links.push_back({"arm", grbda::Inertial{1, {0, 0, 0}, Eigen::Matrix3d::Identity()}, {}});
    grbda::JointDescription joint;
    joint.name = "arm_joint";
    joint.parent = "ground";
    joint.child = "arm";
    joint.axis = Eigen::Vector3d::UnitZ();
    robot.joints.push_back(joint);
    grbda::LoopDescription rod;
    rod.name = "rod";
    rod.type = grbda::LoopType::distance;
    rod.predecessor = "ground";
    rod.successor = "arm";
    rod.predecessor_origin.translation << 0.3, 0, 0.5;
    rod.successor_origin.translation << 0.3, 0, 0;
    robot.loops.push_back(rod);
    return robot;
}

}  // namespace

TEST_CASE("a loop without dependent coordinates is closed at its configuration, and nowhere else") {
    const grbda::Model model = grbda::build_model(arm_on_shortest_rod());
    REQUIRE(model.clusters.size() == 1);
    REQUIRE(model.clusters.front().rows == 1);
    REQUIRE(model.clusters.front().dependents() == 0);
    grbda::Workspace<double> data(model);
    Eigen::VectorXd q = Eigen::VectorXd::Zero(1);
    CHECK(grbda::close_loops<double>(model, data, q).ok());
    q[0] = 0.4;
    CHECK(grbda::close_loops<double>(model, data, q).status == grbda::Status::not_converged);
    CHECK(q[0] == 0.4);
}

TEST_CASE("two pendula with a quadratic cam obey Lagrange's equation") {
    const grbda::Model model = grbda::build_model(cam_pendula());
    REQUIRE(model.nv == 1);
    REQUIRE(grbda::independent_coordinates(model)[0].body == model.joint("first_joint").index);
    grbda::Workspace<double> data(model);
    Random random(93);
    const double I1 = 0.02 + 1.5 * 0.4 * 0.4, I2 = 0.05 + 0.8 * 0.7 * 0.7;
    for (int i = 0; i < kStates; ++i) {
        const State state = random_motion(model, random);
        const double q1 = angle(model, state.q, "first_joint"), x = q1 - 0.3;
        const double q2 = 0.2 + 0.7 * x - 0.9 * x * x, slope = 0.7 - 1.8 * x, curvature = -1.8;
        CHECK(std::abs(angle(model, state.q, "second_joint") - q2) < kRounding);
        // L = ½ (I₁ + I₂ p'²) q̇² + m₁ g l₁ cos q₁ + m₂ g l₂ cos p
        const double v = state.yd[0], a = state.ydd[0], M11 = I1 + I2 * slope * slope;
        const double expected = M11 * a + I2 * slope * curvature * v * v +
                                kGravity * (1.5 * 0.4 * std::sin(q1) + 0.8 * 0.7 * std::sin(q2) * slope);
        CHECK(relative(inverse_dynamics(model, state), Eigen::VectorXd::Constant(1, expected)) < kRounding);
        Eigen::MatrixXd M(1, 1);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        CHECK(relative(M, Eigen::MatrixXd::Constant(1, 1, M11)) < kRounding);
        REQUIRE(grbda::spanning_acceleration<double>(model, data, state.q, state.yd, state.ydd).ok());
        CHECK(relative(data.qd, Eigen::Vector2d(v, slope * v)) < kRounding);
        CHECK(relative(data.qdd, Eigen::Vector2d(a, slope * a + curvature * v * v)) < kRounding);
    }
}

TEST_CASE("an angle far away is the angle that it is, beside small ones") {
    const grbda::Model& model = named("ur10e").model;
    grbda::Workspace<double> data(model);
    Random random(93);
    constexpr double kFar = 1e-9;  // of 6e5 rad, where whole turns are rounded
    for (int joint = 0; joint < model.nq; ++joint) {
        const State state = random_motion(model, random);
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd).ok());
        const Eigen::VectorXd near = data.tau;
        Eigen::VectorXd q = state.q;
        q[joint] += 2e5 * std::acos(-1.0);
        REQUIRE(grbda::rnea<double>(model, data, q, state.yd, state.ydd).ok());
        CHECK(relative(data.tau, near) < kFar);
    }
}

TEST_CASE("a cam driven at its follower is singular if its slope vanishes, and only then") {
    grbda::RobotDescription robot = cam_pendula();
    robot.joints[1].independent = true;
    const grbda::Model model = grbda::build_model(robot);
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(1);
    const double top = 0.3 + 0.7 / 1.8;
    for (const double distance : {0.0, 1e-6, 0.1, -0.4}) {
        const double x = top + distance - 0.3;
        const Eigen::Vector2d q(top + distance, 0.2 + 0.7 * x - 0.9 * x * x);
        const grbda::Result result = grbda::aba<double>(model, data, q, zero, zero);
        CHECK(result.status ==
              (std::abs(distance) < 1e-3 ? grbda::Status::singular_constraint : grbda::Status::ok));
        if (!result.ok()) continue;
        REQUIRE(grbda::spanning_velocity<double>(model, data, q, Eigen::VectorXd::Ones(1)).ok());
        CHECK(data.qd[0] == Approx(1 / (0.7 - 1.8 * x)));
    }
    Eigen::VectorXd q = grbda::neutral_configuration(model);
    q[1] = 0.2 + 0.7 * 0.7 / 3.6 + 1e-3;  // above what the cam reaches
    CHECK(grbda::close_loops<double>(model, data, q).status == grbda::Status::fold);
}

TEST_CASE("a four-bar laid flat is singular, and no number is given for it") {
    const grbda::Model& model = named("four_bar").model;
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd flat = Eigen::VectorXd::Zero(model.nq), one = Eigen::VectorXd::Ones(model.nv);
    Eigen::MatrixXd M(model.nv, model.nv);
    CHECK(grbda::aba<double>(model, data, flat, one, one).status == grbda::Status::singular_constraint);
    CHECK(data.ydd.array().isNaN().all());
    CHECK(grbda::rnea<double>(model, data, flat, one, one).status == grbda::Status::singular_constraint);
    CHECK(data.tau.array().isNaN().all());
    CHECK(grbda::crba<double>(model, data, flat, M).status == grbda::Status::singular_constraint);
    CHECK(M.array().isNaN().all());
}

TEST_CASE("the double pendulum obeys its textbook equations") {
    const grbda::Model& model = named("double_pendulum").model;
    Random random(91);
    for (int i = 0; i < kStates; ++i) {
        const State state = random_motion(model, random);
        const double q1 = angle(model, state.q, "shoulder"), q2 = angle(model, state.q, "elbow");
        const double I1 = 0.083, I2 = 0.33, c1 = 0.5, c2 = 1, a = 1, m1 = 1, m2 = 1;
        const double M11 = I1 + I2 + m1 * c1 * c1 + m2 * (a * a + c2 * c2 + 2 * a * c2 * std::cos(q2));
        const double M12 = I2 + m2 * (c2 * c2 + a * c2 * std::cos(q2)), M22 = I2 + m2 * c2 * c2;
        const double h = m2 * a * c2 * std::sin(q2), v1 = state.yd[0], v2 = state.yd[1];
        const double lower = kGravity * m2 * c2 * std::sin(q1 + q2);
        const Eigen::Vector2d expected(M11 * state.ydd[0] + M12 * state.ydd[1] - h * (2 * v1 * v2 + v2 * v2) +
                                           kGravity * (m1 * c1 + m2 * a) * std::sin(q1) + lower,
                                       M12 * state.ydd[0] + M22 * state.ydd[1] + h * v1 * v1 + lower);
        CHECK(relative(inverse_dynamics(model, state), expected) < kRounding);
        Eigen::MatrixXd M(2, 2);
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        CHECK(relative(M, (Eigen::Matrix2d() << M11, M12, M12, M22).finished()) < kRounding);
    }
}

TEST_CASE("the parallelogram four-bar has constant inertia") {
    const grbda::Model& model = named("four_bar").model;
    grbda::Workspace<double> data(model);
    for (double q1 : {0.2, 0.9, 1.7, 2.8, -0.4, -2.2}) {
        State state;
        state.q.resize(3);
        for (const auto& [joint, sign] :
             {std::pair{"joint1", 1.}, std::pair{"joint2", -1.}, std::pair{"joint3", 1.}})
            state.q[model.joint(joint).q.first] = sign * q1;
        REQUIRE(grbda::closure_residual<double>(model, data, state.q).ok());
        state.yd = Eigen::VectorXd::Constant(1, 1.3);
        state.ydd = Eigen::VectorXd::Constant(1, -0.7);
        CHECK(relative(inverse_dynamics(model, state), 0.910346 * state.ydd) <
              1e-11);  // rounding over sin³ q₁
    }
}

TEST_CASE("the slider-crank obeys its closed form") {
    const grbda::Model& model = named("slider_crank").model;
    grbda::Workspace<double> data(model);
    Random random(92);
    const double r = 0.1, l = 0.3, h = 1e-4;
    const auto slope = [&](double theta) {  // dβ/dθ
        return r / l * std::cos(theta) / std::cos(std::asin(r / l * std::sin(theta)));
    };
    const auto lagrangian = [&](double theta, double rate, double sign) {
        const double beta = std::asin(r / l * std::sin(theta)), beta_rate = slope(theta) * rate;
        const double vx = -r * std::sin(theta) * rate - 0.15 * std::sin(beta) * beta_rate;
        const double vz = r * std::cos(theta) * rate - 0.15 * std::cos(beta) * beta_rate;
        const double slide = -r * std::sin(theta) * rate - l * std::sin(beta) * beta_rate;
        const double T = 0.5 * (5e-4 + 0.5 * 0.05 * 0.05) * rate * rate +
                         0.5 * 0.0061 * beta_rate * beta_rate + 0.5 * 0.8 * (vx * vx + vz * vz) +
                         0.5 * 1.2 * slide * slide;
        const double V =
            kGravity * (0.5 * 0.05 * std::sin(theta) + 0.8 * (r * std::sin(theta) - 0.15 * std::sin(beta)));
        return T + sign * V;
    };
    const int crank = model.joint("crank_joint").q.first;
    for (int i = 0; i < kStates; ++i) {
        State state = random_motion(model, random);
        const double theta = state.q[crank], v = state.yd[0], beta = std::asin(r / l * std::sin(theta));
        CHECK(angle(model, state.q, "rod_joint") == Approx(-(theta + beta)).margin(1e-12));
        CHECK(angle(model, state.q, "slider_joint") ==
              Approx(r * std::cos(theta) + l * std::cos(beta) - (r + l)).margin(1e-12));
        grbda::MechanicalState now;
        REQUIRE(grbda::mechanical_state<double>(model, data, state.q, state.yd, now).ok());
        CHECK(now.kinetic + now.potential == Approx(lagrangian(theta, v, 1)).epsilon(1e-12).margin(1e-12));
        // Lagrange's equation: M from the quadratic form, the rest by differences of second order
        const double M = 2 * (lagrangian(theta, 1, 0));
        const double dM = (lagrangian(theta + h, 1, 0) - lagrangian(theta - h, 1, 0)) / h;
        const double dV = (lagrangian(theta + h, 0, 1) - lagrangian(theta - h, 0, 1)) / (2 * h);
        const double expected = M * state.ydd[0] + 0.5 * dM * v * v + dV;
        CHECK(std::abs(inverse_dynamics(model, state)[0] - expected) < 1e-8);  // h²
        Eigen::MatrixXd found(1, 1);
        REQUIRE(grbda::crba<double>(model, data, state.q, found).ok());
        CHECK(found(0, 0) == Approx(M).epsilon(1e-12));
    }
}

TEST_CASE("rotors add their reflected inertia to the chain's mass matrix") {
    const Robot& robot = named("revolute_rotor_chain");
    grbda::RobotDescription bare = robot.description;
    for (grbda::LinkDescription& link : bare.links)
        if (link.name.rfind("rotor", 0) == 0) link.inertial->inertia.setZero();
    const grbda::Model& model = robot.model;
    const grbda::Model without = grbda::build_model(bare);
    REQUIRE(without.nq == model.nq);
    const double J = 1e-4, n = 6;
    // rotor i turns at n q̇_i plus the rates of the joints before it
    Eigen::Matrix3d reflected = Eigen::Matrix3d::Zero();
    for (int i = 0; i < 3; ++i) {
        Eigen::Vector3d rate = Eigen::Vector3d::Zero();
        rate.head(i).setOnes();
        rate[i] = n;
        reflected += J * rate * rate.transpose();
    }
    Random random(93);
    grbda::Workspace<double> data(model), bare_data(without);
    for (int i = 0; i < kStates; ++i) {
        const State state = random_motion(model, random);
        Eigen::MatrixXd M(3, 3), bare_M(3, 3);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        REQUIRE(grbda::crba<double>(without, bare_data, state.q, bare_M).ok());
        CHECK(relative(M, bare_M + reflected) < kRounding);
        inverse_dynamics(model, state);
    }
}

TEST_CASE("tello's rods are those of the published closure equations") {
    // Sim and Ramos 2022, as written in generalized_rbda (MIT licence)
    const Robot& robot = named("tello");
    const grbda::Model& model = robot.model;
    Random random(94);
    for (int i = 0; i < kStates; ++i) {
        const Eigen::VectorXd q =
            random_vector(random, model.nq);  // open: residuals, not zeros, are compared
        Eigen::VectorXd normalised = q;
        normalised.segment<4>(model.bodies.front().q + 3).normalize();
        const auto poses = described::poses(robot.description, model, normalised);
        const auto at = [&](const std::string& joint) { return angle(model, normalised, joint); };
        for (const std::string side : {"left", "right"}) {
            const double q1 = at(side + "-hip-clamp-to-gimbal"), q2 = at(side + "-gimbal-to-thigh");
            for (int rod : {1, 2}) {
                const double s = rod == 1 ? 1 : -1;
                const double y = at(side + "-hip-clamp-to-hip-crank-" + std::to_string(rod));
                const double expected =
                    0.0228 * std::sin(y) - 0.0098 * std::cos(q1) - s * 0.01995 * std::sin(q1) -
                    0.0128 * std::cos(y) * std::cos(q2) - 0.0228 * std::cos(q1) * std::sin(q2) -
                    s * 0.0112 * std::sin(y) * std::sin(q1) + s * 0.0112 * std::sin(q1) * std::sin(q2) -
                    0.0128 * std::cos(q1) * std::sin(y) * std::sin(q2) + 0.01888125;
                CHECK(rod_residual(robot.description, side + "-hip-rod-" + std::to_string(rod), poses) ==
                      Approx(expected).margin(1e-14));
            }
            const double d = -at(side + "-shin-to-ankle-crank"), a = at(side + "-shin-to-foot");
            const double pi = 3.14159265358979323846;
            const double expected =
                0.00336 * std::cos(d + 1979 * pi / 4500) - 0.0208 * std::cos(d + 493 * pi / 1500) -
                0.02184 * std::cos(pi / 9) - 0.0028 * std::sin(d + a + 231 * pi / 500) +
                0.0182 * std::sin(a + 2 * pi / 15) - 0.00294 * std::sin(a + pi / 45) + 0.02613584;
            CHECK(rod_residual(robot.description, side + "-ankle-rod", poses) ==
                  Approx(expected).margin(1e-14));
        }
    }
}

TEST_CASE("the rolling wrist has mobility 2: rank 6 of 8 rows at 100 closed states, and no twist") {
    constexpr int kWristStates = 100;
    const Robot& robot = named("lims2_wrist");
    const grbda::Model& model = robot.model;
    grbda::Workspace<double> data(model);
    REQUIRE(model.nv == 2);
    REQUIRE(model.rows == 8);
    Random random(95);
    for (int i = 0; i < kWristStates; ++i) {
        Eigen::VectorXd q(model.nq);
        REQUIRE(grbda::integrate<double>(model, data, grbda::neutral_configuration(model),
                                         random_vector(random, 2, 0.5), q)
                    .ok());
        REQUIRE(grbda::constraint_embedding<double>(model, data, q, Eigen::Vector2d::Zero()).ok());
        const Eigen::MatrixXd K = grbda::implicit_jacobian(model, data);
        const Eigen::VectorXd values = dense::singular_values(K);
        CHECK(values[5] > 1e-3 * values[0]);
        CHECK(values[6] < 1e-12 * values[0]);
        const auto poses = described::poses(robot.description, model, q);
        const grbda::Pose& distal = poses.at("distal");
        const grbda::Pose relative_pose = grbda::inverse(poses.at(model.names.root)) * distal;
        const Eigen::Vector3d n = relative_pose.translation.normalized();
        const Eigen::Matrix3d rolled =
            (Eigen::Matrix3d::Identity() - 2 * n * n.transpose()) * Eigen::Vector3d(1, 1, -1).asDiagonal();
        CHECK((relative_pose.rotation - rolled).norm() < 1e-10);
    }
}
