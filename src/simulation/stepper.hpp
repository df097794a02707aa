#pragma once

#include <algorithm>

#include "adaptive.hpp"
#include "contact_step.hpp"
#include "linearization.hpp"
#include "runge_kutta.hpp"
#include "sensors.hpp"
#include "variational.hpp"

// Steps of time of one robot, whatever their rule: coordinates that suit where the mechanism stands, and
// smaller steps where they are needed. It is memory for one step: one for each thread.

namespace grbda::simulation {

class Stepper {
public:
    explicit Stepper(std::shared_ptr<const Setting> setting);

    const Setting& setting() const { return *setting_; }
    /// Takes another setting of a robot with the same structure.
    void use(std::shared_ptr<const Setting> setting) { setting_ = std::move(setting); }

    /// errors  as Simulator::set_state()
    Result set(State& state, ConstVector<double> q, ConstVector<double> qd, double time);
    /// The same, after closing the loops from q. The independent joints of the model keep their positions,
    /// and velocities follow from theirs, whatever the state was before. errors  also those of close_loops()
    Result set_closed(State& state, ConstVector<double> q, ConstVector<double> qd, double time);
    /// errors  as Simulator::step(); the state is then as before
    StepOutcome step(State& state, const Controls& controls);

    /// errors  as Simulator::step_derivatives()
    Result linearize(State& state, const Controls& controls, MatrixOut<double> A, MatrixOut<double> B);

    /// q̇ [nv_tree]; NaN where it is not defined.
    void velocity(const State& state, VectorX<double>& qd);
    /// q and q̇ within the last step, which was adaptive, `time` s after its beginning.
    /// errors  not_finite where no such step was taken; those of closing
    Result at(double time, VectorX<double>& q, VectorX<double>& qd);
    /// Whether at() has a step.
    bool has_step() const;
    /// The state does not follow from the last step.
    void forget_step();
    /// Likewise.
    Energies energies(const State& state);
    /// Writes sensors of one simulation of a batch.
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
    Data<double> data_, scout_;
    std::variant<ContactStep, RungeKutta, Variational, Adaptive> rule_;
    VectorX<double> q_next_, yd_next_, q_before_, yd_before_;
    VectorX<double> tau_s_;         ///< of the controls with those of motors
    Table<ContactState> gathered_;  ///< of the parts of a step that is taken in parts
    Chart first_chart_;             ///< the model's own coordinates
    Chart chart_before_;
    Sensors sensors_;
    std::unique_ptr<Linearization> linearization_;  ///< made at its first use
    MatrixX<double> derivatives_;
    State trial_;         ///< for accelerations that no step has found
    Table<double> held_;  ///< positions of the joints, as targets of servos
};

}  // namespace grbda::simulation
