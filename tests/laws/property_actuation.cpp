#include <algorithm>
#include <limits>

#include "constraints/actuation.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/rnea.hpp"
#include "support/dense.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Motors on any joints, also dependent ones, too few or too many: their Jacobian is rows of G, their forces
// replace τ with the least effort, and forces that they cannot replace are reported.

namespace {

using namespace test_robots;
using grbda::Actuation;
using grbda::Coordinate;
using grbda::Model;
using grbda::Status;

constexpr int kStates = 2;
constexpr double kAgreement = 1e-9;
constexpr double kRank = 1e-6;  // as the engine has it: per unit of ẏ, or of the fastest motor

/// The robot with motors on some joints; the share of those that have one differs.
Model with_random_motors(Model model, Random& random) {
    const double share = std::uniform_real_distribution<double>(0.1, 1)(random);
    for (char& motor : model.actuated) motor = std::bernoulli_distribution(share)(random) ? 1 : 0;
    return model;
}

Eigen::VectorXd unit_of_slides(const Model& model, const std::vector<Coordinate>& coordinates) {
    Eigen::VectorXd units(static_cast<Eigen::Index>(coordinates.size()));
    for (std::size_t i = 0; i < coordinates.size(); ++i)
        units[static_cast<Eigen::Index>(i)] =
            model.column_scale[model.bodies[coordinates[i].body].dof + coordinates[i].component];
    return units;
}

/// J with forces of slides and their velocities measured by the sizes of clusters.
Eigen::MatrixXd dimensionless(const Model& model, const Eigen::MatrixXd& J) {
    const Eigen::VectorXd motors = unit_of_slides(model, grbda::motor_coordinates(model)),
                          y = unit_of_slides(model, grbda::independent_coordinates(model));
    return motors.cwiseInverse().asDiagonal() * J * y.asDiagonal();
}

}  // namespace

TEST_CASE("the actuation Jacobian is the rows of G that motors drive, on every robot") {
    at_random_states(all(), kStates, 401, [](const Robot& robot, const State& state, Random& random) {
        const Model model = with_random_motors(robot.model, random);
        grbda::Workspace<double> data(model);
        Actuation<double> actuation(model);
        must(grbda::actuation_jacobian<double>(model, data, state.q, actuation));
        must(grbda::constraint_embedding<double>(model, data, state.q, state.yd));
        const Eigen::MatrixXd G = grbda::explicit_jacobian(model, data);
        const std::vector<Coordinate> motors = grbda::motor_coordinates(model);
        REQUIRE(actuation.J.rows() == static_cast<Eigen::Index>(motors.size()));
        if (model.nv == 0) return;  // no columns to compare
        for (std::size_t i = 0; i < motors.size(); ++i) {
            const int v = model.bodies[motors[i].body].v + motors[i].component;
            CHECK(actuation.J.row(static_cast<Eigen::Index>(i)) == G.row(v));
            CHECK((i == 0 || v > model.bodies[motors[i - 1].body].v + motors[i - 1].component));
        }
    });
}

TEST_CASE("motors turn as much faster as their reductions say, and bring as much less, on every robot") {
    at_random_states(all(), 1, 405, [](const Robot& robot, const State& state, Random& random) {
        const Model plain = with_random_motors(robot.model, random);
        Model geared = plain;
        for (double& ratio : geared.reduction) ratio = std::uniform_real_distribution<double>(-9, 9)(random);
        grbda::Workspace<double> data(plain), geared_data(geared);
        Actuation<double> direct(plain), behind_gears(geared);
        must(grbda::actuation_jacobian<double>(plain, data, state.q, direct));
        must(grbda::actuation_jacobian<double>(geared, geared_data, state.q, behind_gears));
        const std::vector<Coordinate> motors = grbda::motor_coordinates(geared);
        Eigen::VectorXd ratios(static_cast<Eigen::Index>(motors.size()));
        for (std::size_t i = 0; i < motors.size(); ++i)
            ratios[static_cast<Eigen::Index>(i)] = geared.reduction[motors[i].body];
        CHECK((behind_gears.J - ratios.asDiagonal() * direct.J).norm() <=
              kAgreement * (1 + behind_gears.J.norm()));
        const Eigen::VectorXd wanted = Eigen::VectorXd::Random(ratios.size()),
                              tau = behind_gears.J.transpose() * wanted;
        Eigen::VectorXd forces(ratios.size());
        must(grbda::motor_forces<double>(geared, behind_gears, tau, forces));
        CHECK((behind_gears.J.transpose() * forces - tau).norm() <= 1e-6 * (1 + tau.norm()));
        CHECK((direct.J.transpose() * ratios.cwiseProduct(forces) - tau).norm() <= 1e-6 * (1 + tau.norm()));
    });
}

TEST_CASE("without named motors the independent joints are driven, each by its own") {
    at_random_states(all(), 1, 402, [](const Robot& robot, const State& state, Random&) {
        Model model = robot.model;
        std::fill(model.actuated.begin(), model.actuated.end(), 0);
        grbda::Workspace<double> data(model);
        Actuation<double> actuation(model);
        must(grbda::actuation_jacobian<double>(model, data, state.q, actuation));
        CHECK(actuation.J.rows() == model.nv);
        CHECK(actuation.undriven == 0);
        CHECK(actuation.redundant == 0);
        Eigen::VectorXd motors(model.nv), sum(model.nv);
        must(grbda::motor_forces<double>(model, actuation, state.tau, motors));
        CHECK(relative(actuation.J.transpose() * motors, state.tau) < kAgreement);
    });
}

TEST_CASE("motors replace tau with the least effort, or the status says that they do not span it") {
    int redundant = 0, undriven = 0;
    at_random_states(all(), kStates, 403, [&](const Robot& robot, const State& state, Random& random) {
        const Model model = with_random_motors(robot.model, random);
        grbda::Workspace<double> data(model);
        Actuation<double> actuation(model);
        must(grbda::actuation_jacobian<double>(model, data, state.q, actuation));
        const Eigen::MatrixXd& J = actuation.J;
        if (J.size() == 0) return;
        const Eigen::MatrixXd scaled = dimensionless(model, J);
        const double fastest = scaled.rowwise().norm().maxCoeff();
        const double threshold = kRank * std::max(1., fastest) / std::max(fastest, 1e-300);
        const Eigen::Index rank = dense::rank(scaled.transpose(), threshold);
        CHECK(actuation.redundant == J.rows() - rank);
        CHECK(actuation.undriven == model.nv - rank);
        redundant += actuation.redundant > 0 ? 1 : 0;
        undriven += actuation.undriven > 0 ? 1 : 0;

        const Eigen::VectorXd some = random_vector(random, J.rows(), 5), tau = J.transpose() * some;
        Eigen::VectorXd motors(J.rows());
        must(grbda::motor_forces<double>(model, actuation, tau, motors));
        CHECK(relative(J.transpose() * motors, tau) < kAgreement);
        const Eigen::VectorXd y = unit_of_slides(model, grbda::independent_coordinates(model)),
                              unit = unit_of_slides(model, grbda::motor_coordinates(model));
        const Eigen::VectorXd least =
            dense::least_norm(scaled.transpose(), y.cwiseProduct(tau), threshold).cwiseQuotient(unit);
        CHECK(relative(motors, least) <
              1e3 * kAgreement);  // rank-deficient blocks: the square of their condition

        if (actuation.undriven == 0) return;
        const grbda::Result result = grbda::motor_forces<double>(model, actuation, state.tau, motors);
        CHECK(result.status == Status::unbalanced);
        CHECK(result.residual > 1e-6);
        CHECK((result.cluster >= 0 && result.cluster < model.cluster_count()));
        CHECK(motors.array().isNaN().all());
    });
    CHECK(redundant > sample_size::least(50));
    CHECK(undriven > sample_size::least(50));
}

TEST_CASE("numbers of motors that are not finite are reported, too") {
    const Robot& robot = named("four_bar");
    grbda::Workspace<double> data(robot.model);
    Actuation<double> actuation(robot.model);
    Eigen::VectorXd q = Eigen::VectorXd::Constant(robot.model.nq, std::numeric_limits<double>::quiet_NaN());
    Eigen::VectorXd motors(actuation.J.rows());
    CHECK(grbda::actuation_jacobian<double>(robot.model, data, q, actuation).status == Status::not_finite);
    CHECK(actuation.J.array().isNaN().all());
    const Eigen::VectorXd tau = Eigen::VectorXd::Ones(robot.model.nv);
    CHECK(grbda::motor_forces<double>(robot.model, actuation, tau, motors).status == Status::not_finite);
    CHECK(motors.array().isNaN().all());
}
