#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "closing/closure_tolerance.hpp"
#include "support/baselines_kinematics.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// K, k, G and g: the rows, and differences of closure errors and of closed configurations.

namespace {

using namespace test_robots;

constexpr int kStates = 3;
constexpr double kRows = 1e-10;     // rounding over the condition of K_d, at least 3e-3
constexpr double kStep = 1e-5;      // truncation h² and rounding ε/h are both about 1e-10
constexpr double kGradient = 1e-7;  // the same, times the third derivatives of closure errors

}  // namespace

TEST_CASE("K G = 0 and K g = k on every robot") {
    at_random_states(all(), kStates, 21, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok());
        const Eigen::MatrixXd K = grbda::implicit_jacobian(model, data),
                              G = grbda::explicit_jacobian(model, data);
        CHECK((K * G).norm() < kRows * (1 + K.norm() * G.norm()));
        const Eigen::VectorXd k = grbda::implicit_bias(model, data), g = grbda::explicit_bias(model, data);
        CHECK((K * g - k).norm() < kRows * (1 + k.norm() + K.norm() * g.norm()));
    });
}

TEST_CASE("K is the gradient of the closure error on every robot") {
    at_random_states(all(), kStates, 22, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok());
        CHECK(relative(grbda::implicit_jacobian(model, data),
                       baselines_fixture::closure_gradient(model, state.q, kStep)) < kGradient);
    });
}

TEST_CASE("closing uses the gradient of the closure error as K if loops are open") {
    constexpr double kOff = 0.3;
    at_random_states(all(), kStates, 25, [](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        const Eigen::VectorXd q =
            baselines_fixture::step(model, state.q, random_vector(random, model.nv_tree, kOff));
        const Eigen::MatrixXd expected = baselines_fixture::closure_gradient(model, q, kStep);
        const Eigen::VectorXd phi = baselines_fixture::closure_error(model, q);
        for (const grbda::Cluster& c : model.clusters) {
            if (c.embedding != grbda::Embedding::implicit) continue;
            const auto base = grbda::kernels::place_alone<double>(model, data, c, q.data());
            grbda::closing::cluster_residual<double>(model, data, c, base, q.data());
            for (int r = 0; r < c.rows; ++r) {
                const int row = c.row_begin + r;
                CHECK(std::abs(data.phi[row] - phi[row]) < kRows);
                for (int j = 0; j < c.dofs; ++j) {
                    const double K = data.K[c.K_begin + r * c.dofs + j];
                    const int column = model.v_index[c.dof_begin + j];
                    CHECK(std::abs(K - expected(row, column)) < kGradient * (1 + std::abs(K)));
                }
            }
        }
    });
}

// A fold is about rcond² away: several steps of the differences
constexpr double kFarFromFolds = 0.02;

TEST_CASE("G is the gradient of closed configurations on every robot") {
    at_random_states(all(), kStates, 23, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok());
        if (conditioning(model, data) < kFarFromFolds) return;
        const Eigen::MatrixXd G = grbda::explicit_jacobian(model, data);
        for (int j = 0; j < model.nv; ++j) {
            const auto difference = [&](double h) {
                const Eigen::VectorXd step = Eigen::VectorXd::Unit(model.nv, j) * h;
                Eigen::VectorXd before(model.nq), after(model.nq);
                REQUIRE(grbda::integrate<double>(model, data, state.q, -step, before).ok());
                REQUIRE(grbda::integrate<double>(model, data, state.q, step, after).ok());
                return motion::rate(model, before, after, 2 * h);
            };
            CHECK(relative(motion::extrapolated(difference), G.col(j)) < motion::kDifferences);
        }
    });
}

TEST_CASE("G and g give the rate of spanning velocities on every robot") {
    at_random_states(all(), kStates, 24, [](const Robot& robot, const State& state, Random&) {
        const grbda::Model& model = robot.model;
        grbda::Workspace<double> data(model);
        REQUIRE(grbda::spanning_acceleration<double>(model, data, state.q, state.yd, state.ydd).ok());
        const Eigen::VectorXd qdd = data.qdd, qd = data.qd;
        const Eigen::VectorXd rate = motion::derivative([&](double t) -> Eigen::VectorXd {
            const motion::Instant at = motion::along(model, data, state, t);
            REQUIRE(grbda::spanning_velocity<double>(model, data, at.q, at.yd).ok());
            return data.qd;
        });
        CHECK(relative(rate, qdd) < motion::kDifferences);
        CHECK(grbda::independent_part(model, qd) == state.yd);
        CHECK(relative(grbda::independent_part(model, qdd), state.ydd) < kRows);
    });
}
