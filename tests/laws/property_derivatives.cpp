#include <cmath>
#include <limits>
#include <stdexcept>

#include "derivatives/dynamics_derivatives.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "laws/derivative_reference.hpp"
#include "support/charts.hpp"
#include "support/require_ok.hpp"

// Derivatives of the dynamics are those of dual numbers through the dynamics.

namespace {

using namespace test_robots;
using derivative_reference::Derivatives;
using derivative_reference::error;
using derivative_reference::error_as_forces;
using derivative_reference::of_forward;
using derivative_reference::of_inverse;
using derivative_reference::robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Matrix6X;
using grbda::MatrixX;
using grbda::Model;
using grbda::Result;
using grbda::Status;
using grbda::VectorX;
using grbda::Workspace;

constexpr int kStates = 2;
constexpr double kAgreement = 1e-11;
constexpr double kRounding = 1e-12;  // of forward dynamics, by the root of how unequal inertias are
constexpr double kFar = 1e-10;       // the common frame is at the robot
constexpr double kWellConditioned = 5e-3;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Matrices of one call: ∂/∂y, ∂/∂ẏ, and M or ∂ÿ/∂τ.
struct Found {
    explicit Found(const Model& model) {
        for (MatrixXd* x : {&y, &yd, &given}) *x = MatrixXd::Constant(model.nv, model.nv, kNan);
    }
    MatrixXd y, yd, given;
    Result result;
};

/// Arguments of a function up to its outputs.
struct Arguments {
    VectorXd q, yd, given;
    Matrix6X<double> wrenches{6, 0};
};

Found inverse(const Model& model, Workspace<double>& data, const Arguments& x) {
    Found found(model);
    found.result = grbda::rnea_derivatives<double>(model, data, x.q, x.yd, x.given, x.wrenches, found.y,
                                                   found.yd, found.given);
    return found;
}
Found forward(const Model& model, Workspace<double>& data, const Arguments& x) {
    Found found(model);
    found.result = grbda::aba_derivatives<double>(model, data, x.q, x.yd, x.given, x.wrenches, found.y,
                                                  found.yd, found.given);
    return found;
}

MatrixXd mass(const Model& model, const grbda::Chart& chart, const VectorXd& q) {
    Workspace<double> data(model);
    data.chart = chart;
    MatrixXd M(model.nv, model.nv);
    must(grbda::crba<double>(model, data, q, M));
    return M;
}

/// Tolerance of results of M⁻¹: rounded forces on a leg spin its thin rods.
double agreement(const MatrixXd& M) {
    if (M.size() == 0) return kAgreement;
    return kAgreement + kRounding * std::sqrt(M.diagonal().maxCoeff() / M.diagonal().minCoeff());
}

void check_inverse(const Model& model, Workspace<double>& data, const Arguments& x) {
    const Derivatives expected = of_inverse(model, data.chart, x.q, x.yd, x.given, x.wrenches);
    const Found found = inverse(model, data, x);
    REQUIRE(found.result.ok());
    CHECK(error(found.y, expected.y) < kAgreement);
    CHECK(error(found.yd, expected.yd) < kAgreement);
    CHECK(error(found.given, expected.given) < kAgreement);
    CHECK(error(found.given, mass(model, data.chart, x.q)) < kAgreement);
}

void check_forward(const Model& model, Workspace<double>& data, const Arguments& x) {
    const Derivatives expected = of_forward(model, data.chart, x.q, x.yd, x.given, x.wrenches);
    const MatrixXd M = mass(model, data.chart, x.q);
    const double enough = agreement(M);
    const Found found = forward(model, data, x);
    REQUIRE(found.result.ok());
    CHECK(error_as_forces(M, data.ydd, expected.value) < enough);
    CHECK(error_as_forces(M, found.y, expected.y) < enough);
    CHECK(error_as_forces(M, found.yd, expected.yd) < enough);
    CHECK(error_as_forces(M, found.given, expected.given) < enough);
    MatrixXd alone(model.nv, model.nv);
    REQUIRE(grbda::inverse_mass_matrix<double>(model, data, x.q, alone).ok());
    CHECK(error_as_forces(M, alone, expected.given) < enough);
    CHECK(error(alone, alone.transpose()) < kAgreement);
}

bool same(const Found& a, const Found& b) {
    return a.result.status == b.result.status && a.y == b.y && a.yd == b.yd && a.given == b.given;
}

bool all_nan(const Found& found) {
    return found.y.array().isNaN().all() && found.yd.array().isNaN().all() &&
           found.given.array().isNaN().all();
}

/// Statuses are those of the dynamics themselves, and outputs are NaN if they are not ok.
void check_failure(const Model& model, const Arguments& x) {
    Workspace<double> data(model), other(model);
    const Result of_rnea = grbda::rnea<double>(model, other, x.q, x.yd, x.given, x.wrenches);
    const Found tau = inverse(model, data, x);
    CHECK(tau.result.status == of_rnea.status);
    CHECK(tau.result.cluster == of_rnea.cluster);
    CHECK((of_rnea.ok() || all_nan(tau)));
    const Result of_aba = grbda::aba<double>(model, other, x.q, x.yd, x.given, x.wrenches);
    const Found ydd = forward(model, data, x);
    CHECK(!of_aba.ok());
    CHECK(ydd.result.status == of_aba.status);
    CHECK(ydd.result.cluster == of_aba.cluster);
    CHECK(all_nan(ydd));
    CHECK(data.ydd.array().isNaN().all());
    CHECK(data.factors == grbda::Factors::none);
}

}  // namespace

TEST_CASE("derivatives of inverse dynamics are those of dual numbers on every robot") {
    at_random_states(robots(), kStates, 311, [](const Robot& robot, const State& state, Random&) {
        Workspace<double> data(robot.model);
        check_inverse(robot.model, data, {state.q, state.yd, state.ydd, state.wrenches});
        check_inverse(robot.model, data, {state.q, state.yd, state.ydd});
    });
}

TEST_CASE("derivatives of forward dynamics are those of dual numbers on every robot") {
    at_random_states(robots(), kStates, 312, [](const Robot& robot, const State& state, Random&) {
        Workspace<double> data(robot.model);
        check_forward(robot.model, data, {state.q, state.yd, state.tau, state.wrenches});
        check_forward(robot.model, data, {state.q, state.yd, state.tau});
    });
}

TEST_CASE("derivatives at rest are those of dual numbers on every robot") {
    at_random_states(robots(), 1, 313, [](const Robot& robot, const State& state, Random&) {
        Workspace<double> data(robot.model);
        const VectorXd zero = VectorXd::Zero(robot.model.nv);
        check_inverse(robot.model, data, {state.q, zero, zero});
        check_forward(robot.model, data, {state.q, zero, zero});
    });
}

TEST_CASE("derivatives are those of dual numbers in any coordinates") {
    std::size_t compared = 0;
    at_random_states(robots(), kStates, 314, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        if (model.rows == 0) return;
        for (const charts::Kind kind : charts::kinds) {
            CAPTURE(kind);
            Workspace<double> data(model);
            if (!charts::take(kind, model, data, state.q, random) ||
                conditioning(model, data) < kWellConditioned)
                continue;
            check_inverse(model, data, {state.q, state.yd, state.ydd, state.wrenches});
            check_forward(model, data, {state.q, state.yd, state.tau, state.wrenches});
            ++compared;
        }
    });
    CHECK(compared > 200);
}

TEST_CASE("every overload gives the same derivatives, into blocks of larger matrices too") {
    at_random_states(robots(), 1, 315, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        const int n = model.nv;
        Workspace<double> data(model);
        MatrixXd all = MatrixXd::Constant(n + 3, 3 * n + 2, 7);
        auto y = all.block(1, 1, n, n), yd = all.block(1, 1 + n, n, n), given = all.block(1, 1 + 2 * n, n, n);
        const auto check = [&](const Found& expected, bool with_given) {
            CHECK(error(y, expected.y) < kAgreement);
            CHECK(error(yd, expected.yd) < kAgreement);
            if (with_given) CHECK(error(given, expected.given) < kAgreement);
            all.block(1, 1, n, (with_given ? 3 : 2) * n).setConstant(7);
            CHECK((all.array() == 7).all());
        };
        const VectorXd &q = state.q, &rate = state.yd, &ydd = state.ydd, &tau = state.tau;
        const Matrix6X<double>& f = state.wrenches;
        const Found with = inverse(model, data, {q, rate, ydd, state.wrenches}),
                    without = inverse(model, data, {q, rate, ydd});
        must(grbda::rnea_derivatives<double>(model, data, q, rate, ydd, y, yd));
        check(without, false);
        must(grbda::rnea_derivatives<double>(model, data, q, rate, ydd, y, yd, given));
        check(without, true);
        must(grbda::rnea_derivatives<double>(model, data, q, rate, ydd, f, y, yd, given));
        check(with, true);
        must(grbda::aba_derivatives<double>(model, data, q, rate, tau, y, yd, given));
        check(forward(model, data, {q, rate, tau}), true);
        must(grbda::aba_derivatives<double>(model, data, q, rate, tau, f, y, yd, given));
        check(forward(model, data, {q, rate, tau, state.wrenches}), true);
    });
}

TEST_CASE("derivatives do not depend on earlier contents of the workspace") {
    at_random_states(robots(), 1, 316, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const Arguments x{state.q, state.yd, state.ydd, state.wrenches};
        Workspace<double> used(model), first(model), second(model);
        State other;
        REQUIRE(random_state(model, random, other));
        const Arguments before{other.q, other.yd, other.tau, other.wrenches};
        static_cast<void>(forward(model, used, before));
        const Found tau = inverse(model, used, x);
        CHECK(same(tau, inverse(model, first, x)));
        static_cast<void>(inverse(model, used, before));
        const Found ydd = forward(model, used, x);
        CHECK(same(ydd, forward(model, second, x)));
        CHECK(used.ydd == second.ydd);
        // what aba_derivatives leaves is what aba leaves
        must(grbda::aba<double>(model, first, x.q, x.yd, x.given, x.wrenches));
        const MatrixXd M = mass(model, first.chart, x.q);
        CHECK(error_as_forces(M, used.ydd, first.ydd) < agreement(M));
    });
}

TEST_CASE("derivatives of a floating robot 10 km away are those here") {
    for (const char* name : {"mini_cheetah", "mit_humanoid", "tello"}) {
        INFO(name);
        const Model& model = named(name).model;
        Workspace<double> data(model);
        Random random(317);
        State state;
        REQUIRE(random_state(model, random, state));
        Arguments x{state.q, state.yd, state.tau, state.wrenches};
        const Found tau = inverse(model, data, x), ydd = forward(model, data, x);
        x.q.head<3>() += Eigen::Vector3d(8000, -5000, 3000);
        const MatrixXd M = mass(model, data.chart, x.q);
        const Found tau_far = inverse(model, data, x), ydd_far = forward(model, data, x);
        CHECK(error(tau_far.y, tau.y) < kFar);
        CHECK(error(tau_far.yd, tau.yd) < kFar);
        CHECK(error_as_forces(M, ydd_far.y, ydd.y) < kFar);
        CHECK(error_as_forces(M, ydd_far.yd, ydd.yd) < kFar);
    }
}

TEST_CASE("derivatives fail if the dynamics do, with NaN") {
    const Model& flat = named("four_bar").model;
    const VectorXd zero = VectorXd::Zero(flat.nv);
    const Arguments singular{VectorXd::Zero(flat.nq), zero, zero};
    check_failure(flat, singular);
    Workspace<double> data(flat);
    CHECK(inverse(flat, data, singular).result.status == Status::singular_constraint);
    at_random_states(all(), 1, 319, [](const Robot& robot, const State& state, Random& random) {
        if (robot.model.nv == 0) return;
        const Arguments good{state.q, state.yd, state.tau, state.wrenches};
        for (const double bad : {kNan, std::numeric_limits<double>::infinity(), 1e300}) {
            const auto spoiled = [&](auto member) {
                Arguments x = good;
                auto& numbers = x.*member;
                numbers.data()[random() % static_cast<std::size_t>(numbers.size())] = bad;
                check_failure(robot.model, x);
            };
            spoiled(&Arguments::q);
            spoiled(&Arguments::yd);
            spoiled(&Arguments::given);
            spoiled(&Arguments::wrenches);
        }
        Model heavy = robot.model;  // than its bodies may be
        const std::size_t raised = static_cast<std::size_t>(random()) % heavy.inertia_floor.size();
        heavy.inertia_floor[raised] = heavy.joint_floor[heavy.independent[raised]] = 1e9;
        check_failure(heavy, good);
    });
}

TEST_CASE("derivatives of a robot without freedoms are empty") {
    std::size_t locked = 0;
    for (const Robot* robot : robots()) {
        const Model& model = robot->model;
        if (model.nv > 0) continue;
        INFO(robot->name);
        ++locked;
        Workspace<double> data(model);
        const VectorXd q = grbda::neutral_configuration(model), none(0);
        const Found tau = inverse(model, data, {q, none, none}), ydd = forward(model, data, {q, none, none});
        Workspace<double> other(model);
        CHECK(tau.result.status == grbda::rnea<double>(model, other, q, none, none).status);
        CHECK(ydd.result.status == grbda::aba<double>(model, other, q, none, none).status);
    }
    CHECK(locked > 0);
}

TEST_CASE("derivatives refuse matrices and vectors of another size") {
    const Model& model = named("mini_cheetah").model;
    Workspace<double> data(model);
    const VectorXd q = grbda::neutral_configuration(model), y = VectorXd::Zero(model.nv),
                   longer = VectorXd::Zero(model.nv + 1);
    MatrixXd right(model.nv, model.nv), taller(model.nv + 1, model.nv), wider(model.nv, model.nv + 1);
    const Matrix6X<double> none(6, 0), one(6, 1);
    const auto refused = [&](const VectorXd& at, const VectorXd& rate, const VectorXd& given,
                             const Matrix6X<double>& f, MatrixXd& a, MatrixXd& b, MatrixXd& c) {
        CHECK_THROWS_AS(grbda::rnea_derivatives<double>(model, data, at, rate, given, f, a, b, c),
                        std::invalid_argument);
        CHECK_THROWS_AS(grbda::aba_derivatives<double>(model, data, at, rate, given, f, a, b, c),
                        std::invalid_argument);
    };
    refused(longer, y, y, none, right, right, right);
    refused(q, longer, y, none, right, right, right);
    refused(q, y, longer, none, right, right, right);
    refused(q, y, y, one, right, right, right);
    for (MatrixXd* wrong : {&taller, &wider}) {
        refused(q, y, y, none, *wrong, right, right);
        refused(q, y, y, none, right, *wrong, right);
        refused(q, y, y, none, right, right, *wrong);
        CHECK_THROWS_AS(grbda::inverse_mass_matrix<double>(model, data, q, *wrong), std::invalid_argument);
    }
    CHECK_THROWS_AS(grbda::inverse_mass_matrix<double>(model, data, longer, right), std::invalid_argument);
}
