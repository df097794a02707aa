#include "stepper.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "constraints/closure.hpp"
#include "constraints/coordinates.hpp"
#include "constraints/embedding.hpp"
#include "dynamics/energy.hpp"
#include "kinematics/configuration.hpp"
#include "kinematics/kinematics.hpp"

namespace grbda::simulation {
namespace {

constexpr int most_halvings = 13;                                // of a step
constexpr int most_adaptive_halvings = 40, most_parts = 100000;  // of an adaptive step

std::variant<ContactStep, RungeKutta, Adaptive> rule_of(const Setting& setting) {
    switch (setting.options.rule) {
        case StepRule::semi_implicit: return ContactStep(setting);
        case StepRule::runge_kutta: return RungeKutta(setting);
        case StepRule::adaptive: return Adaptive(setting);
    }
    throw std::invalid_argument("simulation: unknown step rule");
}

/// Joins the outcomes of two halves of a step: reports the problems of either.
StepOutcome joined(const StepOutcome& first, StepOutcome second) {
    ContactOutcome& contact = second.contact;
    if (contact.status == Status::ok) contact.status = first.contact.status;
    contact.iterations += first.contact.iterations;
    contact.residual = std::max(contact.residual, first.contact.residual);
    contact.exact = contact.exact && first.contact.exact;
    second.contacts = std::max(second.contacts, first.contacts);
    second.crowded = second.crowded || first.crowded;
    second.parts += first.parts;
    second.energy.add(first.energy);
    return second;
}

}  // namespace

State::State(const Setting& setting)
    : q(neutral_configuration(setting.model)),
      yd(VectorX<double>::Zero(setting.model.nv)),
      ydd(VectorX<double>::Constant(setting.model.nv, std::nan(""))),
      chart(setting.model),
      memory(setting.options.most_contacts),
      momentum(setting.model),
      delayed(setting.model.nv_tree, setting.motors.count(), setting.options.delay),
      motor_torques(VectorX<double>::Zero(setting.motors.count())),
      fingerprint(setting.fingerprint) {
    contacts.reserve(static_cast<std::size_t>(setting.options.most_contacts));
}

Stepper::Stepper(std::shared_ptr<const Setting> setting)
    : setting_(std::move(setting)),
      data_(setting_->model),
      scout_(setting_->model),
      rule_(rule_of(*setting_)),
      first_chart_(setting_->model),
      chart_before_(setting_->model),
      sensors_(setting_->model),
      trial_(*setting_),
      joint_targets_(static_cast<std::size_t>(setting_->model.nv_tree), 0) {
    gathered_.reserve(static_cast<std::size_t>(setting_->options.most_contacts));
    q_next_ = q_before_ = neutral_configuration(setting_->model);
    yd_next_ = yd_before_ = VectorX<double>::Zero(setting_->model.nv);
    tau_s_.setZero(setting_->model.nv_tree);
}

/// Chooses coordinates for a configuration, in scout_.
Result Stepper::choose(ConstVector<double> q) {
    return choose_coordinates<double>(setting_->model, scout_, q, Marks::ignored);
}

Result Stepper::set(State& state, ConstVector<double> q, ConstVector<double> qd, double time) {
    scout_.chart = state.chart;
    if (const Result result = choose(q); !result.ok()) return result;
    if (!qd.allFinite() || !std::isfinite(time)) return {Status::not_finite};
    state.chart = scout_.chart;
    independent_part<double>(setting_->model, scout_, qd, state.yd);
    state.q = q;
    state.start = time;
    state.steps = 0;
    state.forget();
    state.contacts.clear();
    state.delayed.forget();
    state.motor_torques.setZero();
    state.ydd.setConstant(std::nan(""));
    forget_step();
    return {};
}

Result Stepper::set_closed(State& state, ConstVector<double> q, ConstVector<double> qd, double time) {
    const Model& model = setting_->model;
    scout_.chart = first_chart_;
    q_next_ = q;
    if (const Result result = close_loops<double>(model, scout_, q_next_); !result.ok()) return result;
    independent_part<double>(model, scout_, qd, yd_next_);
    if (const Result result = spanning_velocity<double>(model, scout_, q_next_, yd_next_); !result.ok())
        return result;
    q_before_ = scout_.qd;
    return set(state, q_next_, q_before_, time);
}

bool Stepper::has_step() const {
    const auto* rule = std::get_if<Adaptive>(&rule_);
    return rule && rule->has_step();
}

void Stepper::forget_step() {
    if (auto* rule = std::get_if<Adaptive>(&rule_)) rule->forget();
}

Result Stepper::at(double time, VectorX<double>& q, VectorX<double>& qd) {
    if (const Result result = std::get<Adaptive>(rule_).at(*setting_, data_, time, q, yd_next_); !result.ok())
        return result;
    const Result result = spanning_velocity<double>(setting_->model, data_, q, yd_next_);
    if (result.ok()) qd = data_.qd;
    return result;
}

/// Converts the controls of motors to joint forces.
Result Stepper::drive(State& state, Controls& controls) {
    const Motors& motors = setting_->motors;
    if (!motors.act(controls)) {
        state.motor_torques.setZero();
        return {};
    }
    if (const Result result = spanning_velocity<double>(setting_->model, data_, state.q, state.yd);
        !result.ok())
        return result;
    if (controls.tau_s.empty())
        tau_s_.setZero();
    else
        tau_s_ = Eigen::Map<const VectorX<double>>(controls.tau_s.data(), tau_s_.size());
    motors.add(state.q, data_.qd, controls, tau_s_, state.motor_torques);
    controls.tau_s = {tau_s_.data(), static_cast<std::size_t>(tau_s_.size())};
    return {};
}

Status Stepper::cast(const State& state, std::span<const Ray> rays, bool robot, double* distances) {
    if (setting_->has_choice) data_.chart = state.chart;
    const Result result = forward_kinematics<double>(setting_->model, data_, state.q);
    const double time = state.time(setting_->options.step);
    for (const Ray& ray : rays)
        *distances++ = result.ok() ? setting_->surroundings.cast(setting_->model, data_, time, ray, robot)
                                   : std::nan("");
    return result.status;
}

StepOutcome Stepper::step(State& state, const Controls& given) {
    require_controls(*setting_, given);
    q_before_ = state.q;
    yd_before_ = state.yd;
    const long switches = state.switches;
    if (setting_->has_choice) chart_before_ = data_.chart = scout_.chart = state.chart;
    gathered_.clear();
    Controls controls = state.delayed.exchange(given);
    StepOutcome outcome;
    outcome.result = drive(state, controls);
    if (outcome.result.ok()) outcome = advance(state, controls);
    state.elapsed = 0;
    if (outcome.result.ok()) {
        ++state.steps;
        find_acceleration(state);
        if (!gathered_.empty()) state.contacts.assign(gathered_.begin(), gathered_.end());
    } else {
        state.q = q_before_;
        state.yd = yd_before_;
        state.switches = switches;
        state.contacts.clear();
        state.forget();
        state.delayed.undo_exchange();
        state.motor_torques.setZero();
        state.ydd.setConstant(std::nan(""));
    }
    if (!outcome.result.ok()) forget_step();
    if (setting_->has_choice) state.chart = outcome.result.ok() ? data_.chart : chart_before_;
    return outcome;
}

StepOutcome Stepper::advance(State& state, const Controls& controls) {
    return setting_->options.rule == StepRule::adaptive
               ? advance_adaptively(state, controls)
               : advance(state, controls, setting_->options.step, most_halvings);
}

/// Adds the impulses of a part of a step to those of the previous parts.
void Stepper::gather(const Table<ContactState>& contacts) {
    for (const ContactState& x : contacts) {
        const auto past = std::find_if(gathered_.begin(), gathered_.end(),
                                       [&](const ContactState& other) { return other.id == x.id; });
        if (past != gathered_.end()) {
            const Eigen::Vector3d s = past->impulse;
            const Vector3<double> before =
                transpose_times(x.contact.axes, past->contact.axes * Vector3<double>{s[0], s[1], s[2]});
            *past = x;
            past->impulse += Eigen::Vector3d(before.x, before.y, before.z);
        } else if (gathered_.size() < gathered_.capacity()) {
            gathered_.push_back(x);
        }
    }
}

/// Advances by h seconds. Divides the step into halves if bodies rotate too far in it, or if it fails.
StepOutcome Stepper::advance(State& state, const Controls& controls, double h, int halvings) {
    StepOutcome outcome;
    outcome.result = change_coordinates(state);
    if (outcome.result.ok()) outcome.result = apply_rule(state, controls, h, outcome);
    if (outcome.result.ok()) {
        state.q.swap(q_next_);
        state.yd.swap(yd_next_);
        state.elapsed += h;
        if (halvings < most_halvings) gather(state.contacts);
        return outcome;
    }
    state.momentum.forget();
    if (halvings == 0) {
        if (outcome.result.status == Status::undefined) outcome.result.status = Status::not_converged;
        return outcome;
    }
    const StepOutcome first = advance(state, controls, h / 2, halvings - 1);
    return first.result.ok() ? joined(first, advance(state, controls, h / 2, halvings - 1)) : first;
}

/// Advances in parts whose error is within the tolerance, and which end when a joint meets or leaves a limit.
/// The next step begins with the part that the last one proposed.
StepOutcome Stepper::advance_adaptively(State& state, const Controls& controls) {
    auto& rule = std::get<Adaptive>(rule_);
    const double step = setting_->options.step, least = step * std::ldexp(1., -most_adaptive_halvings);
    StepOutcome outcome;
    double part = state.part > 0 ? state.part : step;
    outcome.result = change_coordinates(state);
    if (outcome.result.ok())
        outcome.result = rule.begin(*setting_, data_, state, controls, outcome.energy.impulses);
    outcome.parts = 0;
    int attempts = 0;
    for (double rest = step; rest > 0; ++attempts) {
        if (outcome.result.ok()) outcome.result = change_coordinates(state);
        if (outcome.result.ok() && attempts > most_parts) outcome.result = {Status::not_converged};
        if (!outcome.result.ok()) return outcome;
        double h = std::min(part, rest);
        const bool cut = h < part;
        outcome.result = rule.attempt(*setting_, data_, state, controls, h, q_next_, yd_next_);
        const bool accurate = outcome.result.ok() && rule.error() <= 1;
        const double proposal = outcome.result.ok() ? rule.proposal(h) : h / 2;
        const double attempted = h;
        if (accurate) outcome.result = rule.complete(*setting_, data_, state, controls, h, q_next_, yd_next_);
        if (accurate && outcome.result.ok()) {
            state.q.swap(q_next_);
            state.yd.swap(yd_next_);
            part = std::max(proposal, cut ? part : 0);
            rest = h < rest ? rest - h : 0;
            ++outcome.parts;
            outcome.result = rule.proceed(*setting_, data_, state, controls, outcome.energy.impulses);
            continue;
        }
        if (attempted <= least) {
            if (outcome.result.ok() || outcome.result.status == Status::undefined)
                outcome.result = {Status::not_converged, outcome.result.cluster, rule.error()};
            return outcome;
        }
        outcome.result = {};
        part = std::min(proposal, attempted / 2);
    }
    state.part = part;
    return outcome;
}

Result Stepper::apply_rule(State& state, const Controls& controls, double h, StepOutcome& outcome) {
    const Setting& setting = *setting_;
    if (auto* rule = std::get_if<ContactStep>(&rule_))
        return rule->step(setting, data_, state, controls, h, q_next_, yd_next_, outcome);
    const Result result = take_smooth_step(state, controls, h, q_next_, yd_next_);
    outcome.energy = std::get<RungeKutta>(rule_).balance();
    return result;
}

Result Stepper::take_smooth_step(const State& from, const Controls& controls, double h,
                                 VectorX<double>& q_next, VectorX<double>& yd_next) {
    return std::get<RungeKutta>(rule_).step(*setting_, data_, from, controls, h, q_next, yd_next, {});
}

/// Changes to the coordinates that determine the loops best at the present configuration.
Result Stepper::change_coordinates(State& state) {
    const Model& model = setting_->model;
    if (!setting_->has_choice) return {};
    if (const Result result = choose(state.q); !result.ok()) return result;
    if (scout_.chart.version == data_.chart.version) return {};
    if (const Result result = spanning_velocity<double>(model, data_, state.q, state.yd); !result.ok())
        return result;
    for (std::size_t k = 0; k < scout_.chart.version.size(); ++k)
        state.switches += scout_.chart.version[k] != data_.chart.version[k];
    data_.chart = scout_.chart;
    independent_part<double>(model, data_, data_.qd, state.yd);
    return {};
}

Result Stepper::linearize(State& state, const Controls& controls, MatrixOut<double> A, MatrixOut<double> B) {
    const Setting& setting = *setting_;
    require_controls(setting, controls);
    if (setting.motors.act(controls) || state.delayed.delay() > 0)
        throw std::invalid_argument(
            "simulation: steps with motors or a delay have no derivatives; give forces of joints and servos");
    if (setting.has_choice) data_.chart = scout_.chart = state.chart;
    Result result = change_coordinates(state);
    if (setting.has_choice) state.chart = data_.chart;
    if (!linearization_) linearization_ = std::make_unique<Linearization>(setting);
    const Linearization::SmoothStep smooth = [&](const State& from, const Controls& given, VectorX<double>& q,
                                                 VectorX<double>& yd) {
        return take_smooth_step(from, given, setting.options.step, q, yd);
    };
    const bool has_contacts = setting.options.rule == StepRule::semi_implicit;
    if (result.ok())
        result =
            linearization_->find(setting, state, controls, has_contacts ? nullptr : &smooth, derivatives_);
    // If it would have to be divided into parts.
    if (result.status == Status::inaccurate) result.status = Status::undefined;
    const Eigen::Index columns = 2 * setting.model.nv;
    if (result.ok()) {
        A = derivatives_.leftCols(columns);
        B = derivatives_.rightCols(setting.model.nv_tree);
    } else {
        A.setConstant(std::nan(""));
        B.setConstant(std::nan(""));
    }
    return result;
}

void Stepper::velocity(const State& state, VectorX<double>& qd) {
    if (setting_->has_choice) data_.chart = state.chart;
    if (spanning_velocity<double>(setting_->model, data_, state.q, state.yd).ok())
        qd = data_.qd;
    else
        qd.setConstant(std::nan(""));
}

/// Returns the gravitational energy of the weight that compensation forces carry, at the pose in data_.
double Stepper::carried_energy() const {
    const Model& robot = setting_->robot;
    double sum = 0;
    for (const CarriedWeight& x : robot.passive.weights) {
        if (!setting_->options.passive) break;
        const Vector3<double>& origin = data_.origin[robot.clusters[robot.bodies[x.body].cluster].branch];
        sum += dot(robot.gravity, (origin + data_.p[x.body]) * x.mass + data_.R[x.body] * x.moment);
    }
    return sum;
}

Energies Stepper::energies(const State& state) {
    if (setting_->has_choice) data_.chart = state.chart;
    MechanicalState mechanics;
    if (!mechanical_state<double>(setting_->robot, data_, state.q, state.yd, mechanics).ok())
        return {std::nan(""), std::nan(""), std::nan("")};
    return {mechanics.kinetic, mechanics.potential + carried_energy(),
            setting_->forces.elastic_energy(state.q)};
}

}  // namespace grbda::simulation
