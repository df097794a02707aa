#pragma once

#include "grbda/simulation/options.hpp"
#include "simulation/force/joint_forces.hpp"
#include "simulation/contact/joint_rows.hpp"
#include "simulation/force/motors.hpp"
#include "simulation/contact/surroundings.hpp"

// Data that do not change while a robot moves. All its simulations share them.

namespace grbda::simulation {

struct Setting {
    /// Throws std::invalid_argument on invalid options, see Simulator.
    Setting(const Model& given, SimulatorOptions chosen, const Ground& ground);

    /// Replaces the ground.
    /// errors  as Simulator::set_ground(); nothing is changed then
    void set_ground(const Ground& ground, const GroundMotion& motion);

    SimulatorOptions options;
    Model robot;  ///< as given
    JointForces forces;
    Model model;  ///< with armature for its dampers, springs and servos
    Surroundings surroundings;
    JointRows rows;
    Motors motors;
    bool has_choice;          ///< some coordinates can be chosen
    double mass;              ///< of all bodies, kg
    std::size_t fingerprint;  ///< of inertias, armature and gravity
};

double mass_of(const Model& model);
/// Hash of the numbers of a model on which momentum and energy of a state depend.
std::size_t fingerprint_of(const Model& model);

/// Throws std::invalid_argument on controls of a wrong size, and on external wrenches on frames that are not
/// on a body.
void require_controls(const Setting& setting, const Controls& controls);

/// Calls free_motion() with the joint forces, which it stores in tau_s; reads the controls without delay.
Result move_freely(const Setting& setting, Workspace<double>& data, const VectorX<double>& q,
                   const VectorX<double>& yd, const Controls& controls, VectorX<double>& tau_s);

}  // namespace grbda::simulation
