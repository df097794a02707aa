#include <cmath>

#include "constraints/embedding.hpp"
#include "dynamics/joint_forces.hpp"
#include "dynamics/regressor.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "support/dense.hpp"
#include "support/robots.hpp"

// Least squares with the stacked regressors of measured motions find parameters that predict the forces of
// other motions. The parameters themselves need not be unique.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Workspace;

/// Adds friction, which the files of the identified robots do not have.
Model rubbing(const Robot& robot, Random& random) {
    Model model = robot.model;
    const VectorXd zero = VectorXd::Zero(model.nv_tree);
    model.passive = {};
    model.passive.stiffness.assign(zero.begin(), zero.end());
    model.passive.rest.assign(static_cast<std::size_t>(model.nq), 0);
    for (std::vector<double>* x : {&model.passive.damping, &model.passive.friction}) {
        const VectorXd drawn = random_vector(random, model.nv_tree, 0.2).cwiseAbs();
        x->assign(drawn.begin(), drawn.end());
    }
    return model;
}

/// Regressors and forces of some motions.
struct Motions {
    MatrixXd Y;
    VectorXd tau;
};

/// Forces by algorithms without a regressor: those of inverse dynamics, less those of the joints.
VectorXd measured(const Model& model, Workspace<double>& data, const State& state) {
    REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
    const VectorXd qd = data.qd;
    REQUIRE(grbda::joint_forces<double>(model, data, state.q, qd).ok());
    const VectorXd passive = data.tau;
    REQUIRE(grbda::rnea<double>(model, data, state.q, state.yd, state.ydd).ok());
    return data.tau - passive;
}

Motions record(const Model& model, Random& random, int states) {
    const int bodies = grbda::parameters_per_body * model.carrier_count(), joints = 3 * model.nv_tree;
    Motions motions{MatrixXd(states * model.nv, bodies + joints), VectorXd(states * model.nv)};
    Workspace<double> data(model);
    State state;
    for (int i = 0; i < states; ++i) {
        REQUIRE(random_state(model, random, state));
        state.yd *= 2;
        state.ydd *= 5;
        auto rows = motions.Y.middleRows(i * model.nv, model.nv);
        REQUIRE(
            grbda::torque_regressor<double>(model, data, state.q, state.yd, state.ydd, rows.leftCols(bodies))
                .ok());
        REQUIRE(
            grbda::joint_regressor<double>(model, data, state.q, state.yd, state.ydd, rows.rightCols(joints))
                .ok());
        motions.tau.segment(i * model.nv, model.nv) = measured(model, data, state);
    }
    return motions;
}

double root_mean_square(const VectorXd& x) { return x.norm() / std::sqrt(static_cast<double>(x.size())); }

}  // namespace

TEST_CASE("parameters found from noisy motions predict the forces of others") {
    constexpr double kNoise = 0.02;  // of the forces
    constexpr double kDependent =
        1e-9;  // of the largest column: what rounding leaves of one that repeats others
    for (const char* name : {"four_bar", "revolute_rotor_chain", "tello", "ur10e"}) {
        INFO(name);
        Random random(221);
        const Model model = rubbing(named(name), random);
        const int states =
            4 * (grbda::parameters_per_body * model.carrier_count() + 3 * model.nv_tree) / model.nv;
        const Motions seen = record(model, random, states), others = record(model, random, 100);

        const VectorXd exact = dense::least_norm(seen.Y, seen.tau, kDependent);
        CHECK(root_mean_square(others.Y * exact - others.tau) < 1e-6 * root_mean_square(others.tau));

        const double noise = kNoise * root_mean_square(seen.tau);
        VectorXd noisy = seen.tau;
        for (double& tau : noisy) tau += std::normal_distribution<double>(0, noise)(random);
        const double error =
            root_mean_square(others.Y * dense::least_norm(seen.Y, noisy, kDependent) - others.tau);
        const auto rank = static_cast<double>(dense::rank(seen.Y, kDependent));
        CHECK(rank < static_cast<double>(seen.Y.cols()));
        const double expected = noise * std::sqrt(rank / static_cast<double>(seen.tau.size()));
        CAPTURE(rank, seen.Y.rows(), seen.Y.cols(), error / expected, noise);
        CHECK(error < 2 * expected);
        CHECK(error > 0.3 * expected);
    }
}

TEST_CASE("a double pendulum across gravity has six base parameters") {
    const Model model = named("double_pendulum").model;
    Random random(222);
    const MatrixXd Y = record(model, random, 100).Y;
    const int bodies = grbda::parameters_per_body * model.carrier_count();
    const auto rank = [](const MatrixXd& A) {
        const VectorXd values = dense::singular_values(A);
        return (values.array() > 1e-9 * values[0]).count();
    };
    // moments about the joints' axes, and first moments across them, of both links: the first link's mass is
    // not seen, that of the second one is part of what the first link has
    CHECK(rank(Y.leftCols(bodies)) == 6);
    CHECK(rank(Y.middleCols(bodies, 2 * model.nv_tree)) == 4);
    CHECK(rank(Y) == 6 + 4 + 1);  // the first joint's armature does what a moment of the first link does
}
