#pragma once

#include <map>
#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// Common functions of the scenarios: locations of robots, initial poses, joints with servos.

namespace scenes {

using Vector = grbda::VectorX<double>;

struct Setting {
    std::string robots;  ///< the folder robots/
    std::string record;  ///< CSV file; empty: none
    double seconds = 0;  ///< 0: the default duration of the scenario
};

/// Each prints a report, and returns whether the motion satisfied its laws.
bool stand_humanoid(const Setting& setting);  ///< dropped on its two feet, with servos on its joints
bool stand_tello(const Setting& setting);     ///< likewise, with servos on the motors in its differentials
bool trot(const Setting& setting);            ///< a quadruped, with diagonal pairs of legs in turn
bool swing(const Setting& setting);           ///< a leg with rods, without torques
bool grip(const Setting& setting);            ///< a ball lifted between two pads, by friction alone

/// Throws std::runtime_error with the status.
void require(const grbda::Result& result);

/// Mass of all moving bodies, kg.
double moving_mass(const grbda::Model& model);

/// q [nq]: the assembled configuration with the named joints moved by these amounts, loops closed.
Vector posed(const grbda::Model& model, const std::map<std::string, double>& joints);

constexpr int base_height = 2;  ///< index in q, for a robot on a floating base

/// Tilt of a floating base's z axis, rad, for small angles.
double tilt_of(const Vector& q);

/// Distance from the ground z = 0 to the lowest point of the robot's shapes, m.
double clearance(const grbda::Model& model, const Vector& q);

/// Positions indexed by velocity [nv_tree], like targets: joints with one coordinate; 0 for others.
std::vector<double> targets_at(const grbda::Model& model, const Vector& q);

/// Adds servos, N·m/rad and N·m·s/rad, on the rotors of the robot, or on its other joints.
enum class Driven { rotors, joints };
void add_servos(const grbda::Model& model, Driven driven, double stiffness, double damping,
                grbda::SimulatorOptions& options);

}  // namespace scenes
