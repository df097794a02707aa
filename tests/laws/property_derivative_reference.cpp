#include <limits>
#include <utility>

#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "laws/derivative_reference.hpp"
#include "support/charts.hpp"
#include "support/motion.hpp"
#include "support/require_ok.hpp"
#include "support/sample_size.hpp"

// Checks the reference that the derivatives of dynamics are compared with.

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
using grbda::Model;
using grbda::Workspace;

constexpr int kStates = 2;
constexpr double kValues = 1e-10;      // sin and cos of two kinds, over rcond(K_d)² and the condition of M
constexpr double kQuadratic = 1e-10;   // rounding of what a unit step adds
constexpr double kClosedForms = 1e-9;  // rods of 1e-8 of a leg's inertia about themselves: the condition of M
constexpr double kDifferences = 1e-6;  // of configurations
constexpr double kWellConditioned = 5e-3;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const grbda::Matrix6X<double> kNone(6, 0);

VectorXd tau_of(const Model& model, Workspace<double>& data, const State& x) {
    must(grbda::rnea<double>(model, data, x.q, x.yd, x.ydd, x.wrenches));
    return data.tau;
}
VectorXd ydd_of(const Model& model, Workspace<double>& data, const State& x) {
    must(grbda::aba<double>(model, data, x.q, x.yd, x.tau, x.wrenches));
    return data.ydd;
}

/// (f(+1) − f(−1))/2 for a unit step of each entry of a vector of the state.
template <class Function>
MatrixXd unit_steps(State state, VectorXd State::*moved, const Function& function) {
    const Eigen::Index n = (state.*moved).size();
    MatrixXd result(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
        const double before = (state.*moved)[k];
        (state.*moved)[k] = before + 1;
        result.col(k) = function(state);
        (state.*moved)[k] = before - 1;
        result.col(k) = (result.col(k) - function(state)) / 2;
        (state.*moved)[k] = before;
    }
    return result;
}

/// Derivatives of τ and of ÿ in y by differences of configurations that integrate() moves to; NaN where it
/// ends at a fold.
std::pair<MatrixXd, MatrixXd> differences(const Model& model, Workspace<double>& data, const State& state,
                                          double h) {
    MatrixXd tau(model.nv, model.nv), ydd(model.nv, model.nv);
    State next = state;
    for (int k = 0; k < model.nv; ++k) {
        const VectorXd both = motion::derivative(
            [&](double t) {
                const VectorXd step = t * VectorXd::Unit(model.nv, k);
                if (!grbda::integrate<double>(model, data, state.q, step, next.q).ok())
                    return VectorXd(VectorXd::Constant(2 * model.nv, kNan));
                VectorXd now(2 * model.nv);
                now << tau_of(model, data, next), ydd_of(model, data, next);
                return now;
            },
            h);
        tau.col(k) = both.head(model.nv);
        ydd.col(k) = both.tail(model.nv);
    }
    return {tau, ydd};
}

MatrixXd mass(const Model& model, Workspace<double>& data, const VectorXd& q) {
    MatrixXd M(model.nv, model.nv);
    must(grbda::crba<double>(model, data, q, M));
    return M;
}

/// Differences are wrong by rounding over their step, or by its square squared: one step has to do.
void check_differences(const Model& model, Workspace<double>& data, const State& state) {
    const Derivatives inverse = of_inverse(model, data.chart, state.q, state.yd, state.ydd, state.wrenches),
                      forward = of_forward(model, data.chart, state.q, state.yd, state.tau, state.wrenches);
    const MatrixXd M = mass(model, data, state.q);
    double tau_error = 1, ydd_error = 1;
    for (const double h : {2e-6, 2e-5, 2e-4, 6e-4}) {
        const auto [tau, ydd] = differences(model, data, state, h);
        tau_error = std::min(tau_error, error(inverse.y, tau));
        ydd_error = std::min(ydd_error, error_as_forces(M, forward.y, ydd));
    }
    CHECK(tau_error < kDifferences);
    CHECK(ydd_error < kDifferences);
}

/// In the base's axes gravity turns the other way round, and ẏ of a steady push turns with ω.
void check_base(const Model& model, const State& state, const grbda::Cluster& c) {
    Workspace<double> data(model);
    const Derivatives found = of_forward(model, data.chart, state.q, state.yd, state.tau, state.wrenches);
    const MatrixXd M = mass(model, data, state.q);
    must(grbda::forward_kinematics<double>(model, data, state.q));
    const grbda::Vector3<double> g = transpose_times(data.R[c.bodies.first], model.gravity);
    const int* y = model.y_index.data() + c.y_begin;
    const Eigen::Vector3d gravity(g.x, g.y, g.z), spin(state.yd[y[3]], state.yd[y[4]], state.yd[y[5]]);
    const auto on_base = [&](const Eigen::Vector3d& x) {
        VectorXd result = VectorXd::Zero(model.nv);
        for (int i = 0; i < 3; ++i) result[y[i]] = x[i];
        return result;
    };
    MatrixXd in_y = found.y, in_yd = found.yd;
    for (int j = 0; j < 3; ++j) {
        const Eigen::Vector3d axis = Eigen::Vector3d::Unit(j);
        in_y.col(y[j]).setZero();
        in_y.col(y[3 + j]) = on_base(gravity.cross(axis));
        in_yd.col(y[j]) = on_base(-spin.cross(axis));
    }
    CHECK(error_as_forces(M, found.y, in_y) < kClosedForms);
    CHECK(error_as_forces(M, found.yd, in_yd) < kClosedForms);
}

}  // namespace

TEST_CASE("the reference's derivatives in velocities and forces are those of a quadratic") {
    at_random_states(robots(), kStates, 301, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        const Derivatives tau = of_inverse(model, data.chart, state.q, state.yd, state.ydd, state.wrenches),
                          ydd = of_forward(model, data.chart, state.q, state.yd, state.tau, state.wrenches);
        const auto inverse = [&](const State& x) { return tau_of(model, data, x); };
        const auto forward = [&](const State& x) { return ydd_of(model, data, x); };
        const MatrixXd M = mass(model, data, state.q);
        CHECK(error(tau.value, inverse(state)) < kValues);
        CHECK(error_as_forces(M, ydd.value, forward(state)) < kValues);
        CHECK(error(tau.yd, unit_steps(state, &State::yd, inverse)) < kQuadratic);
        CHECK(error_as_forces(M, ydd.yd, unit_steps(state, &State::yd, forward)) < kQuadratic);
        CHECK(error(tau.given, M) < kValues);
        CHECK(error_as_forces(M, ydd.given, unit_steps(state, &State::tau, forward)) < kQuadratic);
    });
    CHECK(robots().size() > all().size());
}

TEST_CASE("the reference's derivatives along motions are those of differences") {
    at_random_states(robots(), kStates, 302, [](const Robot& robot, const State& state, Random&) {
        Workspace<double> data(robot.model);
        check_differences(robot.model, data, state);
    });
}

TEST_CASE("the reference's derivatives along motions are those of differences in any coordinates") {
    int compared = 0;
    at_random_states(all(), kStates, 303, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const charts::Kind kind = charts::kinds[1 + random() % 3];
        CAPTURE(kind);
        Workspace<double> data(model);
        if (!charts::take(kind, model, data, state.q, random) || conditioning(model, data) < kWellConditioned)
            return;
        check_differences(model, data, state);
        compared += model.rows > 0 && model.nv > 0 ? 1 : 0;
    });
    CHECK(compared > sample_size::least(50));
}

TEST_CASE("the reference's derivatives of forward dynamics are those of the inverse times −M⁻¹") {
    at_random_states(robots(), kStates, 304, [](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        const Derivatives forward = of_forward(model, data.chart, state.q, state.yd, state.tau, kNone);
        const Derivatives inverse = of_inverse(model, data.chart, state.q, state.yd, forward.value, kNone);
        const MatrixXd M = mass(model, data, state.q);
        CHECK(error(M * forward.y, -inverse.y) < kValues);
        CHECK(error(M * forward.yd, -inverse.yd) < kValues);
        const VectorXd scale = M.diagonal().cwiseSqrt();
        CHECK(error(scale.cwiseInverse().asDiagonal() * M * forward.given * scale.asDiagonal(),
                    MatrixXd::Identity(model.nv, model.nv)) < kValues);
    });
}

TEST_CASE("the reference's mixed second derivatives are those of a quadratic") {
    at_random_states(all(), kStates, 305, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        const grbda::Chart chart(model);
        const VectorXd dy = random_vector(random, model.nv), dyd = random_vector(random, model.nv);
        const auto along = [&](const VectorXd& yd) -> VectorXd {
            return of_inverse(model, chart, state.q, yd, state.ydd, kNone).y * dy;
        };
        const VectorXd expected = (along(state.yd + dyd) - along(state.yd - dyd)) / 2;
        const VectorXd found = derivative_reference::mixed_second_of_inverse(model, state, dy, dyd);
        CHECK(error(found, expected) < kValues);
    });
}

TEST_CASE("turning a floating base turns gravity, and pushing it changes nothing that rests on it") {
    int bases = 0;
    at_random_states(robots(), kStates, 306, [&](const Robot& robot, const State& state, Random&) {
        for (const grbda::Cluster& c : robot.model.clusters) {
            if (c.kind != grbda::ClusterKind::floating_base || c.armature) continue;
            check_base(robot.model, state, c);
            ++bases;
        }
    });
    CHECK(bases > sample_size::least(20));
}
