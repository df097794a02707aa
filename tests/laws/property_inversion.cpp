#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

#include "constraints/embedding.hpp"
#include "support/charts.hpp"
#include "support/dense.hpp"
#include "support/robots.hpp"

// The pseudo-inverse of K_d by blocks, beside that of a complete orthogonal decomposition of all of it.

namespace {

using namespace test_robots;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using grbda::Cluster;
using grbda::EliminationBlock;
using grbda::JointType;
using grbda::Model;
using grbda::Workspace;

constexpr int kStates = 2;
constexpr double kRounding = 3e-14;  // of P over rcond(K_d), of P K_d over its square

/// A link that hangs on another by a joint about z.
void add_link(grbda::RobotDescription& robot, const std::string& name, const std::string& parent,
              const Vector3d& position) {
    robot.links.push_back(
        {name, grbda::Inertial{1, {0.1, 0, 0}, Vector3d(0.01, 0.01, 0.01).asDiagonal()}, {}});
    grbda::JointDescription joint;
    joint.name = name + "_joint";
    joint.type = JointType::continuous;
    joint.parent = parent;
    joint.child = name;
    joint.origin.translation = position;
    joint.axis = Vector3d::UnitZ();
    robot.joints.push_back(joint);
}

void add_loop(grbda::RobotDescription& robot, const std::string& name, const std::string& predecessor,
              const Vector3d& p, const std::string& successor, const Vector3d& s) {
    grbda::LoopDescription loop;
    loop.name = name;
    loop.type = grbda::LoopType::revolute;
    loop.predecessor = predecessor;
    loop.successor = successor;
    loop.predecessor_origin.translation = p;
    loop.successor_origin.translation = s;
    loop.axis = Vector3d::UnitZ();
    robot.loops.push_back(loop);
}

/// Two rails of links one on the other, with a rung from each link of the one to its neighbour on the other;
/// every `twice`-th rung is closed by two loops that say the same.
grbda::RobotDescription ladder(int rungs, int twice) {
    grbda::RobotDescription robot;
    robot.name = "ladder";
    robot.links.push_back({"ground", std::nullopt, {}});
    std::string left = "ground", right = "ground";
    Vector3d at_left = Vector3d::Zero(), at_right(0.5, 0, 0);
    for (int i = 0; i < rungs; ++i) {
        const std::string n = std::to_string(i);
        add_link(robot, "left" + n, left, at_left);
        add_link(robot, "right" + n, right, at_right);
        left = "left" + n;
        right = "right" + n;
        at_left = {0.02 * (i % 3), 0.4, 0};
        at_right = {0.03 * (i % 2) - 0.05, 0.35 + 0.02 * (i % 4), 0};
        add_link(robot, "rung" + n, left, at_left);
        // in the world, at zero: where the rung's end meets the right rail
        Vector3d from_left = Vector3d::Zero(), from_right(0.5, 0, 0);
        for (int j = 0; j <= i; ++j) {
            from_left += Vector3d(0.02 * (j % 3), 0.4, 0);
            from_right += Vector3d(0.03 * (j % 2) - 0.05, 0.35 + 0.02 * (j % 4), 0);
        }
        for (int copy = 0; copy < (twice > 0 && i % twice == 0 ? 2 : 1); ++copy)
            add_loop(robot, "loop" + n + "_" + std::to_string(copy), right, at_right, "rung" + n,
                     from_right - from_left);
    }
    return robot;
}

/// A chain of links, each braced by a rod to the next but one: neighbouring loops share a joint.
grbda::RobotDescription braced_chain(int rods) {
    grbda::RobotDescription robot;
    robot.name = "braced_chain";
    robot.links.push_back({"ground", std::nullopt, {}});
    const Vector3d along(0.4, 0, 0), brace(0.15, 0.2, 0), end(0.2, 0.25, 0);
    add_link(robot, "link0", "ground", Vector3d::Zero());
    add_link(robot, "link1", "link0", along);
    for (int i = 0; i < rods; ++i) {
        const std::string n = std::to_string(i), next = "link" + std::to_string(i + 2);
        add_link(robot, next, "link" + std::to_string(i + 1), along + Vector3d(0, 0.03 * (i % 3), 0));
        add_link(robot, "rod" + n, "link" + n, brace);
        Vector3d reach = along + end - brace;
        reach += along + Vector3d(0, 0.03 * (i % 3) + (i == 0 ? 0 : 0.03 * ((i - 1) % 3)), 0);
        add_loop(robot, "loop" + n, next, end, "rod" + n, reach);
    }
    return robot;
}

const std::vector<Robot>& ladders() {
    static const std::vector<Robot> robots = [] {
        std::vector<Robot> result;
        const auto add = [&](const std::string& name, const grbda::RobotDescription& description) {
            result.push_back({name, description, {}, grbda::build_model(description, {})});
        };
        for (const int rungs : {1, 2, 3, 5, 8}) {
            add("ladder of " + std::to_string(rungs), ladder(rungs, 0));
            add("redundant ladder of " + std::to_string(rungs), ladder(rungs, 3));
            add("braced chain of " + std::to_string(rungs), braced_chain(rungs));
        }
        return result;
    }();
    return robots;
}

/// Published, random and these.
std::vector<const Robot*> every_robot() {
    std::vector<const Robot*> result = all();
    for (const Robot& robot : ladders()) result.push_back(&robot);
    return result;
}

/// K of a cluster, dimensionless.
MatrixXd rows_of(const Model& model, const Workspace<double>& data, const Cluster& c) {
    MatrixXd K(c.rows, c.dofs);
    for (int r = 0; r < c.rows; ++r)
        for (int j = 0; j < c.dofs; ++j)
            K(r, j) = data.K[c.K_begin + r * c.dofs + j] * model.row_scale[c.row_begin + r] *
                      model.column_scale[c.dof_begin + j];
    return K;
}

/// The matrix that replaces K_d in the workspace's coordinates.
MatrixXd dependent_columns(const Workspace<double>& data, const Cluster& c, const MatrixXd& K) {
    MatrixXd result(c.rows, c.dependents());
    for (int d = 0; d < c.dependents(); ++d)
        if (data.chart.tangent[c.index]) {
            result.col(d).setZero();
            for (int i = 0; i < c.dofs; ++i)
                result.col(d) += K.col(i) * data.chart.basis[c.basis_begin + i * c.dofs + c.m + d];
        } else {
            result.col(d) = K.col(data.chart.dependent[c.dependent_begin + d] - c.dof_begin);
        }
    return result;
}

MatrixXd inverse_of(const Workspace<double>& data, const Cluster& c) {
    const int width = grbda::padded(c.rows);
    MatrixXd P(c.dependents(), width);
    for (int d = 0; d < c.dependents(); ++d)
        for (int r = 0; r < width; ++r) P(d, r) = data.inverse[c.inverse_begin + d * width + r];
    return P;
}

void check_inverse(const Model& model, const Workspace<double>& data, const Cluster& c) {
    const MatrixXd K = rows_of(model, data, c), K_d = dependent_columns(data, c, K),
                   padded = inverse_of(data, c);
    const MatrixXd P = padded.leftCols(c.rows);
    CHECK(padded.rightCols(padded.cols() - c.rows).isZero(0));
    const MatrixXd expected = dense::pseudo_inverse(K_d);
    const double rcond = std::min(1., 1 / (expected.norm() * std::sqrt(1 + K.squaredNorm())));
    CHECK((P - expected).norm() <= kRounding / rcond * expected.norm());
    CHECK((P * K_d - MatrixXd::Identity(K_d.cols(), K_d.cols())).norm() <= kRounding / (rcond * rcond));
    CHECK((K_d * P * K_d - K_d).norm() <= kRounding / (rcond * rcond) * K_d.norm());
    CHECK(std::abs(data.rcond[c.index] - rcond) <= kRounding / rcond * rcond);
}

/// Each dependent is found once, its rows have no columns but those found, met, or taken off before.
void check_fronts(const grbda::Chart& chart, const Cluster& c, const MatrixXd& K_d) {
    std::vector<std::set<int>> taken(grbda::at(c.rows));  // of each row, by the blocks that passed it on
    int next = 0;
    for (int f = 0; f < chart.block_count[c.index]; ++f) {
        const EliminationBlock& block = chart.blocks[c.blocks.first + f];
        REQUIRE(block.columns.first == next);
        next = block.columns.last;
        const int* list = chart.block_lists.data() + c.block_lists.first + block.list;
        std::set<int> known;
        for (const int d : block.columns) known.insert(d);
        for (int i = 0; i < block.met; ++i) {
            const int met = list[block.rows + grbda::padded(block.columns.size() + block.met) + i];
            CHECK(met >= block.columns.last);
            known.insert(met);
        }
        CHECK(block.rows >= block.columns.size());
        for (int r = 0; r < block.rows; ++r) {
            std::set<int>& before = taken[grbda::at(list[r])];
            for (int d = 0; d < c.dependents(); ++d)
                if (K_d(list[r], d) != 0) CHECK((known.count(d) > 0 || before.count(d) > 0));
            if (block.passes)
                for (const int d : block.columns) before.insert(d);
        }
    }
    CHECK(next == c.dependents());
}

/// The largest block of a model: rows, and columns that they determine.
std::pair<int, int> largest_front(const Model& model) {
    std::pair<int, int> largest{0, 0};
    for (const Cluster& c : model.clusters)
        for (int f = 0; f < model.block_count[c.index]; ++f) {
            const EliminationBlock& block = model.blocks[c.blocks.first + f];
            largest.first = std::max(largest.first, block.rows);
            largest.second = std::max(largest.second, block.columns.size());
        }
    return largest;
}

bool is_inverted(const Cluster& c) { return c.embedding == grbda::Embedding::implicit && c.dependents() > 0; }

}  // namespace

TEST_CASE("blocks give the pseudo-inverse of the dependent columns on every robot, in all coordinates") {
    at_random_states(every_robot(), kStates, 61, [](const Robot& robot, const State& state, Random& random) {
        const Model& model = robot.model;
        Workspace<double> data(model);
        for (const charts::Kind kind : charts::kinds) {
            if (!charts::take(kind, model, data, state.q, random)) continue;
            if (!grbda::constraint_embedding<double>(model, data, state.q, state.yd).ok()) continue;
            INFO("coordinates " << static_cast<int>(kind));
            for (const Cluster& c : model.clusters) {
                if (!is_inverted(c)) continue;
                check_inverse(model, data, c);
                if (!data.chart.tangent[c.index])
                    check_fronts(data.chart, c, dependent_columns(data, c, rows_of(model, data, c)));
            }
        }
    });
}

TEST_CASE("blocks are as small as the loops leave them") {
    CHECK(largest_front(named("tello").model).first == 3);
    CHECK(largest_front(named("sdf_gripper").model).first <= 3);
    CHECK(largest_front(full("kangaroo_leg").model).first == 3);
    CHECK(largest_front(full("kangaroo_leg").model).second == 3);
    CHECK(largest_front(full("stewart_platform").model).first == 6);
    CHECK(largest_front(full("digit_leg").model).second == 6);
    for (const Robot& robot : ladders()) {
        INFO(robot.name);
        CHECK(largest_front(robot.model).second <= 6);
    }
}

TEST_CASE("a model's coordinates have its blocks again after others") {
    for (const Robot* robot : every_robot()) {
        Random random(62);
        State state;
        if (!random_state(robot->model, random, state)) continue;
        INFO(robot->name);
        const Model& model = robot->model;
        Workspace<double> data(model);
        for (const charts::Kind kind : {charts::Kind::any, charts::Kind::tangent}) {
            if (!charts::take(kind, model, data, state.q, random)) continue;
            grbda::restore_coordinates<double>(model, data);
            REQUIRE(data.chart.block_count == model.block_count);
            CHECK(data.chart.dependent == model.dependent);
            for (const Cluster& c : model.clusters)
                for (int f = c.blocks.first; f < c.blocks.first + model.block_count[c.index]; ++f) {
                    const EliminationBlock &a = data.chart.blocks[f], &b = model.blocks[f];
                    CHECK(std::tie(a.columns.first, a.columns.last, a.rows, a.met, a.list, a.passes) ==
                          std::tie(b.columns.first, b.columns.last, b.rows, b.met, b.list, b.passes));
                }
        }
    }
}
