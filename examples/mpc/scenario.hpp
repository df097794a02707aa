#pragma once

#include <functional>
#include <string>

#include "grbda/status.hpp"
#include "ilqr.hpp"

namespace mpc {

/// A robot, its start, its goals, and the interval of replanning.
struct Scenario {
    std::string name, note;
    grbda::Model model;
    State start;
    double step = 0;              ///< s, of the plan; also the time from one plan to the next
    int steps = 0;                ///< horizon
    int iterations = 0;           ///< at most, for each plan but the first
    double plant_step = 1e-3;     ///< s
    double duration = 2;          ///< s
    Vector tau_limit, tau_guess;  ///< N·m; initial guess of the first plan
    std::function<Cost(double time, bool last)> cost;
    std::function<double(const State&)> miss;  ///< distance from the goal at the end
    std::string unit;                          ///< of `miss`
    double bound = 0;                          ///< largest `miss` that counts as reached
};

/// A crank-rocker in the vertical plane swings from hanging down to standing up, too weak for a slow lift.
Scenario four_bar(const std::string& folder);

/// Two legs like those of Digit with both feet fixed: a squat, and after a second the torso moves up and
/// aside.
Scenario legs(const std::string& digit, double duration);

/// Throws std::runtime_error with the status.
void require(const grbda::Result& result);

}  // namespace mpc
