#include <algorithm>
#include <vector>

#include "grbda/constraints/closure.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/search/search.hpp"
#include "robot.hpp"

namespace grbda::view {
namespace {

constexpr double out_of_bounds = 1e-9;

/// Displacement per joint [nv_tree] from a to b.
VectorX<double> motion_between(const Model& model, const VectorX<double>& a, const VectorX<double>& b) {
    VectorX<double> motion(model.nv_tree);
    spanning_difference(model, a, b, motion);
    return motion;
}

VectorX<double> moved_by(const Model& model, const VectorX<double>& q, const VectorX<double>& motion) {
    VectorX<double> out(model.nq);
    spanning_integrate(model, q, motion, out);
    return out;
}

std::vector<int> locked_bodies(const Robot& robot) {
    std::vector<int> bodies;
    for (std::size_t i = 0; i < robot.locked.size(); ++i)
        if (robot.locked[i] != 0) bodies.push_back(static_cast<int>(i));
    return bodies;
}

/// Moves v as an independent coordinate. Locked joints come first, so that a joint that they determine does
/// not move.
Result move_as_independent(Robot& robot, int v, double delta, VectorX<double>& out) {
    const Model& model = robot.model;
    std::vector<int> wanted;
    for (const int body : locked_bodies(robot))
        for (int k = 0; k < velocity_size(model.bodies[body].joint); ++k)
            wanted.push_back(model.bodies[body].v + k);
    wanted.push_back(v);
    const Result preferred = prefer_coordinates(model, robot.data, robot.q, wanted);
    if (!preferred.ok()) return preferred;
    const std::vector<Coordinate> independents = independent_coordinates(model, robot.data.chart());
    VectorX<double> step = VectorX<double>::Zero(model.nv);
    bool found = false;
    for (std::size_t y = 0; y < independents.size(); ++y) {
        const Coordinate& at = independents[y];
        if (at.body == world || model.bodies[at.body].v + at.component != v) continue;
        step[static_cast<Eigen::Index>(y)] = delta;
        found = true;
    }
    if (!found) return {Status::singular_constraint, -1, 0, 0, false};
    return pass_change_points(model, robot.data, robot.q, step, out);
}

/// Starts at a singular configuration: goes on along the last motion, if v took part in it, and projects onto
/// the loops.
Result move_by_projection(Robot& robot, int body, int v, double delta, VectorX<double>& out) {
    const Model& model = robot.model;
    const double rate = robot.last_motion[v];
    VectorX<double> motion = VectorX<double>::Zero(model.nv_tree);
    if (rate != 0) motion = robot.last_motion * (delta / rate);
    motion[v] = delta;
    const VectorX<double> wanted = moved_by(model, robot.q, motion);
    out = wanted;
    std::vector<int> held = locked_bodies(robot);
    held.push_back(body);
    SearchOptions options{.limits = false, .held = held, .held_at = {wanted.begin(), wanted.end()}};
    const SearchResult result =
        project_configuration(model, robot.data, VectorX<double>::Ones(model.nv_tree), out, options);
    const bool found = result.outcome == Outcome::converged || result.outcome == Outcome::nearest;
    const bool kept =
        std::abs(motion_between(model, robot.q, out)[v] - delta) < 1e-6 + 1e-3 * std::abs(delta);
    if (found && kept && closure_residual(model, robot.data, out).ok()) return {};
    return {Status::fold, model.bodies[body].cluster, 0, 0, false};
}

/// The part of delta that leaves the joint within its limits.
double within_limits(const Model& model, int body, int component, double position, double delta) {
    if (component != 0 || model.bounded[static_cast<std::size_t>(body)] == 0) return delta;
    const JointLimits& limits = model.limits[static_cast<std::size_t>(body)];
    if (!facts(model.bodies[body].joint).has_range) return delta;
    if (delta > 0) return std::min(delta, std::max(0., limits.upper - position));
    return std::max(delta, std::min(0., limits.lower - position));
}

/// Is a joint moved out of its limits, farther than it was?
bool leaves_limits(const Model& model, const VectorX<double>& before, const VectorX<double>& after) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
        const Body& body = model.bodies[i];
        if (model.bounded[i] == 0 || !facts(body.joint).has_range) continue;
        const JointLimits& limits = model.limits[i];
        const auto excess = [&](double x) { return std::max({0., x - limits.upper, limits.lower - x}); };
        if (excess(after[body.q]) > excess(before[body.q]) + out_of_bounds) return true;
    }
    return false;
}

/// One step by delta, which changes the robot only if it succeeds.
Result try_to_move(Robot& robot, int body, int v, double delta) {
    const Model& model = robot.model;
    const Result no{Status::fold, model.bodies[body].cluster, 0, 0, false};
    VectorX<double> out = robot.q;
    Result result = move_as_independent(robot, v, delta, out);
    if (!result.ok() && move_by_projection(robot, body, v, delta, out).ok()) result = {};
    if (!result.ok()) return result;
    if (leaves_limits(model, robot.q, out) || !closure_residual(model, robot.data, out).ok()) return no;
    robot.last_motion = motion_between(model, robot.q, out);
    robot.q = out;
    return {};
}

}  // namespace

Result move_joint(Robot& robot, int v, double delta) {
    const Model& model = robot.model;
    int body = 0;
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
        if (v >= model.bodies[i].v && v < model.bodies[i].v + velocity_size(model.bodies[i].joint))
            body = static_cast<int>(i);
    const Body& moved = model.bodies[body];
    delta = within_limits(model, body, v - moved.v, robot.q[moved.q], delta);
    if (delta == 0 || robot.locked[static_cast<std::size_t>(body)] != 0)
        return {Status::fold, moved.cluster, 0, 0, false};
    // A step must not end at a change point: there a shorter one, or one a little longer, is as good.
    Result result;
    for (const double part : {1., 0.99, 0.9, 0.6, 1.01, 0.2}) {
        result = try_to_move(robot, body, v, part * delta);
        if (result.ok()) break;
    }
    return result;
}

SearchResult show_configuration(Robot& robot, const VectorX<double>& wanted) {
    const Model& model = robot.model;
    VectorX<double> q = wanted;
    std::vector<int> unknown;
    for (int i = 0; i < model.body_count(); ++i) {
        auto own = q.segment(model.bodies[i].q, position_size(model.bodies[i].joint));
        if (!own.hasNaN()) continue;
        own = robot.q.segment(model.bodies[i].q, own.size());
        unknown.push_back(i);
    }
    SearchResult result;
    result.outcome = Outcome::converged;
    if (!q.allFinite() || std::ssize(unknown) == model.body_count()) {
        result.outcome = Outcome::invalid;
        return result;
    }
    if (!unknown.empty()) close_joints(model, unknown, q);
    if (!closure_residual(model, robot.data, q).ok())
        result = project_configuration(model, robot.data, VectorX<double>::Ones(model.nv_tree), q);
    if (result.outcome != Outcome::open && result.outcome != Outcome::invalid) robot.q = q;
    return result;
}

}  // namespace grbda::view
