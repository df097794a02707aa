#include "derivatives/dynamics_derivatives.hpp"
#include "derivatives/second_derivatives.hpp"
#include "laws/derivative_reference.hpp"
#include "support/charts.hpp"
#include "support/differences.hpp"
#include "support/require_ok.hpp"

// λᵀ times second derivatives are the changes of λᵀ times the first ones: exactly over unit steps of ẏ, ÿ and
// τ, of which the first derivatives are quadratic polynomials, and by differences along closed
// configurations.

namespace {

using namespace test_robots;
using derivative_reference::error;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::SecondDerivatives;
using grbda::Workspace;

constexpr double kExact = 1e-9;    // relative: what duals of duals agree to
constexpr double kForward = 1e-7;  // where M is ill-conditioned
constexpr double kDifferences = 1e-5;

/// λᵀ of the first derivatives side by side.
VectorXd row_of_inverse(const Model& model, Workspace<double>& data, const State& x, const VectorXd& lambda) {
    MatrixXd y(model.nv, model.nv), yd = y, M = y;
    must(grbda::rnea_derivatives<double>(model, data, x.q, x.yd, x.ydd, y, yd, M));
    VectorXd row(3 * model.nv);
    row << y.transpose() * lambda, yd.transpose() * lambda, M.transpose() * lambda;
    return row;
}
VectorXd row_of_forward(const Model& model, Workspace<double>& data, const State& x, const VectorXd& lambda) {
    MatrixXd y(model.nv, model.nv), yd = y, inverse = y;
    must(grbda::aba_derivatives<double>(model, data, x.q, x.yd, x.tau, y, yd, inverse));
    VectorXd row(3 * model.nv);
    row << y.transpose() * lambda, yd.transpose() * lambda, inverse.transpose() * lambda;
    return row;
}

template <class Row>
void check(const Model& model, const State& state, VectorXd State::*given, const Row& row,
           const MatrixXd& hessian, double exact, std::size_t& followed) {
    const int n = model.nv;
    CHECK(error(hessian.middleCols(n, n), differences::over_unit_steps(state, &State::yd, row)) < exact);
    CHECK(error(hessian.rightCols(n), differences::over_unit_steps(state, given, row)) < exact);
    MatrixXd expected;
    if (!differences::along_configurations(model, state, row, expected)) return;
    ++followed;
    CHECK(error(hessian.leftCols(n), expected) < kDifferences);
}

}  // namespace

TEST_CASE("second derivatives are the changes of the first ones") {
    std::size_t states = 0, followed = 0;
    at_random_states(all(), 1, 331, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        if (model.nv > 12) return;  // takes its time
        Workspace<double> data(model);
        SecondDerivatives work(model);
        const VectorXd lambda = random_vector(random, model.nv);
        MatrixXd hessian(3 * model.nv, 3 * model.nv);
        must(
            grbda::rnea_second_derivatives(model, data, work, state.q, state.yd, state.ydd, lambda, hessian));
        const auto inverse = [&](const State& x) { return row_of_inverse(model, data, x, lambda); };
        check(model, state, &State::ydd, inverse, hessian, kExact, followed);
        must(grbda::aba_second_derivatives(model, data, work, state.q, state.yd, state.tau, lambda, hessian));
        const auto forward = [&](const State& x) { return row_of_forward(model, data, x, lambda); };
        check(model, state, &State::tau, forward, hessian, kForward, followed);
        states += 2;
    });
    CHECK(10 * followed > 9 * states);
}

TEST_CASE("second derivatives along velocities are the first ones at unit velocities, in all coordinates") {
    std::size_t states = 0;
    at_random_states(all(), 1, 333, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const int n = model.nv;
        const VectorXd lambda = random_vector(random, n), zero = VectorXd::Zero(n);
        for (const charts::Kind kind : charts::kinds) {
            Workspace<double> data(model);
            if (!charts::take(kind, model, data, state.q, random)) continue;
            SecondDerivatives work(model);
            MatrixXd hessian(3 * n, 3 * n), by_y(n, n), by_yd(n, n), expected(n, n);
            must(grbda::rnea_second_derivatives(model, data, work, state.q, state.yd, state.ydd, lambda,
                                                hessian));
            for (int j = 0; j < n; ++j) {
                must(grbda::rnea_derivatives<double>(model, data, state.q, VectorXd::Unit(n, j), zero, by_y,
                                                     by_yd));
                expected.col(j) = by_yd.transpose() * lambda;
            }
            INFO(robot.name << ", coordinates " << static_cast<int>(kind));
            CHECK(error(hessian.block(n, n, n, n), expected) < kExact);
            ++states;
        }
    });
    CHECK(states > 2 * all().size());
}

TEST_CASE("mixed second derivatives are those of dual numbers of dual numbers") {
    at_random_states(all(), 1, 332, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const int n = model.nv;
        Workspace<double> data(model);
        SecondDerivatives work(model);
        const VectorXd lambda = random_vector(random, n), dy = random_vector(random, n),
                       dyd = random_vector(random, n);
        MatrixXd hessian(3 * n, 3 * n);
        must(
            grbda::rnea_second_derivatives(model, data, work, state.q, state.yd, state.ydd, lambda, hessian));
        const double expected =
            lambda.dot(derivative_reference::mixed_second_of_inverse(model, state, dy, dyd));
        const double found = dy.dot(hessian.block(0, n, n, n) * dyd);
        CHECK(found == Approx(expected).epsilon(kExact).margin(kExact));
    });
}

TEST_CASE("second derivatives at singular configurations are NaN") {
    const Model& model = named("four_bar").model;
    Workspace<double> data(model);
    SecondDerivatives work(model);
    const VectorXd one = VectorXd::Ones(model.nv);
    MatrixXd hessian(3 * model.nv, 3 * model.nv);
    VectorXd q = VectorXd::Zero(model.nq);  // flat: K loses rank
    grbda::Result result = grbda::rnea_second_derivatives(model, data, work, q, one, one, one, hessian);
    CHECK(result.status == grbda::Status::singular_constraint);
    CHECK(hessian.array().isNaN().all());
    q[0] = std::numeric_limits<double>::infinity();
    result = grbda::aba_second_derivatives(model, data, work, q, one, one, one, hessian);
    CHECK(result.status == grbda::Status::not_finite);
    CHECK(hessian.array().isNaN().all());
    MatrixXd small(1, 1);
    CHECK_THROWS_AS(grbda::aba_second_derivatives(model, data, work, q, one, one, one, small),
                    std::invalid_argument);
}
