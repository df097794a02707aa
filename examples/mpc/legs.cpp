#include <algorithm>
#include <cmath>
#include <vector>

#include "grbda/compile/build.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/edit/edit.hpp"
#include "grbda/io/load.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "grbda/search/search.hpp"
#include "scenario.hpp"

namespace mpc {
namespace {

constexpr double kSquat = 1, kMove = 0.5;  // s: when the torso starts to rise again; how long it moves

struct Robot {
    grbda::Mechanism mechanism;
    grbda::Model model;
};

Robot built(grbda::Mechanism mechanism, grbda::Diagnostics& diagnostics) {
    if (grbda::has_errors(diagnostics)) throw grbda::LoadError(diagnostics);
    Robot robot{std::move(mechanism), {}};
    robot.model = grbda::build_model(robot.mechanism, {}, diagnostics);
    if (grbda::has_errors(diagnostics)) throw grbda::LoadError(diagnostics);
    return robot;
}

/// Both feet fixed at their poses.
grbda::Model standing(const std::string& digit) {
    grbda::Diagnostics diagnostics;
    Robot robot = built(grbda::make_mechanism(grbda::read_description({digit}, diagnostics), {}, diagnostics),
                        diagnostics);
    for (const char* foot : {"left_foot", "right_foot"}) {
        grbda::Mount mount;
        mount.frame = foot;
        const Vector q = grbda::neutral_configuration(robot.model);
        robot = built(grbda::mount(robot.mechanism, robot.model, q, mount, diagnostics), diagnostics);
    }
    return robot.model;
}

/// Displacement of the torso from its start, smooth in velocity.
Eigen::Vector3d way_at(double time) {
    const Eigen::Vector3d down(0, 0, -0.1), aside(0.03, 0.06, 0.02);
    const auto part = [](double t) {
        const double x = std::clamp(t / kMove, 0., 1.);
        return x * x * (3 - 2 * x);
    };
    return part(time) * down + part(time - kSquat) * (aside - down);
}

/// The torso with its start orientation, its origin moved by `way`, at rest.
Cost reach(const grbda::Model& model, const Vector& start, const Eigen::Vector3d& way) {
    grbda::Data data(model);
    Cost cost;
    cost.frame = model.frame("torso").index;
    require(grbda::forward_kinematics(model, data, start));
    cost.point = grbda::frame_position(model, data, cost.frame) + way;
    grbda::FrameTarget target;
    target.frame = cost.frame;
    target.position = cost.point;
    target.orientation = grbda::frame_orientation(model, data, cost.frame);
    cost.goal = {start, Vector::Zero(model.nv)};
    const grbda::SearchResult found = grbda::inverse_kinematics(model, data, {&target, 1}, cost.goal.q);
    if (!found.converged()) throw std::runtime_error("the torso cannot reach its goal");
    require(grbda::rnea(model, data, cost.goal.q, cost.goal.yd, Vector::Zero(model.nv)));
    cost.tau_goal = data.tau;
    return cost;
}

}  // namespace

Scenario legs(const std::string& digit, double duration) {
    Scenario s;
    s.name = "legs";
    s.model = standing(digit);
    const int nv = s.model.nv;
    s.start = {grbda::neutral_configuration(s.model), Vector::Zero(nv)};
    s.step = 0.02;
    s.steps = 25;
    s.iterations = 2;
    s.tau_limit = Vector::Constant(nv, 150);
    s.duration = duration;
    std::vector<Cost> goals;  // of each knot until the last plan's end
    for (int i = 0; i <= static_cast<int>(std::lround(duration / s.step)) + s.steps; ++i)
        goals.push_back(reach(s.model, s.start.q, way_at(std::min(i * s.step, duration))));
    const Cost goal = goals.back();
    s.tau_guess = goals.front().tau_goal;
    s.cost = [goals, nv, step = s.step](double time, bool last) {
        Cost now = goals[static_cast<std::size_t>(std::lround(time / step))];
        now.y_weight = Vector::Constant(nv, last ? 20 : 2);
        now.yd_weight = Vector::Constant(nv, last ? 2 : 0.05);
        now.tau_weight = Vector::Constant(nv, 1e-5);
        now.point_weight = last ? 5000 : 500;
        return now;
    };
    s.miss = [model = s.model, goal](const State& at) {
        grbda::Data data(model);
        require(grbda::forward_kinematics(model, data, at.q));
        return (grbda::frame_position(model, data, goal.frame) - goal.point).norm();
    };
    s.unit = "m";
    s.bound = 0.005;
    return s;
}

}  // namespace mpc
