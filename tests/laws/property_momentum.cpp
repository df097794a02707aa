#include <limits>

#include <Eigen/Geometry>

#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/rnea.hpp"
#include "support/charts.hpp"
#include "support/motion.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"
#include "support/sample_size.hpp"

// Momentum, its rate and their derivatives against mechanical_state() and its differences, and against the
// mass matrix and the base's force of floating robots.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Workspace;

constexpr double kRounding = 1e-10;
constexpr double kDifferences = 1e-6;  // of rates: once more the derivatives of motion::kDifferences
constexpr charts::Kind kCharts[] = {charts::Kind::own, charts::Kind::chosen, charts::Kind::tangent};
using Vector6 = Eigen::Matrix<double, 6, 1>;

grbda::MechanicalState mechanics(const Model& model, Workspace<double>& data, const VectorXd& q,
                                 const VectorXd& yd) {
    grbda::MechanicalState now;
    must(grbda::mechanical_state<double>(model, data, q, yd, now));
    return now;
}

Vector6 momentum(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& yd) {
    const grbda::MechanicalState now = mechanics(model, data, q, yd);
    Vector6 h;
    h << now.linear_momentum, now.angular_momentum;
    return h;
}

/// ḣ = A ÿ + Ȧ ẏ
Vector6 momentum_rate(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& yd,
                      const VectorXd& ydd) {
    MatrixXd A(6, model.nv), A_rate = A;
    must(grbda::momentum_matrix<double>(model, data, q, yd, A, A_rate));
    return A * ydd + A_rate * yd;
}

VectorXd moved(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& step) {
    VectorXd next(model.nq);
    must(grbda::integrate<double>(model, data, q, step, next));
    return next;
}

/// The largest entry that is wrong, relative to the largest and to `scale`.
double worst(const MatrixXd& found, const MatrixXd& expected, double scale) {
    const MatrixXd miss = found - expected;
    if (miss.isZero(0)) return 0;
    return miss.cwiseAbs().maxCoeff() / (scale + expected.cwiseAbs().maxCoeff());
}

struct Derivatives {
    explicit Derivatives(const Model& model, Eigen::Index rows = 6)
        : h_y(rows, model.nv), rate_y(h_y), rate_yd(h_y), A(h_y) {}
    MatrixXd h_y, rate_y, rate_yd, A;
};

Derivatives found(const Model& model, Workspace<double>& data, const State& state) {
    Derivatives x(model);
    must(grbda::momentum_derivatives<double>(model, data, state.q, state.yd, state.ydd, x.h_y, x.rate_y,
                                             x.rate_yd, x.A));
    return x;
}

/// One floating body without armature carries all that moves.
bool floats_freely(const Model& model) {
    if (model.branches != 1 || model.cluster_count() == 0) return false;
    const grbda::Cluster& base = model.clusters.front();
    return base.kind == grbda::ClusterKind::floating_base && !base.armature;
}

/// Its first six numbers of a vector, force and moment in its axes, as force and moment about a point in the
/// world's axes.
Vector6 about(const Model& model, const Workspace<double>& data, const VectorXd& x,
              const Eigen::Vector3d& point) {
    const grbda::Cluster& c = model.clusters.front();
    const int* y = model.y_index.data() + c.y_begin;
    const int frame = model.body_frame[c.bodies.first];
    const Eigen::Matrix3d R = grbda::frame_orientation(model, data, frame);
    const Eigen::Vector3d force = R * Eigen::Vector3d(x[y[0]], x[y[1]], x[y[2]]);
    Vector6 out;
    out << force, R * Eigen::Vector3d(x[y[3]], x[y[4]], x[y[5]]) +
                      (grbda::frame_position(model, data, frame) - point).cross(force);
    return out;
}

}  // namespace

TEST_CASE("momentum is its matrix times velocity, and changes at its rate, on every robot") {
    for (const charts::Kind kind : kCharts)
        at_random_states(all(), 1, 211, [&](const Robot& robot, const State& state, Random& random) {
            if (robot.model.nv == 0) return;  // Eigen cuts no rows out of nothing
            const Model& model = robot.model;
            Workspace<double> data(model);
            if (!charts::take(kind, model, data, state.q, random)) return;
            MatrixXd A(6, model.nv), with_rate = A, A_rate = A;
            must(grbda::momentum_matrix<double>(model, data, state.q, A));
            must(grbda::momentum_matrix<double>(model, data, state.q, state.yd, with_rate, A_rate));
            const Vector6 h = momentum(model, data, state.q, state.yd);
            CHECK(worst(A * state.yd, h, A.norm()) < kRounding);
            CHECK(worst(with_rate, A, A.norm()) < kRounding);
            const VectorXd rates = motion::derivative([&](double t) {
                MatrixXd then(6, model.nv);
                must(grbda::momentum_matrix<double>(model, data, moved(model, data, state.q, t * state.yd),
                                                    then));
                return VectorXd(then.reshaped());
            });
            CHECK(worst(A_rate.reshaped(), rates, A.norm()) < motion::kDifferences);
        });
}

TEST_CASE("derivatives of momentum and of its rate are their differences on every robot") {
    for (const charts::Kind kind : kCharts)
        at_random_states(all(), 1, 212, [&](const Robot& robot, const State& state, Random& random) {
            if (robot.model.nv == 0) return;  // Eigen cuts no rows out of nothing
            const Model& model = robot.model;
            Workspace<double> data(model);
            if (!charts::take(kind, model, data, state.q, random)) return;
            const Derivatives is = found(model, data, state);
            Derivatives expected(model);
            const auto rate = [&](const VectorXd& yd, const VectorXd& ydd) {
                return momentum_rate(model, data, state.q, yd, ydd);
            };
            for (int k = 0; k < model.nv; ++k) {
                const VectorXd unit = VectorXd::Unit(model.nv, k);
                const VectorXd by_y = motion::derivative([&](double t) -> VectorXd {
                    const VectorXd q = moved(model, data, state.q, t * unit);
                    VectorXd both(12);
                    both << momentum(model, data, q, state.yd),
                        momentum_rate(model, data, q, state.yd, state.ydd);
                    return both;
                });
                expected.h_y.col(k) = by_y.head<6>();
                expected.rate_y.col(k) = by_y.tail<6>();
                expected.rate_yd.col(k) =
                    (rate(state.yd + unit, state.ydd) - rate(state.yd - unit, state.ydd)) / 2;
                expected.A.col(k) = momentum(model, data, state.q, unit);
            }
            const double scale = expected.A.norm() + momentum(model, data, state.q, state.yd).norm() +
                                 rate(state.yd, state.ydd).norm();
            CHECK(worst(is.A, expected.A, scale) < kRounding);
            CHECK(worst(is.h_y, expected.h_y, scale) < motion::kDifferences);
            CHECK(worst(is.rate_y, expected.rate_y, scale) < kDifferences);
            CHECK(worst(is.rate_yd, expected.rate_yd, scale) < kRounding);
        });
}

TEST_CASE("the centre of mass moves as its Jacobian says on every robot") {
    at_random_states(all(), 2, 213, [](const Robot& robot, const State& state, Random&) {
        if (robot.model.nv == 0) return;  // Eigen cuts no rows out of nothing
        const Model& model = robot.model;
        Workspace<double> data(model);
        MatrixXd J(3, model.nv);
        must(grbda::com_jacobian<double>(model, data, state.q, J));
        MatrixXd expected(3, model.nv);
        for (int k = 0; k < model.nv; ++k)
            expected.col(k) = motion::derivative([&](double t) -> VectorXd {
                const VectorXd q = moved(model, data, state.q, t * VectorXd::Unit(model.nv, k));
                return mechanics(model, data, q, state.yd).com;
            });
        CHECK(worst(J, expected, 1) < motion::kDifferences);
        const double mass = mechanics(model, data, state.q, state.yd).mass;
        const Derivatives h = found(model, data, state);
        Derivatives com(model, 3);
        must(grbda::com_derivatives<double>(model, data, state.q, state.yd, state.ydd, com.h_y, com.rate_y,
                                            com.rate_yd, com.A));
        CHECK(relative(com.A, J) < kRounding);
        CHECK(relative(mass * com.A, h.A.topRows<3>()) < kRounding);
        CHECK(relative(mass * com.h_y, h.h_y.topRows<3>()) < kRounding);
        CHECK(relative(mass * com.rate_y, h.rate_y.topRows<3>()) < kRounding);
        CHECK(relative(mass * com.rate_yd, h.rate_yd.topRows<3>()) < kRounding);
    });
}

TEST_CASE(
    "momentum is what the base sees of M, and changes by its force and the weight, on floating robots") {
    std::vector<const Robot*> floating;
    for (const Robot* robot : all())
        if (floats_freely(robot->model)) floating.push_back(robot);
    REQUIRE(std::ssize(floating) > sample_size::least(10));
    at_random_states(floating, 2, 214, [](const Robot& robot, const State& state, Random&) {
        if (robot.model.nv == 0) return;  // Eigen cuts no rows out of nothing
        const Model& model = robot.model;
        Workspace<double> data(model), placed(model);
        must(grbda::forward_kinematics<double>(model, placed, state.q));
        const auto now = mechanics(model, data, state.q, state.yd);
        MatrixXd A(6, model.nv), A_rate = A, M(model.nv, model.nv);
        must(grbda::momentum_matrix<double>(model, data, state.q, state.yd, A, A_rate));
        must(grbda::crba<double>(model, data, state.q, M));
        for (int k = 0; k < model.nv; ++k)
            CHECK(worst(A.col(k), about(model, placed, M.col(k), now.com), A.norm()) < kRounding);
        must(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd));
        Vector6 expected = about(model, placed, data.tau, now.com);
        const Eigen::Vector3d gravity(model.gravity.x, model.gravity.y, model.gravity.z);
        expected.head<3>() += now.mass * gravity;
        const Vector6 rate = A * state.ydd + A_rate * state.yd;
        CHECK(worst(rate, expected, A.norm() + now.mass * gravity.norm()) < kRounding);
    });
}

TEST_CASE("momentum at non-finite or singular states is NaN, and wrong sizes are refused") {
    const Model& model = named("four_bar").model;
    Workspace<double> data(model);
    Random random(215);
    State state;
    REQUIRE(random_state(model, random, state));
    const VectorXd nan = VectorXd::Constant(model.nv, std::numeric_limits<double>::quiet_NaN());
    const VectorXd flat = VectorXd::Zero(model.nq);
    const auto empty = [](const MatrixXd& x) { return x.array().isNaN().all(); };
    MatrixXd A(6, model.nv), B = A, C = A, D = A, J(3, model.nv), J2 = J, J3 = J, J4 = J;
    using grbda::Status;
    CHECK(grbda::momentum_matrix<double>(model, data, flat, A).status == Status::singular_constraint);
    CHECK(empty(A));
    CHECK(grbda::momentum_matrix<double>(model, data, state.q, nan, A, B).status == Status::not_finite);
    CHECK((empty(A) && empty(B)));
    CHECK(grbda::momentum_derivatives<double>(model, data, state.q, state.yd, nan, A, B, C, D).status ==
          Status::not_finite);
    CHECK((empty(A) && empty(B) && empty(C) && empty(D)));
    CHECK(grbda::com_jacobian<double>(model, data, flat, J).status == Status::singular_constraint);
    CHECK(empty(J));
    CHECK(grbda::com_derivatives<double>(model, data, flat, state.yd, state.ydd, J, J2, J3, J4).status ==
          Status::singular_constraint);
    CHECK((empty(J) && empty(J2) && empty(J3) && empty(J4)));
    CHECK(grbda::com_derivatives<double>(model, data, state.q, state.yd, state.ydd, J, J2, J3, J4).ok());
    CHECK((J.allFinite() && J2.allFinite() && J3.allFinite() && J4.allFinite()));
    CHECK_THROWS_AS(grbda::momentum_matrix<double>(model, data, state.q, J), std::invalid_argument);
    CHECK_THROWS_AS(grbda::com_jacobian<double>(model, data, state.q, A), std::invalid_argument);
    CHECK_THROWS_AS(grbda::momentum_matrix<double>(model, data, state.yd, A), std::invalid_argument);
    CHECK_THROWS_AS(grbda::momentum_derivatives<double>(model, data, state.q, state.yd, state.q, A, B, C, D),
                    std::invalid_argument);
}
