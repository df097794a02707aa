#include <cmath>

#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "stepper.hpp"

// Accelerations that sensors read: means over the last step, or over a step that would start at the state.

namespace grbda::simulation {

/// Finds ÿ as the mean over a step, in the coordinates at its end.
void Stepper::find_acceleration(State& state) {
    const Model& model = setting_->model;
    state.ydd = yd_before_;
    if (setting_->has_choice && data_.chart.version != chart_before_.version) {
        scout_.chart = chart_before_;
        if (spanning_velocity<double>(model, scout_, q_before_, yd_before_).ok())
            independent_part<double>(model, data_, scout_.qd, state.ydd);
        else
            state.ydd.setConstant(std::nan(""));
    }
    state.ydd = (state.yd - state.ydd) / setting_->options.step;
}

/// Finds ÿ at a state that no step led to, as the mean over a step that starts there: servos hold the joints,
/// and no other controls act. If that step fails, ÿ is the acceleration without contacts and limits.
const State& Stepper::with_acceleration(const State& state) {
    if (state.ydd.allFinite()) return state;
    const Setting& setting = *setting_;
    const double h = setting.options.step;
    if (setting.has_choice) data_.chart = scout_.chart = state.chart;
    trial_.follow(state, setting);
    setting.forces.hold(state.q, joint_targets_);
    const Controls controls{.tau_s = {}, .target = joint_targets_, .target_rate = {}};
    gathered_.clear();
    const StepOutcome outcome = advance(trial_, controls);
    forget_step();
    const Model& model = setting.model;
    if (outcome.result.ok() && spanning_velocity<double>(model, data_, trial_.q, trial_.yd).ok()) {
        if (setting.has_choice) scout_.chart = state.chart;
        independent_part<double>(model, scout_, data_.qd, trial_.ydd);
        trial_.ydd = (trial_.ydd - state.yd) / h;
    } else {
        if (setting.has_choice) data_.chart = state.chart;
        if (move_freely(setting, data_, state.q, state.yd, controls, tau_s_).ok()) trial_.ydd = data_.ydd;
    }
    trial_.q = state.q;
    trial_.yd = state.yd;
    trial_.chart = state.chart;
    trial_.contacts = state.contacts;
    return trial_;
}

}  // namespace grbda::simulation
