#pragma once

#include "grbda/simulation/batch_simulator.hpp"
#include "setting.hpp"

// Parameters of single simulations of a batch. A thread has one setting, into which the constants of each
// simulation are copied before it is stepped: passes read them where they read those of the model.

namespace grbda::simulation {

/// Constants of one simulation that differ from those of others.
class OwnParameters {
public:
    /// Those of a setting.
    explicit OwnParameters(const Setting& setting);

    /// Copies them into a setting of the same robot. No allocation, unless a branch has no mass.
    void copy_to(Setting& setting) const;

    std::size_t fingerprint() const { return fingerprint_; }
    std::size_t bytes() const;

private:
    Table<double> inertial_;  ///< of the robot, without armature of dampers, springs and servos
    Vector3<double> gravity_;
    double mass_, friction_;
    VectorX<double> servo_stiffness_, servo_damping_;
    Motors motors_;
    std::size_t fingerprint_;
};

/// Changes a setting, except the delay.
/// errors  as BatchSimulator::set_parameters(); the setting may then be changed in part
void change_parameters(const SimulationParameters& parameters, Setting& setting);

}  // namespace grbda::simulation
