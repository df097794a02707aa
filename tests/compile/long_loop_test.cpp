#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "compile/selection.hpp"
#include "grbda/compile/build.hpp"
#include "constraints/embedding.hpp"
#include "constraints/closure.hpp"
#include "dynamics/aba.hpp"
#include "dynamics/crba.hpp"
#include "dynamics/rnea.hpp"
#include "laws/long_chain.hpp"
#include "support/dense.hpp"
#include "support/require_ok.hpp"

// Clusters of many joints and few constraints: what is chosen, and that it is found at any length.

namespace {

using namespace long_chain;
using grbda::build_model;
using grbda::Model;
using grbda::RobotDescription;
using grbda::Workspace;

using Random = std::mt19937_64;

/// Both ways of choosing lose digits where little is gained: what is left of 1 by 16 of them, root taken.
constexpr double kGain = 1e-8;
constexpr double kClosed = 1e-8;      // m, of a chain of hundreds
constexpr double kWellChosen = 1e-3;  // rcond(K_d) at all configurations looked at
constexpr double kLeast = 1e-6;       // of a motion along which what is left would get less
constexpr double kInverse = 1e-6;     // of RNEA and C-ABA on chains whose M has a condition of 1e9

/// Orthonormal bases of the motions that K allows and of what its rows span.
struct Bases {
    Eigen::MatrixXd motions, blocked;
};

Bases bases_of(const Eigen::MatrixXd& K) {
    const Eigen::MatrixXd Q = dense::orthogonal_factor(K.transpose());
    return {Q.rightCols(K.cols() - K.rows()), Q.leftCols(K.rows())};
}

/// Columns that are zero, nearly so, or nearly the same as others, among those that are not.
Eigen::MatrixXd random_rows(Random& random, int rows, int dofs) {
    std::uniform_real_distribution<double> unit(-1, 1);
    Eigen::MatrixXd K(rows, dofs);
    for (double& entry : K.reshaped()) entry = unit(random);
    for (int j = 0; j < dofs; ++j) {
        const int kind = std::uniform_int_distribution<int>(0, 5)(random);
        if (kind == 0) K.col(j).setZero();
        if (kind == 1) K.col(j) *= 1e-5;
        if (kind == 2 && j > 0) K.col(j) = K.col(j - 1) + 1e-4 * K.col(j);
    }
    return K;
}

/// Dependent joints, by their number.
std::vector<int> dependents(const Model& model) {
    std::vector<int> joints;
    for (const int dof : model.dependent)
        joints.push_back(std::stoi(model.names.joints[model.dof_body[dof]].substr(1)));
    return joints;
}

/// Gᵀ x
Eigen::VectorXd along_motions(const Model& model, const Eigen::VectorXd& x) {
    Workspace<double> data(model);
    const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
    must(grbda::constraint_embedding<double>(model, data, q, Eigen::VectorXd::Zero(model.nv)));
    return grbda::explicit_jacobian(model, data).transpose() * x;
}

}  // namespace

TEST_CASE("gains of velocities agree by the blocked and by the allowed motions of constraints") {
    Random random(3);
    int small = 0;
    for (int trial = 0; trial < 300; ++trial) {
        const int dofs = std::uniform_int_distribution<int>(2, 40)(random),
                  rows = std::uniform_int_distribution<int>(1, std::min(dofs - 1, 8))(random);
        INFO("trial " << trial << ": " << rows << " rows, " << dofs << " velocities");
        const Bases bases = bases_of(random_rows(random, rows, dofs));
        grbda::compile::MotionSelection by_motions(bases.motions);
        grbda::compile::BlockedSelection by_rows(bases.blocked);
        std::vector<int> order(static_cast<std::size_t>(dofs));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        const double least = trial % 3 == 0 ? 1e-7 : 1e-3;
        double amplified = 1;  // what is taken though it gains little makes the others uncertain
        int taken = 0;
        for (const int j : order) {
            const double gain = by_motions.gain(j);
            CHECK(std::abs(by_rows.gain(j) - gain) < kGain / amplified);
            if (gain < 0.01) ++small;
            if (gain <= least || taken == dofs - rows) continue;
            amplified = std::min(amplified, gain);
            by_motions.take(j);
            by_rows.take(j);
            ++taken;
        }
    }
    CHECK(small > 300);
}

TEST_CASE("a chain of any length with one constraint loads, with dependents that determine all of it") {
    for (const Tie tie : ties)
        for (const int joints : {30, 120, 290, 310, 600, 2000}) {
            INFO(name_of(tie) << ", " << joints << " joints");
            const Model model = build_model(chain(joints, tie));
            REQUIRE(model.cluster_count() == 1);
            CHECK(model.nv == joints - rank_of(tie));
            CHECK(model.reports[0].conditioning > kWellChosen);
            CHECK(model.reports[0].neutral_conditioning > kWellChosen);
            const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
            Workspace<double> data(model);
            std::vector<grbda::LoopGap> loops(model.loops.size()), couplings(model.couplings.size());
            must(grbda::loop_residuals<double>(model, data, q, loops, couplings));
            for (const auto& gaps : {loops, couplings})
                for (const grbda::LoopGap& gap : gaps) CHECK(std::max(gap.length, gap.angle) < kClosed);
        }
}

TEST_CASE("inverse and forward dynamics of a long chain agree") {
    Random random(8);
    for (const Tie tie : ties) {
        INFO(name_of(tie));
        const Model model = build_model(chain(120, tie));
        Workspace<double> data(model);
        const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
        std::uniform_real_distribution<double> unit(-1, 1);
        Eigen::VectorXd yd(model.nv), ydd(model.nv);
        for (double& x : yd) x = 0.1 * unit(random);
        for (double& x : ydd) x = unit(random);
        must(grbda::rnea<double>(model, data, q, yd, ydd));
        const Eigen::VectorXd tau = data.tau;
        must(grbda::aba<double>(model, data, q, yd, tau));
        CHECK((data.ydd - ydd).norm() < kInverse * ydd.norm());
    }
}

TEST_CASE("floors of a long chain's pivots are what rounding leaves of them, and far below") {
    for (const Tie tie : ties)
        for (const int joints : {290, 310}) {
            INFO(name_of(tie) << ", " << joints << " joints");
            const Model model = build_model(chain(joints, tie));
            Workspace<double> data(model);
            const Eigen::VectorXd q = Eigen::Map<const Eigen::VectorXd>(model.neutral.data(), model.nq);
            Eigen::MatrixXd M(model.nv, model.nv);
            must(grbda::crba<double>(model, data, q, M));
            must(grbda::aba<double>(model, data, q, Eigen::VectorXd::Zero(model.nv),
                                    Eigen::VectorXd::Zero(model.nv)));
            double highest = 0;
            bool above_rounding = true;
            for (int j = 0; j < model.nv; ++j) {
                const double floor = model.inertia_floor[j], diagonal = M(model.y_index[j], model.y_index[j]);
                above_rounding = above_rounding && floor >= 0.99e-14 * diagonal;
                highest = std::max(highest, floor);
            }
            CHECK(above_rounding);
            const Eigen::VectorXd pivots = dense::pivots(M);
            CHECK(highest < 0.01 * pivots.minCoeff());
        }
}

TEST_CASE("marks and motors of a long chain are respected") {
    constexpr int joints = 400;
    RobotDescription robot = chain(joints, Tie::revolute);
    for (int i = joints / 2; i < joints; ++i) robot.actuated.push_back(joint(i));
    for (const int i : dependents(build_model(robot))) CHECK(i < joints / 2);

    robot = chain(joints, Tie::revolute);
    const std::vector<int> wanted = dependents(build_model(robot));
    for (const int i : wanted) robot.joints[static_cast<std::size_t>(i)].independent = true;
    const std::vector<int> others = dependents(build_model(robot));
    for (const int i : others) CHECK(std::count(wanted.begin(), wanted.end(), i) == 0);

    robot = chain(joints, Tie::revolute);
    robot.joints[10].independent = false;
    const std::vector<int> marked = dependents(build_model(robot));
    CHECK(std::count(marked.begin(), marked.end(), 10) == 1);
}

TEST_CASE("if a long chain cannot have the given pose, its dependent joints move as little as possible") {
    for (const Tie tie : {Tie::revolute, Tie::spherical})
        for (const int joints : {20, 400}) {
            INFO(name_of(tie) << ", " << joints << " joints");
            RobotDescription robot = chain(joints, tie);
            Random random(4);
            std::uniform_real_distribution<double> unit(-0.01, 0.01);
            Eigen::VectorXd said = Eigen::VectorXd::Zero(joints);
            std::vector<int> unsaid;
            for (int k = 1; k < rank_of(tie); ++k) unsaid.push_back(k * joints / 4 + k);
            for (int i = 0; i < joints; ++i)
                if (std::count(unsaid.begin(), unsaid.end(), i) == 0)
                    robot.start[joint(i)] = {said[i] = unit(random)};
                else
                    robot.joints[static_cast<std::size_t>(i)].independent = true;
            grbda::LoadOptions options;
            options.rod_reduction = false;  // the last link of a chain on a ball is like a rod
            const Model model = build_model(robot, options);
            const std::vector<int> moved = dependents(model);
            Eigen::VectorXd way = Eigen::VectorXd::Zero(model.nv_tree);
            bool others_stay = true;
            for (int i = 0; i < model.body_count(); ++i) {
                const int number = std::stoi(model.names.joints[i].substr(1));
                if (std::count(unsaid.begin(), unsaid.end(), number) > 0) continue;
                const double own = model.neutral[model.bodies[i].q] - said[number];
                way[model.bodies[i].v] = own;
                others_stay = others_stay && (own == 0 || std::count(moved.begin(), moved.end(), number) > 0);
            }
            CHECK(others_stay);
            CHECK(way.norm() > 1e-4);
            const Eigen::VectorXd uphill = along_motions(model, way);
            for (int j = 0; j < model.nv; ++j) {
                const int body = model.dof_body[model.independent[j]];
                if (std::count(unsaid.begin(), unsaid.end(), std::stoi(model.names.joints[body].substr(1))))
                    CHECK(std::abs(uphill[model.y_index[j]]) < kLeast * way.norm());
            }
        }
}

TEST_CASE("a long cluster of very many rows is refused with the largest number allowed") {
    constexpr int joints = 1000, loops = 200;
    RobotDescription robot = chain(joints, Tie::revolute);
    for (int k = 1; k < loops; ++k) {
        robot.loops.push_back(robot.loops.front());
        robot.loops.back().name += std::to_string(k);
    }
    try {
        build_model(robot);
        FAIL("it was loaded");
    } catch (const grbda::LoadError& error) {
        CHECK_THAT(error.what(),
                   Catch::Contains("at most 519 constraint rows in one cluster of 1000 joint coordinates") &&
                       Catch::Contains("1000 of its loops and couplings"));
    }
}

TEST_CASE("a very long cluster whose rows cannot be eliminated is refused with the missing condition") {
    constexpr int joints = 1002;
    const auto check = [](const RobotDescription& robot, const std::string& wanted) {
        try {
            build_model(robot);
            FAIL("it was loaded");
        } catch (const grbda::LoadError& error) {
            CHECK_THAT(error.what(), Catch::Contains("at most 1000 joint coordinates in one cluster") &&
                                         Catch::Contains(wanted));
        }
    };
    RobotDescription robot = chain(joints, Tie::revolute);
    robot.loops.push_back(robot.loops.front());
    robot.loops.back().name = "again";
    check(robot, "4 rows of rank 2");
    robot = chain(joints, Tie::revolute);
    robot.links[500].inertial->inertia.setZero();
    check(robot, "mass and inertia on each of its links");
}
