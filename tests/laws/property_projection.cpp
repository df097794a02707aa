#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "grbda/baselines/baselines.hpp"
#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "search/search.hpp"
#include "kernels/body/configuration.hpp"
#include "support/dense.hpp"
#include "support/motion.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// Projections onto the loops. Velocities and accelerations: what a dense KKT system of K, k from the
// baselines says. Configurations: stationary, by the difference of distances along the closed manifold; a
// fixed point; and no closed configuration drawn around is nearer.

namespace {

using namespace test_robots;
using grbda::Outcome;
using grbda::SearchResult;

constexpr double kDense = 1e-8;  // relative: rounding times the conditions of W and K

/// Diagonal weights, or a full metric, well conditioned.
Eigen::MatrixXd some_metric(Random& random, Eigen::Index n) {
    const Eigen::VectorXd weights = Eigen::VectorXd::Ones(n) + 0.9 * random_vector(random, n);
    if (random() % 2 == 0) return weights;
    const Eigen::MatrixXd A = random_vector(random, n * n).reshaped(n, n) / std::sqrt(double(n) + 1);
    const Eigen::MatrixXd W = A * A.transpose();
    return W + Eigen::MatrixXd(weights.asDiagonal());
}
Eigen::MatrixXd full(const Eigen::MatrixXd& W) {
    if (W.cols() == W.rows()) return W;
    return W.col(0).asDiagonal();
}

/// x nearest to `given` with K x = k: the KKT system by a complete orthogonal decomposition.
Eigen::VectorXd by_kkt(const Eigen::MatrixXd& W, const Eigen::MatrixXd& K, const Eigen::VectorXd& k,
                       const Eigen::VectorXd& given) {
    const Eigen::Index n = W.rows(), rows = K.rows();
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n + rows, n + rows);
    A << W, K.transpose(), K, Eigen::MatrixXd::Zero(rows, rows);
    Eigen::VectorXd b(n + rows);
    b << W * given, k;
    return dense::least_norm(A, b).head(n);
}

/// Every joint by itself, loops left open.
Eigen::VectorXd opened(const grbda::Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& step) {
    Eigen::VectorXd out(model.nq);
    for (const grbda::Body& body : model.bodies)
        grbda::kernels::joint_integrate(body.joint, q.data() + body.q, step.data() + body.v,
                                        out.data() + body.q);
    return out;
}

/// ½ dᵀWd, d = q ⊖ q0: rotations by Eigen's angles and axes.
double distance(const grbda::Model& model, const Eigen::MatrixXd& W, const Eigen::VectorXd& q0,
                const Eigen::VectorXd& q) {
    Eigen::VectorXd d(model.nv_tree);
    for (const grbda::Body& body : model.bodies) {
        const int size = grbda::position_size(body.joint), turn = body.q + size - 4;
        if (size == grbda::velocity_size(body.joint)) {
            d.segment(body.v, size) = q.segment(body.q, size) - q0.segment(body.q, size);
            continue;
        }
        const auto rotation = [&](const Eigen::VectorXd& x) {
            return Eigen::Quaterniond(x[turn + 3], x[turn], x[turn + 1], x[turn + 2])
                .normalized()
                .toRotationMatrix();
        };
        const Eigen::AngleAxisd way(rotation(q0).transpose() * rotation(q));
        if (size == 7) d.segment<3>(body.v) = rotation(q0).transpose() * (q - q0).segment<3>(body.q);
        d.segment<3>(body.v + size - 4) = way.angle() * way.axis();
    }
    return d.dot(full(W) * d) / 2;
}

}  // namespace

TEST_CASE("projected velocities and accelerations are those of a dense KKT system") {
    at_random_states(all(), 2, 601, [](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        if (model.nv == 0) return;
        grbda::Workspace<double> data(model);
        grbda::Search<double> work(model);
        const Eigen::MatrixXd W = some_metric(random, model.nv_tree);
        const Eigen::VectorXd given = random_vector(random, model.nv_tree);
        Eigen::VectorXd qd = given;
        must(grbda::project_velocity<double>(model, data, work, W, state.q, qd));
        grbda::baselines::Workspace dense(model);
        must(grbda::baselines::inverse_dynamics(model, dense, state.q, grbda::independent_part(model, qd),
                                                state.ydd, grbda::Matrix6X<double>(6, 0)));
        const Eigen::VectorXd none = Eigen::VectorXd::Zero(model.rows);
        CHECK(relative(qd, by_kkt(full(W), dense.K, none, given)) < kDense);
        CHECK((dense.G.transpose() * (full(W) * (given - qd))).norm() < kDense * (1 + dense.G.norm()));
        Eigen::VectorXd again = qd;
        must(grbda::project_velocity<double>(model, data, work, W, state.q, again));
        CHECK(relative(again, qd) < kDense);
        Eigen::VectorXd qdd = given;
        must(grbda::project_acceleration<double>(model, data, work, W, state.q, qd, qdd));
        CHECK(relative(qdd, by_kkt(full(W), dense.K, dense.k, given)) < kDense);
    });
}

TEST_CASE("in the mass matrix of the tree, projected velocities are those after an impact") {
    // massless links leave H singular; GᵀHG is not
    at_random_states(all(), 1, 602, [](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        grbda::Search<double> work(model);
        grbda::baselines::Workspace dense(model);
        must(grbda::baselines::inverse_dynamics(model, dense, state.q, state.yd, state.ydd,
                                                grbda::Matrix6X<double>(6, 0)));
        const Eigen::VectorXd given = random_vector(random, model.nv_tree);
        Eigen::VectorXd qd = given;
        must(grbda::project_velocity<double>(model, data, work, dense.H, state.q, qd));
        const Eigen::VectorXd yd = grbda::independent_part(model, qd);
        CHECK(relative(dense.M * yd, dense.G.transpose() * (dense.H * given)) < kDense);
    });
}

TEST_CASE("the projected configuration is closed, stationary, a fixed point, and none around is nearer") {
    constexpr double kOpen = 0.05, kStationary = 1.5e-6;  // trains of geared rotors come to 1.4e-6
    long tried = 0, found = 0, nearest = 0;
    at_random_states(all(), 2, 603, [&](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        if (model.nv_tree == 0) return;
        grbda::Workspace<double> data(model);
        grbda::Search<double> work(model);
        const Eigen::MatrixXd W = some_metric(random, model.nv_tree);
        const Eigen::VectorXd q0 = opened(model, state.q, random_vector(random, model.nv_tree, kOpen));
        Eigen::VectorXd q = q0;
        const SearchResult result = grbda::project_configuration<double>(model, data, work, W, q);
        INFO(to_string(result.outcome) << " after " << result.iterations << ", cost " << result.cost
                                       << ", stationarity " << result.stationarity);
        ++tried;
        if (!result.converged()) return;
        ++found;
        CHECK(grbda::closure_residual<double>(model, data, q).ok());
        const double reached = distance(model, W, q0, q);
        CHECK(result.cost == Approx(reached).epsilon(1e-6).margin(1e-15));
        CHECK(work.moved.dot(full(W) * work.moved) / 2 == Approx(reached).epsilon(1e-6).margin(1e-15));
        nearest +=
            reached <= distance(model, W, q0, state.q) * (1 + 1e-9) ? 1 : 0;  // it was opened from there
        const Eigen::VectorXd still = Eigen::VectorXd::Zero(model.nv);
        if (!grbda::constraint_embedding<double>(model, data, q, still).ok() ||
            conditioning(model, data) < 0.02)
            return;  // what follows is in the coordinates of the model
        const Eigen::MatrixXd G = grbda::explicit_jacobian(model, data), metric = G.transpose() * full(W) * G;
        const auto at = [&](const Eigen::VectorXd& step) {
            Eigen::VectorXd there(model.nq);
            const bool closed = grbda::integrate<double>(model, data, q, step, there).ok();
            return closed ? distance(model, W, q0, there) : INFINITY;
        };
        for (int i = 0; i < model.nv; ++i) {
            const Eigen::VectorXd slope = motion::derivative([&](double step) -> Eigen::VectorXd {
                return Eigen::VectorXd::Constant(1, at(step * Eigen::VectorXd::Unit(model.nv, i)));
            });
            const double motion = std::sqrt(2 * reached * metric(i, i));
            if (slope.allFinite()) CHECK(std::abs(slope[0]) < kStationary * (1 + motion));
        }
        for (int i = 0; i < 30; ++i) CHECK(at(random_vector(random, model.nv, 1e-2)) >= reached * (1 - 1e-9));
        Eigen::VectorXd again = q;
        CHECK(grbda::project_configuration<double>(model, data, work, W, again).converged());
        CHECK(work.moved.cwiseAbs().maxCoeff() < 1e-9);
    });
    INFO(found << " of " << tried);
    CHECK(100 * found >= 98 * tried);
    CHECK(100 * nearest >= 99 * found);  // others end in another valley
}

TEST_CASE(
    "whichever joint of a flat parallelogram is given, the projection is the nearest of a mode around it") {
    // Link and ground 1, cranks 0.5: the neutral configuration is beside the flat one, where the modes cross.
    const grbda::Model& model = named("four_bar").model;
    const Eigen::VectorXd neutral = grbda::neutral_configuration(model);
    const auto parallel = [](double a) { return Eigen::Vector3d(a, -a, a); };
    const auto crossed = [](double a) -> Eigen::Vector3d {
        const double x = 0.5 * std::cos(a) - 1, y = 0.5 * std::sin(a), reach = std::hypot(x, y);
        const double c = std::remainder(
            std::atan2(y, x) + std::copysign(std::acos((reach * reach - 0.75) / reach), a), 2 * M_PI);
        const double b = std::atan2(0.5 * std::sin(c) - y, 0.5 * std::cos(c) - x) - a;
        return {a, b, c};
    };
    grbda::Workspace<double> data(model);
    grbda::Search<double> work(model);
    const Eigen::VectorXd W = Eigen::VectorXd::Ones(model.nv_tree);
    for (int joint = 0; joint < 3; ++joint)
        for (const double angle : {-0.6, -0.3, -0.1, 0.1, 0.3, 0.6}) {
            INFO("joint " << joint + 1 << " at " << angle);
            Eigen::VectorXd given = neutral;
            given[joint] = angle;
            Eigen::VectorXd q = given;
            const SearchResult result = grbda::project_configuration<double>(model, data, work, W, q);
            REQUIRE(result.converged());
            CHECK(grbda::closure_residual<double>(model, data, q).ok());
            const bool in_parallel = (q - parallel(q[0])).norm() < 1e-9;
            REQUIRE((in_parallel || (q - crossed(q[0])).norm() < 1e-9));
            const auto distance = [&](double a) {
                return ((in_parallel ? parallel(a) : crossed(a)) - given).norm();
            };
            CHECK(std::sqrt(2 * result.cost) == Approx(distance(q[0])));
            for (int i = 1; i <= 50; ++i)
                for (const double side : {-1e-3, 1e-3}) CHECK(distance(q[0] + i * side) >= distance(q[0]));
        }
}
