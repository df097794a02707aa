#pragma once

#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// Robots of the groups `simulate` and `worlds`: each stands on its feet and bends its joints, once a second.

namespace grbda::benchmarks {

struct Standing {
    struct Joint {
        std::string name;
        double bend = 0;  ///< rad, at most
    };
    std::string robot;
    double ground = 0;                          ///< z of the soles in the pose, m
    int least_contacts = 0, most_contacts = 0;  ///< that carry load while it stands
    std::vector<Joint> joints;                  ///< joints that bend
    bool motors_only = false;                   ///< servos only at the joints that the robot names as motors
    double servo_damping = 40;                  ///< N·m·s/rad
    VectorX<double> (*pose)(const Model&) = nullptr;  ///< q [nq] that closes the loops; null: neutral
};

constexpr double servo_stiffness = 1000;  // N·m/rad
constexpr double simulated_step = 1e-3;   // s
constexpr int steps_of_second = 1000;

// Group `worlds`: so many simulations of each robot, and steps of each between two changes of their targets.
constexpr int world_count = 32, world_steps = 10, world_threads = 2;
constexpr int settling_calls = steps_of_second / world_steps;  // until all worlds stand

const std::vector<Standing>& standing_robots();
VectorX<double> pose_of(const Standing& standing, const Model& model);
/// Height above its pose from which a world starts, so that no two worlds are in one state, m.
constexpr double start_height(int world) { return 5e-3 * (world + 1) / world_count; }

/// Joints with servos: all of one coordinate except rotors, or only motors.
struct Servo {
    int body = 0, v = 0;
    double target = 0;  ///< in the pose, rad
    double bend = 0;    ///< rad, at most
};
std::vector<Servo> servos_of(const Standing& standing, const Model& model);
SimulatorOptions with_servos(const Standing& standing, const Model& model);

/// Bending of the joints at a time as a fraction of the largest: 0 to 1.
double bent(double time);

/// The standing robot, after a second of bending.
class StandingRobot {
public:
    StandingRobot(const Standing& standing, const Model& model);
    StepOutcome step();
    Simulator& simulator() { return simulator_; }

private:
    std::vector<Servo> servos_;
    Table<double> target_;
    Simulator simulator_;
};

/// Sets the targets [nv_tree] of a time.
void bend_servos(const std::vector<Servo>& servos, double time, Table<double>& target);

/// Sum of the masses of all bodies, kg.
double moving_mass(const Model& model);

/// Throw std::logic_error unless the numbers of contacts in the steps of a second are those of a standing
/// robot, and the mean force on the ground, over m g, is one.
void check_contacts(const Standing& standing, int least, int most);
void check_weight(double weight);

}  // namespace grbda::benchmarks
