#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"
#include "search/search.hpp"
#include "support/baselines_kinematics.hpp"
#include "support/dense.hpp"
#include "support/described.hpp"
#include "support/require_ok.hpp"
#include "support/robots.hpp"

// inverse_kinematics() finds what forward_kinematics() came from; what it cannot reach, no motion along the
// loops and within limits comes nearer to. The gradient that decides about it is that of differences of the
// cost along integrate(), with poses read off the description.

namespace {

using namespace test_robots;
using grbda::FrameTarget;
using grbda::Outcome;
using grbda::SearchOptions;
using grbda::SearchResult;

const SearchOptions kFree{.limits = false, .held = {}, .held_at = {}};

/// Some frames of moving bodies, no two of one body.
std::vector<int> some_frames(const grbda::Model& model, Random& random, int most) {
    std::vector<int> frames;
    for (int i = 0; i < most && model.body_count() > 0; ++i) {
        const int body = std::uniform_int_distribution<int>(0, model.body_count() - 1)(random);
        const int frame = model.body_frame[body];
        if (!model.bodies[body].rotor && !is_length(model, body) &&
            std::find(frames.begin(), frames.end(), frame) == frames.end())
            frames.push_back(frame);
    }
    return frames;
}

/// Targets at the poses of the frames at q.
std::vector<FrameTarget> targets_at(const grbda::Model& model, const std::vector<int>& frames,
                                    const Eigen::VectorXd& q) {
    grbda::Workspace<double> data(model);
    REQUIRE(grbda::forward_kinematics<double>(model, data, q).ok());
    std::vector<FrameTarget> targets;
    for (const int frame : frames)
        targets.push_back(
            {frame, grbda::frame_position(model, data, frame), grbda::frame_orientation(model, data, frame)});
    return targets;
}

/// A closed configuration near q; false where the loops end.
bool near(const grbda::Model& model, const Eigen::VectorXd& q, double amplitude, Random& random,
          Eigen::VectorXd& out) {
    grbda::Workspace<double> data(model);
    out = q;
    return grbda::integrate<double>(model, data, q, random_vector(random, model.nv, amplitude), out).ok();
}

/// ½ Σ of squares, from the description alone.
double cost(const Robot& robot, const std::vector<FrameTarget>& targets, const Eigen::VectorXd& q) {
    const auto poses = described::poses(robot.description, robot.model, q);
    double sum = 0;
    for (const FrameTarget& target : targets) {
        const grbda::Pose& pose = poses.at(robot.model.frames[target.frame].name);
        if (target.position)
            sum += std::pow(target.position_weight, 2) *
                   (*target.position - pose.translation - pose.rotation * target.point).squaredNorm();
        if (target.orientation) {
            const Eigen::AngleAxisd turn(*target.orientation * pose.rotation.transpose());
            sum += std::pow(target.orientation_weight * turn.angle(), 2);
        }
    }
    return sum / 2;
}

/// Its gradient along the closed manifold; NaN beside a fold.
Eigen::VectorXd gradient(const Robot& robot, const std::vector<FrameTarget>& targets,
                         const Eigen::VectorXd& q) {
    constexpr double h = 2e-5;
    grbda::Workspace<double> data(robot.model);
    const auto at = [&](Eigen::Index i, double step) {
        Eigen::VectorXd moved(robot.model.nq);
        const bool there = grbda::integrate<double>(robot.model, data, q,
                                                    step * Eigen::VectorXd::Unit(robot.model.nv, i), moved)
                               .ok();
        return there ? cost(robot, targets, moved) : NAN;
    };
    Eigen::VectorXd result(robot.model.nv);
    for (Eigen::Index i = 0; i < result.size(); ++i)
        result[i] = (8 * (at(i, h) - at(i, -h)) - (at(i, 2 * h) - at(i, -2 * h))) / (12 * h);
    return result;
}

/// |gradient − Σ μ_j row_j| at its least, μ_j ≥ 0 for the rows after the first `free`: by going through them
/// one at a time (Hildreth).
double left_of(const Eigen::VectorXd& gradient, std::vector<Eigen::VectorXd> rows, std::size_t free) {
    for (std::size_t i = 0; i < free; ++i) {  // with any multipliers: made orthonormal, which ends at once
        for (int pass = 0; pass < 2; ++pass)
            for (std::size_t j = 0; j < i; ++j) rows[i] -= rows[j] * rows[j].dot(rows[i]);
        if (rows[i].norm() > 1e-6) rows[i].normalize();
    }
    Eigen::VectorXd rest = gradient, multipliers = Eigen::VectorXd::Zero(static_cast<long>(rows.size()));
    for (int round = 0; round < 20000; ++round)
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double square = rows[i].squaredNorm();
            if (square < 1e-12) continue;
            double& multiplier = multipliers[static_cast<long>(i)];
            double step = rest.dot(rows[i]) / square;
            if (i >= free) step = std::max(step, -multiplier);
            multiplier += step;
            rest -= step * rows[i];
        }
    return rest.norm();
}

/// Rows of held joints, then of the limits that q touches, pointing inside.
std::vector<Eigen::VectorXd> active_rows(const grbda::Model& model, const Eigen::VectorXd& q,
                                         const SearchOptions& options, std::size_t& held) {
    grbda::Workspace<double> data(model);
    const Eigen::VectorXd still = Eigen::VectorXd::Zero(model.nv);
    must(grbda::constraint_embedding<double>(model, data, q, still));
    const Eigen::MatrixXd G = grbda::explicit_jacobian(model, data);
    std::vector<Eigen::VectorXd> rows;
    for (const int i : options.held)
        for (int j = 0; j < grbda::velocity_size(model.bodies[i].joint); ++j)
            rows.push_back(G.row(model.bodies[i].v + j));
    held = rows.size();
    constexpr double touching = 1e-8;
    for (int i = 0; options.limits && i < model.body_count(); ++i) {
        const grbda::Body& body = model.bodies[i];
        if (grbda::position_size(body.joint) != 1) continue;
        if (q[body.q] < model.limits[i].lower + touching) rows.push_back(G.row(body.v));
        if (q[body.q] > model.limits[i].upper - touching) rows.push_back(-G.row(body.v));
    }
    return rows;
}

bool within_limits(const grbda::Model& model, const Eigen::VectorXd& q, double slack) {
    for (int i = 0; i < model.body_count(); ++i) {
        const grbda::Body& body = model.bodies[i];
        if (grbda::position_size(body.joint) != 1) continue;
        if (q[body.q] < model.limits[i].lower - slack || q[body.q] > model.limits[i].upper + slack)
            return false;
    }
    return true;
}

}  // namespace

TEST_CASE("inverse kinematics finds the frames of a configuration near the start") {
    constexpr double kNear = 0.1, kTolerance = 1e-9;
    long tried = 0, found = 0;
    at_random_states(all(), 2, 501, [&](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        auto targets = targets_at(model, some_frames(model, random, 3), state.q);
        for (FrameTarget& target : targets) {
            target.point = random_vector(random, 3, 0.3);
            *target.position += *target.orientation * target.point;
        }
        Eigen::VectorXd q;
        if (targets.empty() || !near(model, state.q, kNear, random, q)) return;
        grbda::Workspace<double> data(model);
        grbda::Search<double> work(model);
        const SearchResult result = grbda::inverse_kinematics<double>(model, data, work, targets, q, kFree);
        ++tried;
        INFO(to_string(result.outcome) << " after " << result.iterations << ", cost " << result.cost
                                       << ", stationarity " << result.stationarity);
        CHECK(grbda::closure_residual<double>(model, data, q).ok());
        CHECK(cost(robot, targets, q) == Approx(result.cost).margin(1e-15));
        if (!result.converged()) return;
        ++found;
        CHECK(cost(robot, targets, q) < 3 * kTolerance * kTolerance);
        must(grbda::choose_coordinates<double>(model, data, q, grbda::Marks::ignored));
        must(grbda::forward_kinematics<double>(model, data, q));
    });
    INFO(found << " of " << tried);
    CHECK(50 * found >= 49 * tried);
}

TEST_CASE("out of reach, inverse kinematics stops at a stationary point") {
    constexpr double kStationary = 1e-5;  // of the cost's slope per radian, beside what is left
    long tried = 0, ended = 0, touching = 0, samples = 0;
    at_random_states(all(), 2, 502, [&](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        if (model.nv == 0) return;
        SearchOptions options;
        if (random() % 2 == 0 && model.body_count() > 2)
            options.held = {std::uniform_int_distribution<int>(0, model.body_count() - 1)(random)};
        auto targets = targets_at(model, some_frames(model, random, 2), state.q);
        if (targets.empty()) return;
        for (FrameTarget& target : targets) {
            *target.position += random_vector(random, 3, 2);
            target.point = random_vector(random, 3, 0.5);
            if (random() % 2 == 0) target.orientation.reset();
        }
        grbda::Workspace<double> data(model);
        grbda::Search<double> work(model);
        Eigen::VectorXd q = state.q;
        const SearchResult result = grbda::inverse_kinematics<double>(model, data, work, targets, q, options);
        INFO(to_string(result.outcome) << " after " << result.iterations << ", cost " << result.cost
                                       << ", stationarity " << result.stationarity);
        CHECK(grbda::closure_residual<double>(model, data, q).ok());
        if (result.outcome == Outcome::infeasible) return;
        CHECK(within_limits(model, q, 1e-10));
        ++tried;
        ended += result.outcome == Outcome::nearest || result.converged() ? 1 : 0;
        if (result.outcome != Outcome::nearest) return;
        if (!grbda::forward_kinematics<double>(model, data, q).ok() || conditioning(model, data) < 0.02)
            return;  // what follows is in the coordinates of the model
        std::size_t held = 0;
        const auto rows = active_rows(model, q, options, held);
        touching += rows.size() > held ? 1 : 0;
        const Eigen::VectorXd slope = gradient(robot, targets, q);
        if (!slope.allFinite()) return;
        CHECK(left_of(slope, rows, held) < kStationary * (1 + result.cost));
        for (int i = 0; i < 40 && options.held.empty(); ++i) {
            Eigen::VectorXd around;
            if (near(model, q, 0.02, random, around) && within_limits(model, around, 0)) {
                ++samples;
                CHECK(cost(robot, targets, around) > result.cost * (1 - 1e-9));
            }
        }
    });
    INFO(ended << " of " << tried);
    CHECK(20 * ended >= 17 * tried);  // others come to where the loops end
    CHECK(touching > 0);
    CHECK(samples > 1000);
}

namespace {

/// Errors of the targets and, times `penalty`, of the loops, every joint by itself.
Eigen::VectorXd open_errors(const grbda::Model& model, const std::vector<FrameTarget>& targets,
                            const Eigen::VectorXd& q, double penalty) {
    const auto bodies = baselines_fixture::poses(model, q);
    const Eigen::VectorXd phi = baselines_fixture::closure_error(model, q);
    Eigen::VectorXd result(3 * static_cast<long>(targets.size()) + phi.size());
    long at = 0;
    for (const FrameTarget& target : targets) {
        const grbda::Frame& frame = model.frames[target.frame];
        result.segment<3>(at) = *target.position - bodies[static_cast<std::size_t>(frame.body)] *
                                                       body_poses::eigen(frame.position);
        at += 3;
    }
    result.tail(phi.size()) = penalty * phi;
    return result;
}

/// ½ Σ of squares at its least near q, by Levenberg and Marquardt on all joints with a Jacobian of
/// differences.
double least_open(const grbda::Model& model, const std::vector<FrameTarget>& targets, Eigen::VectorXd q) {
    constexpr double penalty = 1e3, h = 1e-5;
    double lambda = 1e-3;
    Eigen::VectorXd r = open_errors(model, targets, q, penalty);
    for (int i = 0; i < 150 && lambda < 1e10; ++i) {
        Eigen::MatrixXd J(r.size(), model.nv_tree);
        for (int v = 0; v < model.nv_tree; ++v) {
            const auto at = [&](double step) {
                const Eigen::VectorXd moved =
                    baselines_fixture::step(model, q, step * Eigen::VectorXd::Unit(model.nv_tree, v));
                return open_errors(model, targets, moved, penalty);
            };
            J.col(v) = (at(h) - at(-h)) / (2 * h);
        }
        const Eigen::MatrixXd H =
            J.transpose() * J + lambda * Eigen::MatrixXd::Identity(model.nv_tree, model.nv_tree);
        const Eigen::VectorXd next =
            baselines_fixture::step(model, q, -dense::solve_symmetric(H, J.transpose() * r));
        const Eigen::VectorXd there = open_errors(model, targets, next, penalty);
        const bool better = there.squaredNorm() < r.squaredNorm();
        lambda *= better ? 0.3 : 4;
        if (!better) continue;
        q = next;
        r = there;
    }
    return r.squaredNorm() / 2;
}

}  // namespace

TEST_CASE("the nearest is as near as a penalty on open loops makes it") {
    constexpr double kPenalty = 1e-4;  // relative: forces that hold loops open, over the penalty's square
    long compared = 0;
    std::vector<const Robot*> robots;
    for (const Robot& robot : published())
        if (robot.model.nv_tree < 20) robots.push_back(&robot);
    at_random_states(robots, 1, 503, [&](const Robot& robot, const State& state, Random& random) {
        const grbda::Model& model = robot.model;
        auto targets = targets_at(model, some_frames(model, random, 2), state.q);
        for (FrameTarget& target : targets) {
            *target.position += random_vector(random, 3, 0.5);
            target.orientation.reset();
        }
        grbda::Workspace<double> data(model);
        grbda::Search<double> work(model);
        Eigen::VectorXd q = state.q;
        const SearchResult result = grbda::inverse_kinematics<double>(model, data, work, targets, q, kFree);
        INFO(to_string(result.outcome) << ", cost " << result.cost);
        if (result.outcome != Outcome::nearest) return;
        const Eigen::VectorXd off = random_vector(random, model.nv_tree, 1e-3);
        const double least = least_open(model, targets, baselines_fixture::step(model, q, off));
        CHECK(least == Approx(result.cost).epsilon(kPenalty).margin(1e-7));
        ++compared;
    });
    CHECK(compared > 3);
}

TEST_CASE("joints are fixed at the caller's positions, and impossible positions are reported") {
    const grbda::Model& model = named("slider_crank").model;
    grbda::Workspace<double> data(model);
    grbda::Search<double> work(model);
    const int slider = model.joint("slider_joint").index, at = model.bodies[slider].q;
    Eigen::VectorXd q = grbda::neutral_configuration(model);
    must(grbda::integrate<double>(model, data, q, Eigen::VectorXd::Constant(1, 0.5), q));
    SearchOptions options = kFree;
    options.held = {slider};  // dependent
    options.held_at.assign(q.data(), q.data() + q.size());
    options.held_at[static_cast<std::size_t>(at)] -= 0.02;
    const SearchResult held = grbda::inverse_kinematics<double>(model, data, work, {}, q, options);
    CHECK(held.converged());
    CHECK(q[at] == Approx(options.held_at[static_cast<std::size_t>(at)]).margin(1e-10));
    CHECK(grbda::closure_residual<double>(model, data, q).ok());
    options.held = {0, 1, 2};  // of a linkage with one freedom
    options.held_at.assign(q.data(), q.data() + q.size());
    options.held_at[static_cast<std::size_t>(at)] -= 0.05;
    const SearchResult torn = grbda::inverse_kinematics<double>(model, data, work, {}, q, options);
    CHECK(torn.outcome == Outcome::infeasible);
    CHECK(torn.violation > 1e-3);
}

TEST_CASE("invalid targets are refused") {
    const grbda::Model& model = named("four_bar").model;
    grbda::Workspace<double> data(model);
    grbda::Search<double> work(model);
    Eigen::VectorXd q = grbda::neutral_configuration(model);
    const auto refused = [&](const FrameTarget& target, const SearchOptions& options = {}) {
        const std::vector<FrameTarget> targets = {target};
        CHECK_THROWS_AS(
            static_cast<void>(grbda::inverse_kinematics<double>(model, data, work, targets, q, options)),
            std::invalid_argument);
    };
    refused({-1, Eigen::Vector3d(0, 0, 0)});
    refused({static_cast<int>(model.frames.size()), Eigen::Vector3d(0, 0, 0)});
    refused({0, Eigen::Vector3d(NAN, 0, 0)});
    refused({0, {}, Eigen::Matrix3d(2 * Eigen::Matrix3d::Identity())});
    refused({0, {}, Eigen::Matrix3d(-Eigen::Matrix3d::Identity())});
    refused({0, Eigen::Vector3d(1e100, 0, 0)});
    refused({0, Eigen::Vector3d(0, 0, 0), {}, -1});
    refused({0, Eigen::Vector3d(0, 0, 0), {}, 1e200});
    refused({0}, {.held = {99}, .held_at = {}});
    refused({0}, {.held = {1, 1}, .held_at = {}});
    refused({0}, {.held = {}, .held_at = {1}});
    grbda::Search<double> other(named("six_bar").model);
    CHECK_THROWS_AS(static_cast<void>(grbda::inverse_kinematics<double>(model, data, other, {}, q)),
                    std::invalid_argument);
    Eigen::VectorXd open = q;
    open[model.bodies[2].q] += 0.3;
    const Eigen::VectorXd before = open;
    CHECK(grbda::inverse_kinematics<double>(model, data, work, {}, open).outcome == Outcome::open);
    CHECK(open == before);
    open[model.bodies[2].q] = NAN;
    CHECK(grbda::inverse_kinematics<double>(model, data, work, {}, open).outcome == Outcome::invalid);
}
