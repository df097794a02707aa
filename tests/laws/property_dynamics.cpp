#include <cmath>

#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "support/dense.hpp"
#include "support/robots.hpp"

// Forward and inverse dynamics and the mass matrix are one equation.

namespace {

using namespace test_robots;

constexpr int kStates = 4;
constexpr double kInverse = 1e-9;    // rounding times the condition of M scaled, at most 1e5 at these states
constexpr double kRounding = 1e-11;  // sums of a few hundred terms

/// True if the triangle contains entry (i, j).
bool within(grbda::Triangle triangle, Eigen::Index i, Eigen::Index j) {
    return triangle == grbda::Triangle::lower ? i >= j : triangle == grbda::Triangle::upper ? i <= j : true;
}

}  // namespace

TEST_CASE("aba inverts rnea on every robot") {
    at_random_states(all(), kStates, 1, [](const Robot& robot, const State& state, Random&) {
        grbda::Workspace<double> data(robot.model);
        REQUIRE(grbda::rnea<double>(robot.model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
        const Eigen::VectorXd tau = data.tau;
        REQUIRE(grbda::aba<double>(robot.model, data, state.q, state.yd, tau, state.wrenches).ok());
        const Eigen::VectorXd ydd = data.ydd;
        Eigen::MatrixXd M(robot.model.nv, robot.model.nv);
        REQUIRE(grbda::crba<double>(robot.model, data, state.q, M).ok());
        CHECK(relative_by_inertia(M, ydd, state.ydd) < kInverse);
    });
}

TEST_CASE("rnea inverts aba on every robot") {
    at_random_states(all(), kStates, 2, [](const Robot& robot, const State& state, Random&) {
        grbda::Workspace<double> data(robot.model);
        REQUIRE(grbda::aba<double>(robot.model, data, state.q, state.yd, state.tau, state.wrenches).ok());
        const Eigen::VectorXd ydd = data.ydd;
        REQUIRE(grbda::rnea<double>(robot.model, data, state.q, state.yd, ydd, state.wrenches).ok());
        CHECK(relative(data.tau, state.tau) < kInverse);
    });
}

TEST_CASE("mass matrix times acceleration plus bias force is rnea on every robot") {
    at_random_states(all(), kStates, 3, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::MatrixXd M(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        REQUIRE(grbda::bias_force<double>(model, data, state.q, state.yd, state.wrenches).ok());
        const Eigen::VectorXd bias = data.tau;
        REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd, state.wrenches).ok());
        CHECK(relative(M * state.ydd + bias, data.tau) < kRounding);
        CHECK(M == M.transpose());
        CHECK((model.nv == 0 || dense::is_positive_definite(M)));
    });
}

TEST_CASE(
    "one triangle of the mass matrix is that of the whole, and nothing else is written, on every robot") {
    at_random_states(all(), kStates, 4, [](const Robot& robot, const State& state, Random&) {
        using grbda::Triangle;
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::MatrixXd M(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(model, data, state.q, M).ok());
        const Eigen::VectorXd bad = Eigen::VectorXd::Constant(model.nq, std::nan(""));
        for (const Triangle triangle : {Triangle::both, Triangle::lower, Triangle::upper}) {
            const auto expect = [&](const auto& entry) {
                Eigen::MatrixXd expected = Eigen::MatrixXd::Constant(model.nv + 2, model.nv + 2, 7);
                for (Eigen::Index j = 0; j < model.nv; ++j)
                    for (Eigen::Index i = 0; i < model.nv; ++i)
                        if (within(triangle, i, j)) expected(i + 1, j + 1) = entry(i, j);
                return expected;
            };
            Eigen::MatrixXd large = Eigen::MatrixXd::Constant(model.nv + 2, model.nv + 2, 7);
            const auto part = large.block(1, 1, model.nv, model.nv);
            REQUIRE(grbda::crba<double>(model, data, state.q, part, triangle).ok());
            CHECK(large == expect([&](Eigen::Index i, Eigen::Index j) { return M(i, j); }));
            if (model.nq == 0) continue;
            CHECK(grbda::crba<double>(model, data, bad, part, triangle).status == grbda::Status::not_finite);
            const Eigen::MatrixXd zeros = large.array() * 0;  // NaN where it was written
            CHECK((zeros.array().isNaN() ==
                   expect([](Eigen::Index, Eigen::Index) { return std::nan(""); }).array().isNaN())
                      .all());
        }
    });
}
