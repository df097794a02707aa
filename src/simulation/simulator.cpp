#include "grbda/simulation/simulator.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "simulation/state/memory_needs.hpp"
#include "stepper.hpp"
#include "model/arguments.hpp"

namespace grbda {
namespace {

std::shared_ptr<simulation::Setting> setting_for_one(const Model& model, SimulatorOptions options,
                                                     const Ground& ground) {
    auto setting = std::make_shared<simulation::Setting>(model, std::move(options), ground);
    simulation::require_memory(*setting, 1, 1);
    return setting;
}

}  // namespace

class Simulator::Work {
public:
    explicit Work(const std::shared_ptr<simulation::Setting>& given)
        : setting(given), stepper(given), state(*given), qd(VectorX<double>::Zero(given->model.nv_tree)) {}

    std::shared_ptr<simulation::Setting> setting;
    simulation::Stepper stepper;
    simulation::State state;
    VectorX<double> qd;
};

Simulator::Simulator(const Model& model, SimulatorOptions options, const Ground& ground)
    : work_(std::make_unique<Work>(setting_for_one(model, std::move(options), ground))) {}
Simulator::~Simulator() = default;
Simulator::Simulator(Simulator&&) noexcept = default;
Simulator& Simulator::operator=(Simulator&&) noexcept = default;

Simulator::Work& Simulator::work() const {
    if (!work_) throw std::invalid_argument("the simulator was moved from");
    return *work_;
}

const Model& Simulator::model() const { return work().stepper.setting().model; }
const SimulatorOptions& Simulator::options() const { return work().stepper.setting().options; }
const VectorX<double>& Simulator::q() const { return work().state.q; }
double Simulator::time() const { return work().state.time(options().step); }
long Simulator::switches() const { return work().state.switches; }
std::span<const ContactState> Simulator::contacts() const { return work().state.contacts; }
std::span<const double> Simulator::motor_torques() const {
    const VectorX<double>& torques = work().state.motor_torques;
    return {torques.data(), static_cast<std::size_t>(torques.size())};
}
Energies Simulator::energies() { return work().stepper.energies(work_->state); }

const VectorX<double>& Simulator::velocity() {
    work().stepper.velocity(work_->state, work_->qd);
    return work_->qd;
}

Result Simulator::set_state(ConstVector<double> q, ConstVector<double> qd, double time) {
    require_size("q", q.size(), model().nq);
    require_size("qd", qd.size(), model().nv_tree);
    return work_->stepper.set(work_->state, q, qd, time);
}

SimulatorState::SimulatorState(const simulation::Setting& setting, const simulation::State& state)
    : state_(std::make_shared<const simulation::State>(state)),
      time_(state.time(setting.options.step)),
      step_(setting.options.step),
      layout_(setting.model.layout) {}

const simulation::State& SimulatorState::fitting(const simulation::Setting& setting) const {
    if (!state_ || layout_ != setting.model.layout || step_ != setting.options.step)
        throw std::invalid_argument("simulation: this state is of another robot or of another step");
    const simulation::State& s = *state_;
    const Model& model = setting.model;
    if (s.q.size() != model.nq || s.yd.size() != model.nv || s.ydd.size() != model.nv ||
        s.motor_torques.size() != setting.motors.count() || s.chart.layout != model.layout)
        throw std::invalid_argument("simulation: this state does not fit the robot and its motors");
    return s;
}

SimulatorState Simulator::state() const { return {work().stepper.setting(), work().state}; }

void Simulator::restore(const SimulatorState& state) {
    const simulation::Setting& setting = work().stepper.setting();
    work_->state.follow(state.fitting(setting), setting);
    work_->stepper.forget_step();
}

void Simulator::set_ground(const Ground& ground, const GroundMotion& motion) {
    work().setting->set_ground(ground, motion);
}

Result Simulator::step_derivatives(const Controls& controls, MatrixOut<double> A, MatrixOut<double> B) {
    const Eigen::Index n = model().nv;
    if (options().rule == StepRule::adaptive)
        throw std::invalid_argument("simulation: adaptive steps have no derivatives; use runge_kutta");
    require_size("A (rows)", A.rows(), 2 * n);
    require_size("A (columns)", A.cols(), 2 * n);
    require_size("B (rows)", B.rows(), 2 * n);
    require_size("B (columns)", B.cols(), model().nv_tree);
    return work_->stepper.linearize(work_->state, controls, A, B);
}

Result Simulator::state_at(double time, VectorOut<double> q, VectorOut<double> qd) {
    if (options().rule != StepRule::adaptive)
        throw std::invalid_argument("simulation: only the adaptive rule knows the state within a step");
    require_size("q", q.size(), model().nq);
    require_size("qd", qd.size(), model().nv_tree);
    const double end = this->time(), begin = end - options().step, rounding = 1e-12 * (1 + std::abs(end));
    if (!work_->stepper.has_step() || !(time >= begin - rounding && time <= end + rounding))
        throw std::invalid_argument("simulation: no state is known at " + std::to_string(time) +
                                    " s; expected a time within the last step");
    VectorX<double> q_then = work_->state.q, qd_then = work_->qd;
    const Result result = work_->stepper.at(time - begin, q_then, qd_then);
    q = q_then;
    qd = qd_then;
    return result;
}

const Chart& Simulator::chart() const { return work().state.chart; }

StepOutcome Simulator::step(const Controls& controls) { return work().stepper.step(work_->state, controls); }

}  // namespace grbda
