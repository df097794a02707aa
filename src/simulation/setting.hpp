#pragma once

#include "grbda/simulation/simulator.hpp"
#include "joint_forces.hpp"
#include "joint_rows.hpp"
#include "motors.hpp"
#include "surroundings.hpp"

// Data that do not change while a robot moves: shared by all that simulate it.

namespace grbda::simulation {

struct Setting {
    /// Throws std::invalid_argument on what means nothing, see Simulator.
    Setting(const Model& given, SimulatorOptions chosen, const Ground& ground);

    /// Replaces the ground. errors  as Simulator::set_ground(); nothing is changed then
    void set_ground(const Ground& ground, const GroundMotion& motion);

    SimulatorOptions options;
    Model robot;  ///< as it was given
    JointForces forces;
    Model model;  ///< with its dampers, springs and servos as armature
    Surroundings surroundings;
    JointRows rows;
    Motors motors;
    bool has_choice;          ///< of coordinates
    double mass;              ///< of all bodies, kg
    std::size_t fingerprint;  ///< of inertias, armature and gravity
};

double mass_of(const Model& model);
/// Hash of the numbers of a model on which momentum and energy of a state depend.
std::size_t fingerprint_of(const Model& model);

/// Throws std::invalid_argument on controls of a wrong size, and on external wrenches of other frames than
/// those of bodies, or with the variational rule.
void require_controls(const Setting& setting, const Controls& controls);

/// free_motion() under the forces of joints, which tau_s becomes; controls as they are.
Result move_freely(const Setting& setting, Data<double>& data, const VectorX<double>& q,
                   const VectorX<double>& yd, const Controls& controls, VectorX<double>& tau_s);

}  // namespace grbda::simulation
