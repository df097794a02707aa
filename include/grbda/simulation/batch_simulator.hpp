#pragma once

#include <cstddef>

#include "grbda/simulation/simulator.hpp"

// Many simulations of one robot at a time, over several threads: each as Simulator has it, to the bit,
// however many there are and whichever thread takes it.

namespace grbda {

/// Outcome of the steps of all simulations.
struct [[nodiscard]] BatchOutcome {
    std::ptrdiff_t failures = 0;     ///< simulations with a step that failed
    std::ptrdiff_t simulation = -1;  ///< the first of them
    Status status = Status::ok;      ///< its status

    bool ok() const { return failures == 0; }
    explicit operator bool() const { return ok(); }
};

/// Its functions are not for two calls at a time; of one that was moved from they throw
/// std::invalid_argument.
class GRBDA_EXPORT BatchSimulator {
public:
    /// `count` simulations from the neutral configuration, at rest.
    /// in      threads  no more than the machine has cores run at a time
    /// errors  std::invalid_argument if either number is below one, and as Simulator
    BatchSimulator(const Model& model, int count, SimulatorOptions options = {}, const Ground& ground = {},
                   int threads = 1);
    ~BatchSimulator();
    BatchSimulator(BatchSimulator&&) noexcept;
    BatchSimulator& operator=(BatchSimulator&&) noexcept;

    int count() const;
    const Model& model() const;
    const SimulatorOptions& options() const;

    /// As Simulator::set_state().
    /// errors  std::invalid_argument if there is no such simulation, too
    Result set_state(int simulation, ConstVector<double> q, ConstVector<double> qd, double time = 0);

    /// Steps of all simulations. One that fails stays where it was before that step.
    /// in      controls [count], or none; the same for all these steps
    /// out     outcomes [count] of the last step of each, or none
    /// errors  std::invalid_argument on a wrong size
    /// cost    that of the steps; no allocation with one thread
    BatchOutcome step(std::span<const Controls> controls = {}, int steps = 1,
                      std::span<StepOutcome> outcomes = {});

    /// The same for the simulations first … first + count − 1 alone; controls and outcomes are theirs. A long
    /// call is cut into short ones by it, with the same numbers.
    BatchOutcome step_some(int first, int count, std::span<const Controls> controls = {}, int steps = 1,
                           std::span<StepOutcome> outcomes = {});

    // of one simulation, as of Simulator
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
