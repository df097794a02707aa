#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/energy.hpp"
#include "dynamics/rnea.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "support/charts.hpp"
#include "support/dense.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// The motion of a robot does not depend on the coordinates in which it is expressed.

namespace {

using namespace test_robots;
using charts::kinds;
using charts::take;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Cluster;
using grbda::Model;
using grbda::Workspace;

constexpr int kStates = 2;
constexpr double kAgreement = 1e-9;  // rounding times the conditions of M and K_d in both coordinates
constexpr double kWellConditioned = 5e-3;

/// K of a cluster, dimensionless, of the configuration that data holds.
MatrixXd scaled_rows(const Model& model, const Workspace<double>& data, const Cluster& c) {
    MatrixXd K(c.rows, c.dofs);
    for (int r = 0; r < c.rows; ++r)
        for (int j = 0; j < c.dofs; ++j)
            K(r, j) = data.K[c.K_begin + r * c.dofs + j] * model.K_scale[c.K_begin + r * c.dofs + j];
    return K;
}

/// rcond(K_d) of a set of independent columns, by singular values.
double rcond_of(const MatrixXd& K, const std::vector<int>& independent) {
    MatrixXd K_d(K.rows(), K.cols() - static_cast<Eigen::Index>(independent.size()));
    Eigen::Index column = 0;
    for (int j = 0; j < K.cols(); ++j)
        if (std::find(independent.begin(), independent.end(), j) == independent.end())
            K_d.col(column++) = K.col(j);
    const VectorXd values = dense::singular_values(K_d);
    return 1 / std::sqrt(values.head(K_d.cols()).array().square().inverse().sum() * (1 + K.squaredNorm()));
}

/// Calls use(set) for all sets of m of n.
template <class Use>
void each_set(int n, int m, const Use& use) {
    std::vector<char> taken(static_cast<std::size_t>(n), 0);
    std::fill(taken.begin(), taken.begin() + m, 1);
    do {
        std::vector<int> set;
        for (int i = 0; i < n; ++i)
            if (taken[static_cast<std::size_t>(i)]) set.push_back(i);
        use(set);
    } while (std::prev_permutation(taken.begin(), taken.end()));
}

double sets_of(int n, int m) { return std::tgamma(n + 1) / std::tgamma(m + 1) / std::tgamma(n - m + 1); }

template <class S>
std::vector<int> independents_of(const Workspace<S>& data, const Cluster& c) {
    const auto first = data.chart.independent.begin() + c.y_begin;
    return {first, first + c.m};
}

/// Acceleration q̈ under forces of all joints at a state.
VectorXd acceleration(const Model& model, Workspace<double>& data, const State& state, const VectorXd& qd,
                      const VectorXd& tau_s) {
    VectorXd yd(model.nv), tau(model.nv);
    grbda::independent_part<double>(model, data, qd, yd);
    REQUIRE(grbda::independent_force<double>(model, data, state.q, tau_s, tau).ok());
    REQUIRE(grbda::aba<double>(model, data, state.q, yd, tau, state.wrenches).ok());
    const VectorXd ydd = data.ydd;
    REQUIRE(grbda::spanning_acceleration<double>(model, data, state.q, yd, ydd).ok());
    return data.qdd;
}

}  // namespace

TEST_CASE("the choice is as good as the best of all sets, but for a small factor") {
    constexpr double kMostSets = 300;
    constexpr double kFactor = 0.25;  // greedy, and joints with a quaternion count for less
    int compared = 0;
    double worst = 1;
    at_random_states(all(), kStates, 161, [&](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        REQUIRE(grbda::choose_coordinates<double>(model, data, state.q, grbda::Marks::ignored).ok());
        for (const Cluster& c : model.clusters) {
            if (!c.has_choice() || sets_of(c.dofs, c.m) > kMostSets) continue;
            const MatrixXd K = scaled_rows(model, data, c);
            double best = 0;
            each_set(c.dofs, c.m, [&](const auto& set) {
                const double rcond = rcond_of(K, set);
                if (rcond > best) best = rcond;
            });
            std::vector<int> chosen = independents_of(data, c);
            for (int& dof : chosen) dof -= c.dof_begin;
            CHECK(data.rcond[c.index] == Approx(rcond_of(K, chosen)).epsilon(1e-6));
            CHECK(data.rcond[c.index] > kFactor * best);
            worst = std::min(worst, data.rcond[c.index] / best);
            ++compared;
        }
    });
    CAPTURE(worst);
    CHECK(compared > static_cast<int>(all().size()));
}

TEST_CASE("joints marked in the file keep their part unless it is given up") {
    int marked = 0, moved = 0;
    at_random_states(all(), kStates, 162, [&](const Robot& robot, const State& state, Random&) {
        const Model& model = robot.model;
        Workspace<double> kept(model), ignored(model);
        static_cast<void>(grbda::choose_coordinates<double>(model, kept, state.q));
        static_cast<void>(grbda::choose_coordinates<double>(model, ignored, state.q, grbda::Marks::ignored));
        for (const Cluster& c : model.clusters)
            for (const int dof : independents_of(kept, c)) {
                CHECK(model.marks[model.dof_body[dof]] != grbda::Mark::dependent);
            }
        for (const Cluster& c : model.clusters)
            for (const int dof : model.independent) {
                if (dof < c.dof_begin || dof >= c.dof_begin + c.dofs) continue;
                if (model.marks[model.dof_body[dof]] != grbda::Mark::independent) continue;
                ++marked;
                const std::vector<int> now = independents_of(kept, c), free = independents_of(ignored, c);
                CHECK(std::find(now.begin(), now.end(), dof) != now.end());
                moved += std::find(free.begin(), free.end(), dof) == free.end();
            }
    });
    CHECK(marked > 20);
    CHECK(moved > 5);
}

TEST_CASE("velocities, accelerations, forces and inertias go from one choice to any other") {
    at_random_states(all(), kStates, 163, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        Workspace<double> own(model);
        REQUIRE(grbda::spanning_acceleration<double>(model, own, state.q, state.yd, state.ydd).ok());
        const VectorXd qd = own.qd, qdd = own.qdd, tau_s = random_vector(random, model.nv_tree, 5);
        const VectorXd expected = acceleration(model, own, state, qd, tau_s);
        MatrixXd M(model.nv, model.nv), T(model.nv, model.nv), back(model.nv, model.nv);
        REQUIRE(grbda::crba<double>(model, own, state.q, M).ok());
        REQUIRE(grbda::rnea<double>(model, own, state.q, state.yd, state.ydd, state.wrenches).ok());
        const VectorXd tau = own.tau;
        grbda::MechanicalState energy, other_energy;
        REQUIRE(grbda::mechanical_state<double>(model, own, state.q, state.yd, energy).ok());
        for (const charts::Kind kind : kinds) {
            CAPTURE(kind);
            Workspace<double> data(model);
            if (!take(kind, model, data, state.q, random) || conditioning(model, data) < kWellConditioned)
                continue;
            REQUIRE(grbda::coordinate_change<double>(model, own, data, state.q, T).ok());
            REQUIRE(grbda::coordinate_change<double>(model, data, own, state.q, back).ok());
            CHECK(relative(T * back, MatrixXd::Identity(model.nv, model.nv)) < kAgreement);
            VectorXd yd(model.nv), ydd(model.nv);
            grbda::independent_part<double>(model, data, qd, yd);
            grbda::independent_part<double>(model, data, qdd, ydd);
            CHECK(relative(T * yd, state.yd) < kAgreement);
            MatrixXd other(model.nv, model.nv);
            REQUIRE(grbda::crba<double>(model, data, state.q, other).ok());
            CHECK(relative(other, T.transpose() * M * T) < kAgreement);
            REQUIRE(grbda::rnea<double>(model, data, state.q, yd, ydd, state.wrenches).ok());
            CHECK(relative(data.tau, T.transpose() * tau) < kAgreement);
            VectorXd force(model.nv), forces(model.nv_tree);
            grbda::spanning_force<double>(model, own, tau, forces);
            REQUIRE(grbda::independent_force<double>(model, data, state.q, forces, force).ok());
            CHECK(relative(data.tau, force) < kAgreement);
            grbda::spanning_force<double>(model, data, force, forces);
            REQUIRE(grbda::independent_force<double>(model, data, state.q, forces, ydd).ok());
            CHECK(relative(ydd, force) < kAgreement);
            REQUIRE(grbda::mechanical_state<double>(model, data, state.q, yd, other_energy).ok());
            CHECK(other_energy.kinetic == Approx(energy.kinetic).epsilon(kAgreement));
            REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, yd).ok());
            CHECK(relative(data.qd, qd) < kAgreement);
            // through the bias forces of both: the rounding of each
            const VectorXd found = acceleration(model, data, state, qd, tau_s);
            CHECK(relative_by_inertia(M, grbda::independent_part(model, found),
                                      grbda::independent_part(model, expected)) < 10 * kAgreement);
        }
    });
}

TEST_CASE("coordinates restored are the model's, to the bit") {
    at_random_states(all(), 1, 164, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        for (const charts::Kind kind : kinds) {
            Workspace<double> fresh(model), data(model);
            static_cast<void>(take(kind, model, data, state.q, random));
            grbda::restore_coordinates<double>(model, data);
            CHECK(data.chart.independent == model.independent);
            CHECK(data.chart.dependent == model.dependent);
            REQUIRE(grbda::aba<double>(model, fresh, state.q, state.yd, state.tau).ok());
            REQUIRE(grbda::aba<double>(model, data, state.q, state.yd, state.tau).ok());
            CHECK(data.ydd == fresh.ydd);
        }
    });
}

TEST_CASE("a copied chart takes the coordinates along") {
    at_random_states(all(), 1, 165, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        for (const charts::Kind kind : kinds) {
            Workspace<double> data(model), copy(model);
            if (!take(kind, model, data, state.q, random) || conditioning(model, data) < 0.02) continue;
            copy.chart = data.chart;
            VectorXd yd(model.nv);
            REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
            const VectorXd qd = data.qd;
            grbda::independent_part<double>(model, data, qd, yd);
            CHECK(relative(yd, state.yd) < kAgreement);
            REQUIRE(grbda::spanning_velocity<double>(model, copy, state.q, state.yd).ok());
            CHECK(copy.qd == qd);
        }
    });
}

TEST_CASE("in any coordinates integrate follows the velocity, and difference inverts it") {
    constexpr double kStep = 0.003, kInverse = 1e-10;
    at_random_states(all(), kStates, 166, [&](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        for (const charts::Kind kind : kinds) {
            CAPTURE(kind);
            Workspace<double> data(model);
            if (!take(kind, model, data, state.q, random) || conditioning(model, data) < 0.02) continue;
            REQUIRE(grbda::spanning_velocity<double>(model, data, state.q, state.yd).ok());
            const VectorXd qd = data.qd;
            const auto moved = [&](double time) {
                VectorXd next(model.nq);
                REQUIRE(grbda::integrate<double>(model, data, state.q, time * state.yd, next).ok());
                return next;
            };
            const VectorXd found = motion::extrapolated(
                [&](double h) { return motion::rate(model, moved(-h), moved(h), 2 * h); });
            CHECK(relative(found, qd) < 10 * motion::kDifferences);
            const VectorXd next = moved(kStep);
            CHECK(grbda::closure_residual<double>(model, data, next).ok());
            VectorXd back(model.nv);
            REQUIRE(grbda::difference<double>(model, data, state.q, next, back).ok());
            CHECK(relative(back, kStep * state.yd) < kInverse);
        }
    });
}

TEST_CASE("wanted velocities are taken in their order") {
    at_random_states(all(), 1, 167, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        std::vector<int> wanted(static_cast<std::size_t>(model.nv_tree));
        for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = static_cast<int>(i);
        std::shuffle(wanted.begin(), wanted.end(), random);
        Workspace<double> data(model), first(model);
        if (!grbda::prefer_coordinates<double>(model, data, state.q, wanted).ok()) return;
        if (!grbda::take_tangents<double>(model, first, state.q).ok()) return;
        for (const Cluster& c : model.clusters) {
            if (!c.has_choice()) continue;
            for (const int v : wanted) {  // the first one of the cluster that moves is independent
                const auto place = std::find(model.v_index.begin(), model.v_index.end(), v);
                const int dof = static_cast<int>(place - model.v_index.begin());
                if (dof < c.dof_begin || dof >= c.dof_begin + c.dofs) continue;
                double row = 0;
                for (int j = 0; j < c.m; ++j)
                    row = std::max(row, std::abs(first.G[c.G_begin + (dof - c.dof_begin) * c.m + j]));
                row /= model.column_scale[dof];
                if (row < 1e-6) continue;
                if (row < 1e-2) break;  // it may count as still or not
                const std::vector<int> chosen = independents_of(data, c);
                CHECK(std::find(chosen.begin(), chosen.end(), dof) != chosen.end());
                break;
            }
        }
    });
}

TEST_CASE("after coordinates were refused, valid ones can be chosen") {
    const Model& model = named("four_bar").model;  // a parallelogram, flat at zero
    Workspace<double> data(model);
    std::mt19937_64 random(5);
    const VectorXd flat = VectorXd::Zero(model.nq), still = VectorXd::Zero(model.nv),
                   q = grbda::random_configuration(model, random);
    for (int i = 0; i < 3; ++i) {
        REQUIRE(grbda::take_tangents<double>(model, data, q).ok());
        CHECK(grbda::take_tangents<double>(model, data, flat).status == grbda::Status::singular_constraint);
        CHECK(grbda::choose_coordinates<double>(model, data, flat).status ==
              grbda::Status::singular_constraint);
        REQUIRE(grbda::choose_coordinates<double>(model, data, q).ok());
        CHECK(grbda::aba<double>(model, data, q, still, still).ok());
        REQUIRE(grbda::take_tangents<double>(model, data, q).ok());
        CHECK(grbda::choose_coordinates<double>(model, data, flat).status ==
              grbda::Status::singular_constraint);
        CHECK(data.chart.tangent[0] == 0);  // its basis is gone
        grbda::restore_coordinates<double>(model, data);
        CHECK(data.chart.inertia_floor == model.inertia_floor);
        CHECK(data.chart.block_count == model.block_count);
    }
}

TEST_CASE("coordinates of another model and those moved from are refused") {
    const Model &model = named("four_bar").model, &other = named("six_bar").model;
    const VectorXd q = grbda::neutral_configuration(model), still = VectorXd::Zero(model.nv);
    Workspace<double> data(model), foreign(other);
    const auto refused = [&] {
        CHECK_THROWS_AS(static_cast<void>(grbda::aba<double>(model, data, q, still, still)),
                        std::invalid_argument);
    };
    data.chart = foreign.chart;
    refused();
    data.chart = grbda::Chart(model);
    CHECK(grbda::aba<double>(model, data, q, still, still).ok());
    const grbda::Chart gone = std::move(data.chart);
    refused();
    CHECK_THROWS_AS(grbda::independent_coordinates(other, gone), std::invalid_argument);
}
