#pragma once

#include <map>
#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// What scenarios share: where robots are, how they stand before they move, which joints have servos.

namespace scenes {

using Vector = grbda::VectorX<double>;

struct Setting {
    std::string robots;  ///< the folder robots/
    std::string record;  ///< CSV file; empty: none
    double seconds = 0;  ///< 0: as long as the scenario is meant to take
};

/// Each tells what happened, and returns whether the motion kept the laws that it has to obey.
bool stand_humanoid(const Setting& setting);  ///< dropped on its two feet, held by servos of its joints
bool stand_tello(const Setting& setting);     ///< likewise, by servos of the motors in its differentials
bool trot(const Setting& setting);            ///< a quadruped, diagonal pairs of legs in turn
bool swing(const Setting& setting);           ///< a leg with rods, without torques
bool grip(const Setting& setting);            ///< a ball lifted between two pads, by friction alone

/// Throws std::runtime_error with the status.
void require(const grbda::Result& result);

/// kg, of all bodies that move.
double moving_mass(const grbda::Model& model);

/// q [nq]: as assembled, joints of these names moved on by so much, loops closed.
Vector posed(const grbda::Model& model, const std::map<std::string, double>& joints);

constexpr int base_height = 2;  ///< in q, of a robot on a floating base

/// rad, of a floating base's z axis, while small.
double tilt_of(const Vector& q);

/// m from the ground z = 0 to the lowest point of the robot's shapes.
double clearance(const grbda::Model& model, const Vector& q);

/// Positions by velocity [nv_tree], as targets are: of joints with one coordinate; 0 of others.
std::vector<double> targets_at(const grbda::Model& model, const Vector& q);

/// Servos N·m/rad and N·m·s/rad on the rotors of the robot, or on its other joints.
enum class Driven { rotors, joints };
void add_servos(const grbda::Model& model, Driven driven, double stiffness, double damping,
                grbda::SimulatorOptions& options);

}  // namespace scenes
