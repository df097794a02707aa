#pragma once

#include <cstddef>

#include "grbda/simulation/simulator.hpp"

// Many simulations of one robot on several threads. Each gives the same bits as a Simulator, for any number
// of simulations and threads.

namespace grbda {

/// Outcome of the steps of all simulations.
struct [[nodiscard]] BatchOutcome {
    std::ptrdiff_t failures = 0;     ///< simulations with a step that failed
    std::ptrdiff_t simulation = -1;  ///< the first of them
    Status status = Status::ok;      ///< its status

    bool ok() const { return failures == 0; }
    explicit operator bool() const { return ok(); }
};

/// Only one call at a time may use it. Functions of an object that was moved from throw
/// std::invalid_argument.
class GRBDA_EXPORT BatchSimulator {
public:
    /// Starts `count` simulations from the neutral configuration, at rest.
    /// in      threads  at most as many as cores run at a time
    /// errors  std::invalid_argument if count or threads is below 1, and as Simulator
    BatchSimulator(const Model& model, int count, SimulatorOptions options = {}, const Ground& ground = {},
                   int threads = 1);
    ~BatchSimulator();
    BatchSimulator(BatchSimulator&&) noexcept;
    BatchSimulator& operator=(BatchSimulator&&) noexcept;

    int count() const;
    const Model& model() const;
    const SimulatorOptions& options() const;

    /// As Simulator::set_state().
    /// errors  also std::invalid_argument if there is no such simulation
    Result set_state(int simulation, ConstVector<double> q, ConstVector<double> qd, double time = 0);

    /// Advances all simulations by `steps` steps. One that fails keeps the state before that step.
    /// in      controls [count], or empty; constant over these steps
    /// out     outcomes [count] of the last step of each, or empty
    /// errors  std::invalid_argument on a wrong size
    /// cost    that of the steps; no allocation with one thread
    BatchOutcome step(std::span<const Controls> controls = {}, int steps = 1,
                      std::span<StepOutcome> outcomes = {});

    /// The same for the simulations first … first + count − 1 only, with their controls and outcomes. A long
    /// call can be divided into short ones with the same results.
    BatchOutcome step_some(int first, int count, std::span<const Controls> controls = {}, int steps = 1,
                           std::span<StepOutcome> outcomes = {});

    // results of one simulation, as of Simulator
    const VectorX<double>& q(int simulation) const;
    void velocity(int simulation, VectorOut<double> qd);
    double time(int simulation) const;
    long switches(int simulation) const;
    std::span<const ContactState> contacts(int simulation) const;
    Energies energies(int simulation);

private:
    class Work;
    Work& work() const;
    std::unique_ptr<Work> work_;
};

}  // namespace grbda
