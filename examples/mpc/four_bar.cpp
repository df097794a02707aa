#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "grbda/dynamics/joint_forces.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "grbda/io/load.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "scenario.hpp"

namespace mpc {
namespace {

State at_crank(const grbda::Model& model, double angle) {
    grbda::Data data(model);
    State state{grbda::neutral_configuration(model), Vector::Zero(1)};
    require(grbda::integrate(model, data, state.q, Vector::Constant(1, angle), state.q));
    return state;
}

/// τ that keeps the robot at rest, with springs included.
Vector holding_force(const grbda::Model& model, const State& state) {
    grbda::Data data(model);
    require(grbda::joint_forces(model, data, state.q, Vector::Zero(model.nv_tree)));
    const Vector springs = data.tau;
    require(grbda::rnea(model, data, state.q, state.yd, Vector::Zero(1)));
    return data.tau - springs;
}

/// Largest τ required to lift the crank slowly, N·m.
double lifting_force(const grbda::Model& model) {
    double largest = 0;
    for (int degrees = -90; degrees <= 90; ++degrees)
        largest =
            std::max(largest, holding_force(model, at_crank(model, degrees * std::numbers::pi / 180))[0]);
    return largest;
}

}  // namespace

Scenario four_bar(const std::string& folder) {
    Scenario s;
    s.name = "four_bar";
    s.model = grbda::with_gravity(grbda::load(folder + "/four_bar.urdf"), {0, -9.81, 0});
    s.start = at_crank(s.model, -std::numbers::pi / 2);
    s.step = 0.02;
    s.steps = 60;
    s.iterations = 5;
    s.tau_limit = Vector::Constant(1, 0.6);
    s.note =
        "; lifting it slowly takes " + std::to_string(lifting_force(s.model)) + " N m, of which it has 0.6";
    Cost cost;
    cost.goal = at_crank(s.model, std::numbers::pi / 2);
    cost.tau_goal = holding_force(s.model, cost.goal);
    s.tau_guess = cost.tau_goal;
    cost.tau_weight = Vector::Constant(1, 0.1);
    s.cost = [cost](double, bool last) {
        Cost now = cost;
        now.y_weight = Vector::Constant(1, last ? 100 : 1);
        now.yd_weight = Vector::Constant(1, last ? 1 : 0.01);
        return now;
    };
    s.miss = [goal = cost.goal](const State& at) { return std::abs(at.q[0] - goal.q[0]); };
    s.unit = "rad";
    s.bound = 0.02;
    return s;
}

}  // namespace mpc
