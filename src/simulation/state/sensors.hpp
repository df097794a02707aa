#pragma once

#include "grbda/simulation/batch_simulator.hpp"
#include "state.hpp"

// Reads the sensors of a simulation between two steps.

namespace grbda::simulation {

/// Throws std::invalid_argument for frames that a sensor does not support.
template <class T>
void require_sensors(const Model& model, std::span<const SensorOutput<T>> outputs);

/// Sensors with the workspace of one thread.
class Sensors {
public:
    explicit Sensors(const Model& model);

    /// Writes sensors of simulation number `simulation`, which is at `state`. NaN if the kinematics fail.
    template <class T>
    Status read(const Setting& setting, Workspace<double>& data, const State& state,
                std::span<const SensorOutput<T>> outputs, std::ptrdiff_t simulation);

private:
    Status find_motion(const Setting& setting, Workspace<double>& data, const State& state);
    Status find_frames(const Setting& setting, Workspace<double>& data, const State& state) const;
    template <class T>
    void write(const Setting& setting, const State& state, SensorKind sensor, T* values) const;

    Chart first_chart_;         ///< the model's own coordinates
    VectorX<double> qd_, qdd_;  ///< [nv_tree]
    VectorX<double> yd_, ydd_;  ///< [nv] in the model's own coordinates
};

}  // namespace grbda::simulation
