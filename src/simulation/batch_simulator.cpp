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

    /// Calls use(stepper, i) -> Status for i in 0 … count − 1 on all threads; the outcomes are those of the
    /// simulations first + i.
    template <class Use>
    BatchOutcome each(std::size_t first, std::size_t count, const Use& use) {
        std::atomic<std::size_t> next = 0;
        const auto work = [&](std::size_t slot) {
            for (;;) {
                const std::size_t i = next.fetch_add(1);
                if (i >= count) return;
                results_[first + i] = use(steppers[slot], i);
            }
        };
        if (pool_)
            pool_->run(work);
        else
            work(0);
        return summary(first, count);
    }

    /// Steps the simulations first … first + count − 1; controls and outcomes are theirs.
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
    return {work().steppers.front().setting(), work().state(simulation)};
}

void BatchSimulator::restore(int simulation, const SimulatorState& state) {
    simulation::State& own = work().state(simulation);
    own = state.fitting(work_->steppers.front().setting());
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
    for (const Controls& each : controls)
        simulation::require_controls(work().steppers.front().setting(), each);
    return work().step(static_cast<std::size_t>(first), static_cast<std::size_t>(count), controls, steps,
                       outcomes);
}

const VectorX<double>& BatchSimulator::q(int simulation) const { return work().state(simulation).q; }

void BatchSimulator::velocity(int simulation, VectorOut<double> qd) {
    require_size("qd", qd.size(), model().nv_tree);
    work_->steppers.front().velocity(work_->state(simulation), work_->qd);
    qd = work_->qd;
}

double BatchSimulator::time(int simulation) const { return work().state(simulation).time(options().step); }
long BatchSimulator::switches(int simulation) const { return work().state(simulation).switches; }
std::span<const ContactState> BatchSimulator::contacts(int simulation) const {
    return work().state(simulation).contacts;
}
Energies BatchSimulator::energies(int simulation) {
    return work().steppers.front().energies(work_->state(simulation));
}

}  // namespace grbda
