#pragma once

#include <cstddef>

#include "grbda/simulation/simulator.hpp"

// Many simulations of one robot on several threads. Each gives the same bits as a Simulator, for any number
// of simulations and threads.

namespace grbda {

/// Summary of a call that steps several simulations.
struct [[nodiscard]] BatchOutcome {
    std::ptrdiff_t failures = 0;     ///< number of simulations with a failed step
    std::ptrdiff_t simulation = -1;  ///< index of the first of them; -1 without failures
    Status status = Status::ok;      ///< status of its failed step

    bool ok() const { return failures == 0; }
    explicit operator bool() const { return ok(); }
};

/// Steps many independent simulations of one robot. Not thread-safe: call it from one thread at a time.
/// Functions of a moved-from object throw std::invalid_argument.
class GRBDA_EXPORT BatchSimulator {
public:
    /// Starts `count` simulations from the neutral configuration, at rest.
    /// in      threads  number of threads; at most one per core is used
    /// errors  std::invalid_argument if count or threads is below 1; those of Simulator's constructor
    BatchSimulator(const Model& model, int count, SimulatorOptions options = {}, const Ground& ground = {},
                   int threads = 1);
    ~BatchSimulator();
    BatchSimulator(BatchSimulator&&) noexcept;
    BatchSimulator& operator=(BatchSimulator&&) noexcept;

    int count() const;
    const Model& model() const;
    const SimulatorOptions& options() const;

    /// Sets the state of one simulation as Simulator::set_state() does.
    /// errors  also std::invalid_argument if the index is out of range
    Result set_state(int simulation, ConstVector<double> q, ConstVector<double> qd, double time = 0);

    /// Sets the states of the marked simulations, on all threads. Loops are closed from q, in which the
    /// model's independent joints keep their positions; velocities follow from those of these joints. A
    /// simulation whose state cannot be set is left as it was.
    /// in      marked [count], nonzero: set it; empty: all. q [nq × count]; qd [nv_tree × count]; time, s
    /// out     statuses [count] or empty: of each simulation
    /// errors  std::invalid_argument on a wrong size; those of close_loops() and set_state()
    BatchOutcome set_states(std::span<const char> marked, ConstMatrix<double> q, ConstMatrix<double> qd,
                            double time = 0, std::span<Status> statuses = {});

    /// Returns a snapshot of one simulation, as Simulator::state(). Allocates.
    SimulatorState state(int simulation) const;
    /// Returns one simulation to a snapshot, also to that of another simulation or of a Simulator.
    /// errors  as Simulator::restore()
    void restore(int simulation, const SimulatorState& state);

    /// Advances all simulations by `steps` steps. A simulation whose step fails stops in the state before it.
    /// in      controls [count] or empty: those of each simulation, constant over all steps of the call
    /// out     outcomes [count] or empty: outcome of the last step of each simulation
    /// errors  std::invalid_argument on a wrong size
    /// cost    that of the steps; does not allocate with one thread
    BatchOutcome step(std::span<const Controls> controls = {}, int steps = 1,
                      std::span<StepOutcome> outcomes = {});

    /// Advances only the simulations first … first + count − 1. Controls and outcomes have `count` entries. A
    /// call for all simulations can thus be divided into shorter calls with the same results.
    BatchOutcome step_some(int first, int count, std::span<const Controls> controls = {}, int steps = 1,
                           std::span<StepOutcome> outcomes = {});

    // Results of one simulation: see the functions of Simulator with the same names.
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
