#include "grbda/simulation/batch_simulator.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "own_parameters.hpp"
#include "simulation/state/memory_needs.hpp"
#include "simulation/stepper.hpp"
#include "threads/threads.hpp"

namespace grbda {
namespace {

int at_least_one(const char* what, int n) {
    if (n < 1)
        throw std::invalid_argument(std::string(what) + " is " + std::to_string(n) + ", expected 1 or more");
    return n;
}

std::shared_ptr<simulation::Setting> setting_for(const Model& model, SimulatorOptions options,
                                                 const Ground& ground, int count) {
    auto setting = std::make_shared<simulation::Setting>(model, std::move(options), ground);
    simulation::require_memory(*setting, count, 1);
    return setting;
}

}  // namespace

class BatchSimulator::Work {
public:
    Work(const std::shared_ptr<simulation::Setting>& given, int count, int threads)
        : setting(given), results_(static_cast<std::size_t>(count)) {
        const int cores = Threads::cores();
        for (int i = 0; i < std::clamp(threads, 1, std::min(cores, count)); ++i)
            steppers.emplace_back(setting);
        states.reserve(results_.size());
        for (int i = 0; i < count; ++i) states.emplace_back(*setting);
        qd.setZero(setting->model.nv_tree);
        if (steppers.size() > 1) pool_ = std::make_unique<Threads>(steppers.size());
    }

    /// Calls use(stepper, i) -> Status for i in 0 … count − 1 on all threads. Entry i of the outcomes belongs
    /// to simulation first + i.
    template <class Use>
    BatchOutcome each(std::size_t first, std::size_t count, const Use& use) {
        std::atomic<std::size_t> next = 0;
        const auto work = [&](std::size_t slot) {
            for (;;) {
                const std::size_t i = next.fetch_add(1);
                if (i >= count) return;
                results_[first + i] = use(stepper_for(first + i, slot), i);
            }
        };
        if (pool_)
            pool_->run(work);
        else
            work(0);
        return summary(first, count);
    }

    /// Steps the simulations first … first + count − 1, to which the controls and outcomes belong.
    BatchOutcome step(std::size_t first, std::size_t count, std::span<const Controls> controls, int steps,
                      std::span<StepOutcome> outcomes) {
        return each(first, count, [&](simulation::Stepper& stepper, std::size_t i) {
            const StepOutcome outcome =
                run(stepper, states[first + i], controls.empty() ? Controls{} : controls[i], steps);
            if (!outcomes.empty()) outcomes[i] = outcome;
            return outcome.result.status;
        });
    }

    simulation::State& state(int i) {
        if (i < 0 || i >= static_cast<int>(states.size()))
            throw std::invalid_argument("simulation " + std::to_string(i) + " of " +
                                        std::to_string(states.size()) + ": no such simulation");
        return states[static_cast<std::size_t>(i)];
    }

    /// Returns the stepper of a thread, with the parameters of a simulation.
    simulation::Stepper& stepper_for(std::size_t i, std::size_t slot = 0) {
        if (!own_.empty()) own_[i].copy_to(*own_settings_[slot]);
        return steppers[slot];
    }

    void set_parameters(int simulation, const SimulationParameters& given) {
        simulation::State& changed = state(simulation);
        if (given.delay && *given.delay < 0)
            throw std::invalid_argument("simulation: the delay is " + std::to_string(*given.delay) +
                                        ", expected zero or more");
        if (own_.empty()) give_own_parameters();
        auto& own = own_[static_cast<std::size_t>(simulation)];
        own.copy_to(*own_settings_.front());
        simulation::change_parameters(given, *own_settings_.front());
        own = simulation::OwnParameters(*own_settings_.front());
        if (given.delay) changed.delayed.set_delay(*given.delay);
        changed.update_constants(own.fingerprint());
    }

    void clear_parameters(int simulation) {
        simulation::State& changed = state(simulation);
        changed.delayed.set_delay(setting->options.delay);
        if (own_.empty()) return;
        own_[static_cast<std::size_t>(simulation)] = simulation::OwnParameters(*setting);
        changed.update_constants(setting->fingerprint);
    }

    template <class T>
    BatchOutcome read(std::span<const SensorOutput<T>> outputs) {
        simulation::require_sensors(setting->model, outputs);
        return each(0, states.size(), [&](simulation::Stepper& stepper, std::size_t i) {
            return stepper.read(states[i], outputs, static_cast<std::ptrdiff_t>(i));
        });
    }

    BatchOutcome cast(std::span<const Ray> rays, std::span<double> distances, bool robot) {
        const std::size_t each_has = rays.size() / states.size();
        return each(0, states.size(), [&](simulation::Stepper& stepper, std::size_t i) {
            return stepper.cast(states[i], rays.subspan(i * each_has, each_has), robot,
                                distances.data() + i * each_has);
        });
    }

    void set_ground(const Ground& ground, const GroundMotion& motion) {
        setting->set_ground(ground, motion);
        for (const auto& own : own_settings_) own->set_ground(ground, motion);
    }

    std::size_t parameter_bytes() const { return own_.empty() ? 0 : own_.front().bytes(); }

    std::shared_ptr<simulation::Setting> setting;  ///< for simulations without parameters of their own
    std::vector<simulation::Stepper> steppers;     ///< one for each thread
    std::vector<simulation::State> states;
    VectorX<double> qd;

private:
    /// Gives each simulation its parameters, and each thread a setting to copy them to.
    void give_own_parameters() {
        for (simulation::Stepper& stepper : steppers) {
            own_settings_.push_back(std::make_shared<simulation::Setting>(*setting));
            stepper.use(own_settings_.back());
        }
        own_.assign(states.size(), simulation::OwnParameters(*setting));
    }

    static StepOutcome run(simulation::Stepper& stepper, simulation::State& state, const Controls& controls,
                           int steps) {
        StepOutcome outcome;
        for (int i = 0; i < steps && outcome.result.ok(); ++i) outcome = stepper.step(state, controls);
        return outcome;
    }

    BatchOutcome summary(std::size_t first, std::size_t count) const {
        BatchOutcome total;
        for (std::size_t i = first + count; i-- > first;) {
            if (results_[i] == Status::ok) continue;
            ++total.failures;
            total.simulation = static_cast<std::ptrdiff_t>(i);
            total.status = results_[i];
        }
        return total;
    }

    std::vector<Status> results_;
    /// Parameters per simulation; empty if no simulation has its own.
    std::vector<simulation::OwnParameters> own_;
    std::vector<std::shared_ptr<simulation::Setting>> own_settings_;  ///< likewise, per thread
    std::unique_ptr<Threads> pool_;                                   ///< null for one thread
};

BatchSimulator::BatchSimulator(const Model& model, int count, SimulatorOptions options, const Ground& ground,
                               int threads)
    : work_(std::make_unique<Work>(
          setting_for(model, std::move(options), ground, at_least_one("the number of simulations", count)),
          count, at_least_one("the number of threads", threads))) {}
BatchSimulator::~BatchSimulator() = default;
BatchSimulator::BatchSimulator(BatchSimulator&&) noexcept = default;
BatchSimulator& BatchSimulator::operator=(BatchSimulator&&) noexcept = default;

BatchSimulator::Work& BatchSimulator::work() const {
    if (!work_) throw std::invalid_argument("the simulations were moved from");
    return *work_;
}

int BatchSimulator::count() const { return static_cast<int>(work().states.size()); }
const Model& BatchSimulator::model() const { return work().setting->model; }
const SimulatorOptions& BatchSimulator::options() const { return work().setting->options; }

Result BatchSimulator::set_state(int simulation, ConstVector<double> q, ConstVector<double> qd, double time) {
    require_size("q", q.size(), model().nq);
    require_size("qd", qd.size(), model().nv_tree);
    simulation::State& state = work_->state(simulation);
    return work_->stepper_for(static_cast<std::size_t>(simulation)).set(state, q, qd, time);
}

BatchOutcome BatchSimulator::set_states(std::span<const char> marked, ConstMatrix<double> q,
                                        ConstMatrix<double> qd, double time, std::span<Status> statuses) {
    const auto count = static_cast<std::size_t>(this->count());
    if (!marked.empty()) require_size("marked", std::ssize(marked), this->count());
    require_size("q (rows)", q.rows(), model().nq);
    require_size("q (columns)", q.cols(), this->count());
    require_size("qd (rows)", qd.rows(), model().nv_tree);
    require_size("qd (columns)", qd.cols(), this->count());
    if (!statuses.empty()) require_size("statuses", std::ssize(statuses), this->count());
    return work_->each(0, count, [&](simulation::Stepper& stepper, std::size_t i) {
        const auto column = static_cast<Eigen::Index>(i);
        Status status = Status::ok;
        if (marked.empty() || marked[i] != 0)
            status = stepper.set_closed(work_->states[i], q.col(column), qd.col(column), time).status;
        if (!statuses.empty()) statuses[i] = status;
        return status;
    });
}

SimulatorState BatchSimulator::state(int simulation) const {
    return {*work().setting, work().state(simulation)};
}

void BatchSimulator::restore(int simulation, const SimulatorState& state) {
    simulation::State& own = work().state(simulation);
    const simulation::State& other = state.fitting(*work_->setting);
    own.follow(other, work_->stepper_for(static_cast<std::size_t>(simulation)).setting());
    for (simulation::Stepper& stepper : work_->steppers) stepper.forget_step();
}

BatchOutcome BatchSimulator::step(std::span<const Controls> controls, int steps,
                                  std::span<StepOutcome> outcomes) {
    return step_some(0, count(), controls, steps, outcomes);
}

BatchOutcome BatchSimulator::step_some(int first, int count, std::span<const Controls> controls, int steps,
                                       std::span<StepOutcome> outcomes) {
    if (first < 0 || count < 0 || count > this->count() - first)
        throw std::invalid_argument("simulations " + std::to_string(first) + " to " +
                                    std::to_string(first + count - 1) + " of " +
                                    std::to_string(this->count()) + " are asked for");
    if (!controls.empty()) require_size("controls", std::ssize(controls), count);
    if (!outcomes.empty()) require_size("outcomes", std::ssize(outcomes), count);
    at_least_one("the number of steps", steps);
    for (const Controls& each : controls) simulation::require_controls(*work().setting, each);
    return work().step(static_cast<std::size_t>(first), static_cast<std::size_t>(count), controls, steps,
                       outcomes);
}

BatchOutcome BatchSimulator::read_sensors(std::span<const SensorOutput<double>> outputs) {
    return work().read(outputs);
}
BatchOutcome BatchSimulator::read_sensors(std::span<const SensorOutput<float>> outputs) {
    return work().read(outputs);
}

BatchOutcome BatchSimulator::cast_rays(std::span<const Ray> rays, std::span<double> distances, bool robot) {
    require_size("distances", std::ssize(distances), std::ssize(rays));
    if (rays.size() % static_cast<std::size_t>(count()) != 0)
        throw std::invalid_argument(std::to_string(rays.size()) + " rays for " + std::to_string(count()) +
                                    " simulations; expected as many for each");
    return work().cast(rays, distances, robot);
}

const VectorX<double>& BatchSimulator::q(int simulation) const { return work().state(simulation).q; }

void BatchSimulator::velocity(int simulation, VectorOut<double> qd) {
    require_size("qd", qd.size(), model().nv_tree);
    const simulation::State& state = work_->state(simulation);
    work_->steppers.front().velocity(state, work_->qd);
    qd = work_->qd;
}

double BatchSimulator::time(int simulation) const { return work().state(simulation).time(options().step); }
long BatchSimulator::switches(int simulation) const { return work().state(simulation).switches; }
std::span<const ContactState> BatchSimulator::contacts(int simulation) const {
    return work().state(simulation).contacts;
}
Energies BatchSimulator::energies(int simulation) {
    const simulation::State& state = work().state(simulation);
    return work_->stepper_for(static_cast<std::size_t>(simulation)).energies(state);
}
std::span<const double> BatchSimulator::motor_torques(int simulation) const {
    const VectorX<double>& torques = work().state(simulation).motor_torques;
    return {torques.data(), static_cast<std::size_t>(torques.size())};
}

void BatchSimulator::set_parameters(int simulation, const SimulationParameters& parameters) {
    work().set_parameters(simulation, parameters);
}
void BatchSimulator::clear_parameters(int simulation) { work().clear_parameters(simulation); }
void BatchSimulator::set_ground(const Ground& ground, const GroundMotion& motion) {
    work().set_ground(ground, motion);
}
std::size_t BatchSimulator::parameter_bytes() const { return work().parameter_bytes(); }

}  // namespace grbda
