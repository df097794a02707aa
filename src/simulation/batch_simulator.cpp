#include "grbda/simulation/batch_simulator.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "stepper.hpp"
#include "threads/threads.hpp"

namespace grbda {
namespace {

int at_least_one(const char* what, int n) {
    if (n < 1)
        throw std::invalid_argument(std::string(what) + " is " + std::to_string(n) + ", expected 1 or more");
    return n;
}

}  // namespace

class BatchSimulator::Work {
public:
    Work(const std::shared_ptr<const simulation::Setting>& setting, int count, int threads)
        : results_(static_cast<std::size_t>(count)) {
        const int cores = Threads::cores();
        for (int i = 0; i < std::clamp(threads, 1, std::min(cores, count)); ++i)
            steppers.emplace_back(setting);
        states.reserve(results_.size());
        for (int i = 0; i < count; ++i) states.emplace_back(*setting);
        qd.setZero(setting->model.nv_tree);
        if (steppers.size() > 1) pool_ = std::make_unique<Threads>(steppers.size());
    }

    /// Steps the simulations first … first + count − 1; controls and outcomes are theirs.
    BatchOutcome step(std::size_t first, std::size_t count, std::span<const Controls> controls, int steps,
                      std::span<StepOutcome> outcomes) {
        std::atomic<std::size_t> next = 0;
        const auto work = [&](std::size_t slot) {
            for (;;) {
                const std::size_t i = next.fetch_add(1);
                if (i >= count) return;
                const StepOutcome outcome = run(steppers[slot], states[first + i],
                                                controls.empty() ? Controls{} : controls[i], steps);
                results_[first + i] = outcome.result.status;
                if (!outcomes.empty()) outcomes[i] = outcome;
            }
        };
        if (pool_)
            pool_->run(work);
        else
            work(0);
        return summary(first, count);
    }

    simulation::State& state(int i) {
        if (i < 0 || i >= static_cast<int>(states.size()))
            throw std::invalid_argument("simulation " + std::to_string(i) + " of " +
                                        std::to_string(states.size()) + ": there is none");
        return states[static_cast<std::size_t>(i)];
    }

    std::vector<simulation::Stepper> steppers;  ///< one for each thread
    std::vector<simulation::State> states;
    VectorX<double> qd;

private:
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
    std::unique_ptr<Threads> pool_;  ///< null for one thread
};

BatchSimulator::BatchSimulator(const Model& model, int count, SimulatorOptions options, const Ground& ground,
                               int threads)
    : work_(std::make_unique<Work>(
          std::make_shared<const simulation::Setting>(model, std::move(options), ground),
          at_least_one("the number of simulations", count), at_least_one("the number of threads", threads))) {
}
BatchSimulator::~BatchSimulator() = default;
BatchSimulator::BatchSimulator(BatchSimulator&&) noexcept = default;
BatchSimulator& BatchSimulator::operator=(BatchSimulator&&) noexcept = default;

BatchSimulator::Work& BatchSimulator::work() const {
    if (!work_) throw std::invalid_argument("the simulations were moved from");
    return *work_;
}

int BatchSimulator::count() const { return static_cast<int>(work().states.size()); }
const Model& BatchSimulator::model() const { return work().steppers.front().setting().model; }
const SimulatorOptions& BatchSimulator::options() const { return work().steppers.front().setting().options; }

Result BatchSimulator::set_state(int simulation, ConstVector<double> q, ConstVector<double> qd, double time) {
    require_size("q", q.size(), model().nq);
    require_size("qd", qd.size(), model().nv_tree);
    return work_->steppers.front().set(work_->state(simulation), q, qd, time);
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
    for (const Controls& each : controls) simulation::require_controls(model(), each);
    return work().step(static_cast<std::size_t>(first), static_cast<std::size_t>(count), controls, steps,
                       outcomes);
}

const VectorX<double>& BatchSimulator::q(int simulation) const { return work().state(simulation).q; }

void BatchSimulator::velocity(int simulation, VectorOut<double> qd) {
    require_size("qd", qd.size(), model().nv_tree);
    work_->steppers.front().velocity(work_->state(simulation), work_->qd);
    qd = work_->qd;
}

double BatchSimulator::time(int simulation) const {
    const simulation::State& state = work().state(simulation);
    return state.start + double(state.steps) * options().step;
}
long BatchSimulator::switches(int simulation) const { return work().state(simulation).switches; }
std::span<const ContactState> BatchSimulator::contacts(int simulation) const {
    return work().state(simulation).contacts;
}
Energies BatchSimulator::energies(int simulation) {
    return work().steppers.front().energies(work_->state(simulation));
}

}  // namespace grbda
