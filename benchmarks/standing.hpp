#pragma once

#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// Robots of the group `simulate`: each stands on its feet and bends its knees, once a second.

namespace grbda::benchmarks {

struct Standing {
    struct Joint {
        std::string name;
        double bend = 0;  ///< rad, at most
    };
    std::string robot;
    double ground = 0;          ///< z of the soles at q = 0, m
    int contacts = 0;           ///< while standing
    std::vector<Joint> joints;  ///< joints that bend; all joints except rotors have servos
};

constexpr double servo_stiffness = 1000, servo_damping = 40;  // N·m/rad, N·m·s/rad
constexpr double simulated_step = 1e-3;                       // s

const std::vector<Standing>& standing_robots();

/// Bending of the joints at a time as a fraction of the largest: 0 to 1.
double bent(double time);

/// The standing robot, after a second of bending.
class StandingRobot {
public:
    StandingRobot(const Standing& standing, const Model& model);
    StepOutcome step();
    Simulator& simulator() { return simulator_; }

private:
    struct Bending {
        int v = 0;
        double bend = 0;
    };
    std::vector<Bending> bending_;
    Table<double> target_;
    Simulator simulator_;
};

/// Throws std::logic_error unless the steps of a second have the expected number of contacts, and the mean
/// force on the ground, over m g, is one.
void check_standing(const Standing& standing, int least_contacts, int most_contacts, double weight);

}  // namespace grbda::benchmarks
