#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "constraints/closure.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "closing/closure_tolerance.hpp"
#include "support/dense.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// Closing from a configuration that is nearly closed, as in a control loop: few inverses, and the result is
// what Newton's method finds that factors anew at each step.

namespace {

using namespace test_robots;

/// One step of Newton's method on the dependents of one cluster, by orthogonal factors of K_d with rows and
/// columns made dimensionless. Its largest entry.
double newton_step(const grbda::Model& model, grbda::Workspace<double>& data, const grbda::Cluster& c,
                   Eigen::VectorXd& q) {
    const auto base = grbda::kernels::place_alone(model, data, c, q.data());
    static_cast<void>(grbda::closing::cluster_residual(model, data, c, base, q.data()));
    Eigen::MatrixXd K(c.rows, c.dependents());
    Eigen::VectorXd phi(c.rows);
    for (int r = 0; r < c.rows; ++r) {
        const double scale = model.row_scale[c.row_begin + r];
        phi[r] = scale * data.phi[c.row_begin + r];
        for (int d = 0; d < c.dependents(); ++d) {
            const int dof = model.dependent[c.dependent_begin + d];
            K(r, d) = scale * model.column_scale[dof] * data.K[c.K_begin + r * c.dofs + dof - c.dof_begin];
        }
    }
    const Eigen::VectorXd step = -dense::least_norm(K, phi);
    Eigen::VectorXd moved = Eigen::VectorXd::Zero(c.dofs);
    for (int d = 0; d < c.dependents(); ++d) {
        const int dof = model.dependent[c.dependent_begin + d];
        moved[dof - c.dof_begin] = step[d] * model.column_scale[dof];
    }
    grbda::kernels::move_cluster(model, c, q.data(), moved.data(), 1, q.data());
    return step.size() ? step.cwiseAbs().maxCoeff() : 0;
}

Eigen::VectorXd closed_by_newton(const grbda::Model& model, Eigen::VectorXd q) {
    constexpr int kSteps = 12;
    constexpr double kSmall = 1e-9;  // the next one is rounding
    grbda::Workspace<double> data(model);
    for (const grbda::Cluster& c : model.clusters) {
        if (c.embedding == grbda::Embedding::constant) grbda::closing::close_couplings(model, c, q.data());
        if (c.embedding != grbda::Embedding::implicit) continue;
        bool small = false;
        for (int i = 0; i < kSteps && !small; ++i) small = newton_step(model, data, c, q) < kSmall;
    }
    return q;
}

/// q with some velocities moved by up to `size`, each joint by itself.
template <class Dofs>
Eigen::VectorXd moved(const grbda::Model& model, const Eigen::VectorXd& q, const Dofs& dofs, double size,
                      Random& random) {
    Eigen::VectorXd step = Eigen::VectorXd::Zero(model.nv_tree), next = q;
    for (const int dof : dofs) step[dof] = random_vector(random, 1, size)[0];
    for (const grbda::Body& body : model.bodies)
        grbda::kernels::joint_integrate(body.joint, q.data() + body.q, step.data() + body.dof,
                                        next.data() + body.q);
    return next;
}

/// Tolerance for the difference of two solutions: each is closed to some 16 ε of a cluster, and K_d to ε.
double rounding(double rcond, const Eigen::VectorXd& q) {
    return 1e-14 * (1 + q.cwiseAbs().maxCoeff()) / (rcond * std::min(1., 10 * rcond));
}

}  // namespace

TEST_CASE("closing a nearly closed q ends where Newton's method ends that factors at each step") {
    constexpr int kMost = 6;
    int compared = 0;
    at_random_states(all(), 2, 29, [&](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::constraint_embedding(model, data, state.q, state.yd));
        const double rcond = conditioning(model, data);
        for (const double size : {1e-12, 1e-9, 1e-6, 1e-4, 1e-3})
            for (const bool drifted : {false, true}) {
                if (size > 0.1 * rcond * rcond) continue;  // nearer to other solutions
                INFO(size << (drifted ? ", dependents" : ", independents"));
                Eigen::VectorXd q =
                    moved(model, state.q, drifted ? model.dependent : model.independent, size, random);
                const Eigen::VectorXd expected = closed_by_newton(model, q);
                const grbda::Result result = grbda::close_loops<double>(model, data, q);
                CHECK(result.ok());
                CHECK(result.iterations <= kMost);
                CHECK(grbda::closure_residual<double>(model, data, q).ok());
                CHECK((q - expected).cwiseAbs().maxCoeff() <= rounding(rcond, q));
                ++compared;
            }
    });
    CHECK(compared > 400);
}

TEST_CASE(
    "a step of a control loop takes few iterations, of loops with many rods too, and stays in the mode") {
    constexpr int kMost = 10;  // of two steps
    constexpr int kStates = 20, kPortions = 100;
    constexpr double kStep = 1e-3;  // m
    constexpr double kSame = 1e-9;
    for (const char* name : {"kangaroo_leg", "digit_leg"}) {
        const grbda::Model& model = named(name).model;
        grbda::Workspace<double> data(model);
        Random random(30);
        for (int i = 0; i < kStates; ++i) {
            INFO(name << ", state " << i);
            const Eigen::VectorXd from = grbda::random_configuration(model, random);
            Eigen::VectorXd q = moved(model, from, model.independent, kStep, random), expected = from;
            for (int portion = 1; portion <= kPortions; ++portion) {
                for (const int dof : model.independent) {
                    const int j = grbda::kernels::position_index(model, dof);
                    expected[j] = from[j] + (q[j] - from[j]) * portion / kPortions;
                }
                expected = closed_by_newton(model, expected);
            }
            const grbda::Result result = grbda::close_loops<double>(model, data, q);
            CHECK(result.ok());
            CHECK(result.iterations <= kMost);
            CHECK((q - expected).cwiseAbs().maxCoeff() < kSame);
        }
    }
}

TEST_CASE("dependents that drift come back to where they were") {
    at_random_states(all(), 1, 31, [&](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::VectorXd closed = state.q;
        REQUIRE(grbda::close_loops<double>(model, data, closed));
        REQUIRE(grbda::constraint_embedding(model, data, closed, state.yd));
        const double rcond = conditioning(model, data);
        Eigen::VectorXd q = moved(model, closed, model.dependent, 1e-5, random);
        CHECK(grbda::close_loops<double>(model, data, q));
        CHECK((q - closed).cwiseAbs().maxCoeff() <= 2 * rounding(rcond, q));
    });
}

TEST_CASE("a closed configuration does not change in any bit and takes no iteration") {
    at_random_states(all(), 1, 37, [&](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        Eigen::VectorXd q = state.q;
        REQUIRE(grbda::close_loops<double>(model, data, q));
        const Eigen::VectorXd closed = q;
        const grbda::Result again = grbda::close_loops<double>(model, data, q);
        CHECK(again.ok());
        if (again.iterations == 0) CHECK(q == closed);
        CHECK(again.iterations <= 1);
    });
}
