#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/factor.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "support/robots.hpp"

// The factors that ABA leaves are those of the mass matrix, and stay until something else runs.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Workspace;

constexpr int kStates = 3;
constexpr double kInverse = 1e-9;  // rounding times the condition of M scaled, at most 1e5 at these states

double relative_by_inertia_of_columns(const MatrixXd& M, const MatrixXd& found, const MatrixXd& expected) {
    double worst = 0;
    for (Eigen::Index j = 0; j < found.cols(); ++j)
        worst = std::max(worst, relative_by_inertia(M, found.col(j), expected.col(j)));
    return worst;
}

}  // namespace

TEST_CASE("inverse mass times mass is the identity on every robot") {
    at_random_states(all(), kStates, 151, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        Workspace<double> data(model), factors(model);
        MatrixXd M(model.nv, model.nv), x(model.nv, 3);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        MatrixXd expected(model.nv, 3);
        for (Eigen::Index j = 0; j < 3; ++j) expected.col(j) = random_vector(random, model.nv);
        const MatrixXd f = M * expected;
        REQUIRE(grbda::factor<double>(model, factors, state.q).ok());
        REQUIRE(grbda::inverse_mass_times<double>(model, factors, f, x).ok());
        CHECK(relative_by_inertia_of_columns(M, x, expected) < kInverse);
        MatrixXd in_place = f;  // again, and into what is given
        REQUIRE(grbda::inverse_mass_times<double>(model, factors, in_place, in_place).ok());
        CHECK(in_place == x);
        REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau, state.wrenches).ok());
        MatrixXd after_aba(model.nv, 3);
        REQUIRE(grbda::inverse_mass_times<double>(model, data, f, after_aba).ok());
        CHECK(relative_by_inertia_of_columns(M, after_aba, expected) < kInverse);
    });
}

TEST_CASE("one factoring gives aba's acceleration for every tau on every robot") {
    at_random_states(all(), kStates, 152, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        Workspace<double> data(model), factors(model);
        constexpr Eigen::Index many = 4;
        MatrixXd tau(model.nv, many), ydd(model.nv, many), M(model.nv, model.nv);
        for (Eigen::Index j = 0; j < many; ++j) tau.col(j) = random_vector(random, model.nv, 5);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        REQUIRE(grbda::factor<double>(model, factors, state.q, state.yd, state.wrenches).ok());
        REQUIRE(grbda::solve<double>(model, factors, tau, ydd).ok());
        for (Eigen::Index j = 0; j < many; ++j) {
            REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, VectorXd(tau.col(j)), state.wrenches)
                        .ok());
            CHECK(relative_by_inertia(M, ydd.col(j), data.ydd) < kInverse);
        }
    });
}

TEST_CASE("an inverse mass matrix is symmetric, on every robot") {
    at_random_states(all(), 1, 153, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        MatrixXd inverse(model.nv, model.nv);
        REQUIRE(grbda::factor<double>(model, data, state.q).ok());
        REQUIRE(
            grbda::inverse_mass_times<double>(model, data, MatrixXd::Identity(model.nv, model.nv), inverse)
                .ok());
        const VectorXd scale = inverse.diagonal().cwiseSqrt().cwiseInverse();
        const MatrixXd scaled = scale.asDiagonal() * inverse * scale.asDiagonal();
        CHECK((scaled - scaled.transpose()).norm() < 1e-10 * (1 + scaled.norm()));
    });
}

TEST_CASE("factors that are not there are refused, and those of another state never used") {
    for (const Robot& robot : published()) {
        INFO(robot.name);
        const Model& model = robot.model;
        Workspace<double> data(model);
        const VectorXd q = grbda::neutral_configuration(model), y = VectorXd::Zero(model.nv);
        VectorXd x(model.nv);
        MatrixXd M(model.nv, model.nv);
        const auto refused = [&](bool motion) {
            CHECK_THROWS_AS(grbda::inverse_mass_times<double>(model, data, y, x), std::invalid_argument);
            if (motion) CHECK_THROWS_AS(grbda::solve<double>(model, data, y, x), std::invalid_argument);
        };
        refused(true);
        REQUIRE(grbda::factor<double>(model, data, q).ok());
        CHECK_THROWS_AS(grbda::solve<double>(model, data, y, x), std::invalid_argument);
        grbda::MechanicalState now;
        VectorXd moved(model.nq);
        const std::vector<std::function<void()>> others = {
            [&] { REQUIRE(grbda::crba<double>(model, data, q, M).ok()); },
            [&] { REQUIRE(grbda::rnea<double>(model, data, q, y, y).ok()); },
            [&] { REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok()); },
            [&] { REQUIRE(grbda::integrate<double>(model, data, q, y, moved).ok()); },
            [&] { REQUIRE(grbda::mechanical_state<double>(model, data, q, y, now).ok()); }};
        for (const auto& other : others) {
            REQUIRE(grbda::factor<double>(model, data, q, y).ok());
            CHECK(grbda::solve<double>(model, data, y, x).ok());
            other();
            refused(true);
        }
        VectorXd wrong = q;
        wrong[0] = std::numeric_limits<double>::quiet_NaN();
        CHECK_FALSE(grbda::factor<double>(model, data, wrong, y).ok());
        refused(true);
        REQUIRE(grbda::factor<double>(model, data, q, y).ok());
        VectorXd f = y;
        f[model.nv - 1] = std::numeric_limits<double>::infinity();
        CHECK(grbda::inverse_mass_times<double>(model, data, f, x).status == grbda::Status::not_finite);
        CHECK(x.array().isNaN().all());
    }
}
