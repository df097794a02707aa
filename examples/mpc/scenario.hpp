#pragma once

#include <functional>
#include <string>

#include "grbda/status.hpp"
#include "ilqr.hpp"

namespace mpc {

/// A robot, where it starts, what is wanted of it, and how often the plan is made anew.
struct Scenario {
    std::string name, note;
    grbda::Model model;
    State start;
    double step = 0;              ///< s, of the plan; also the time from one plan to the next
    int steps = 0;                ///< horizon
    int iterations = 0;           ///< at most, of each plan but the first
    double plant_step = 1e-3;     ///< s
    double duration = 2;          ///< s
    Vector tau_limit, tau_guess;  ///< N·m; where planning starts from
    std::function<Cost(double time, bool last)> cost;
    std::function<double(const State&)> miss;  ///< how far from the goal at the end
    std::string unit;                          ///< of `miss`
    double bound = 0;                          ///< of `miss`: what counts as reached
};

/// A crank-rocker in the vertical plane: from hanging down to standing up, too weak to be lifted slowly.
Scenario four_bar(const std::string& folder);

/// Two legs of the kind of Digit with both feet held: a squat, and after a second up and aside with the
/// torso.
Scenario legs(const std::string& digit, double duration);

/// Throws std::runtime_error with the status.
void require(const grbda::Result& result);

}  // namespace mpc
