#pragma once

#include "grbda/simulation/batch_simulator.hpp"
#include "simulation/state/setting.hpp"

// Parameters of single simulations of a batch. A thread has one setting. The constants of each simulation are
// copied into it before a step, so that the passes read them in place of those of the model.

namespace grbda::simulation {

/// Constants of one simulation that differ from those of others.
class OwnParameters {
public:
    /// Reads the constants of a setting.
    explicit OwnParameters(const Setting& setting);

    /// Copies the constants into a setting of the same robot. Does not allocate, unless a branch has no mass.
    void copy_to(Setting& setting) const;

    std::size_t fingerprint() const { return fingerprint_; }
    std::size_t bytes() const;

private:
    Table<double> inertial_;  ///< of the robot, without the armature of dampers, springs and servos
    Vector3<double> gravity_;
    double mass_, friction_;
    VectorX<double> servo_stiffness_, servo_damping_;
    Motors motors_;
    std::size_t fingerprint_;
};

/// Changes the parameters of a setting, except the delay.
/// errors  as BatchSimulator::set_parameters(); a part of the setting may then have changed
void change_parameters(const SimulationParameters& parameters, Setting& setting);

}  // namespace grbda::simulation
