#pragma once

#include <algorithm>

#include "simulation/integrator/adaptive.hpp"
#include "simulation/integrator/contact_step.hpp"
#include "linearization.hpp"
#include "simulation/integrator/runge_kutta.hpp"
#include "simulation/state/sensors.hpp"
#include "model/arguments.hpp"

// Takes time steps of one robot with any rule. It changes to suitable coordinates and divides steps as
// needed. It is the workspace for one step; use one per thread.

namespace grbda::simulation {

class Stepper {
public:
    explicit Stepper(std::shared_ptr<const Setting> setting);

    const Setting& setting() const { return *setting_; }
    /// Uses another setting of a robot with the same structure.
    void use(std::shared_ptr<const Setting> setting) { setting_ = std::move(setting); }

    /// errors  as Simulator::set_state()
    Result set(State& state, ConstVector<double> q, ConstVector<double> qd, double time);
    /// Sets the state after closing the loops from q. The model's independent joints keep their positions,
    /// and velocities follow from theirs, independently of the previous state.
    /// errors  also those of close_loops()
    Result set_closed(State& state, ConstVector<double> q, ConstVector<double> qd, double time);
    /// errors  as Simulator::step(); the state is then as before
    StepOutcome step(State& state, const Controls& controls);

    /// errors  as Simulator::step_derivatives()
    Result linearize(State& state, const Controls& controls, MatrixOut<double> A, MatrixOut<double> B);

    /// Computes q̇ [nv_tree]; NaN if it is not defined.
    void velocity(const State& state, VectorX<double>& qd);
    /// Computes q and q̇ within the last step, which was adaptive, `time` s after its start.
    /// errors  not_finite if there is no such step; those of closing
    Result at(double time, VectorX<double>& q, VectorX<double>& qd);
    /// Returns whether at() has a step.
    bool has_step() const;
    /// Discards the last step, because the state does not follow from it.
    void forget_step();
    /// Computes the energies; NaN if they are not defined.
    Energies energies(const State& state);
    /// Writes the sensors of one simulation of a batch.
    template <class T>
    Status read(const State& state, std::span<const SensorOutput<T>> outputs, std::ptrdiff_t simulation) {
        const auto reads_acceleration = [](const SensorOutput<T>& output) {
            return output.sensor == SensorKind::qdd || output.sensor == SensorKind::ydd ||
                   output.sensor == SensorKind::accelerometer;
        };
        const bool needed = std::any_of(outputs.begin(), outputs.end(), reads_acceleration);
        return sensors_.read(*setting_, data_, needed ? with_acceleration(state) : state, outputs,
                             simulation);
    }
    /// Casts rays at a state, see BatchSimulator::cast_rays().
    Status cast(const State& state, std::span<const Ray> rays, bool robot, double* distances);

private:
    Result drive(State& state, Controls& controls);
    void find_acceleration(State& state);
    const State& with_acceleration(const State& state);
    void gather(const Table<ContactState>& contacts);
    StepOutcome advance(State& state, const Controls& controls);
    StepOutcome advance(State& state, const Controls& controls, double h, int halvings);
    StepOutcome advance_adaptively(State& state, const Controls& controls);
    Result apply_rule(State& state, const Controls& controls, double h, StepOutcome& outcome);
    Result take_smooth_step(const State& from, const Controls& controls, double h, VectorX<double>& q_next,
                            VectorX<double>& yd_next);
    double carried_energy() const;
    Result choose(ConstVector<double> q);
    Result change_coordinates(State& state);

    std::shared_ptr<const Setting> setting_;
    Workspace<double> data_, scout_;
    std::variant<ContactStep, RungeKutta, Adaptive> rule_;
    VectorX<double> q_next_, yd_next_, q_before_, yd_before_;
    VectorX<double> tau_s_;         ///< of the controls with those of motors
    Table<ContactState> gathered_;  ///< of the parts of a divided step
    Chart first_chart_;             ///< the model's own coordinates
    Chart chart_before_;
    Sensors sensors_;
    std::unique_ptr<Linearization> linearization_;  ///< created at its first use
    MatrixX<double> derivatives_;
    State trial_;                  ///< for accelerations before the first step
    Table<double> joint_targets_;  ///< positions of the joints, as targets of servos
};

}  // namespace grbda::simulation
