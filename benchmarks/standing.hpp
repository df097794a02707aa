#pragma once

#include <string>
#include <vector>

#include "grbda/simulation/simulator.hpp"

// What the group `simulate` runs on: a robot that stands on its feet and bends its knees, once a second.

namespace grbda::benchmarks {

struct Standing {
    struct Joint {
        std::string name;
        double bend = 0;  ///< rad, at most
    };
    std::string robot;
    double ground = 0;          ///< z of the soles at q = 0, m
    int contacts = 0;           ///< while it stands
    std::vector<Joint> joints;  ///< that bend; all that are no rotors have servos
};

constexpr double servo_stiffness = 1000, servo_damping = 40;  // N·m/rad, N·m·s/rad
constexpr double simulated_step = 1e-3;                       // s

const std::vector<Standing>& standing_robots();

/// How far joints are bent at a time, of the most: 0 to 1.
double bent(double time);

/// The robot as it stands, after a second of bending.
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

/// Throws std::logic_error unless over a second's steps there are as many contacts as there should be, and
/// the mean force on the ground, over m g, is one.
void check_standing(const Standing& standing, int least_contacts, int most_contacts, double weight);

}  // namespace grbda::benchmarks
