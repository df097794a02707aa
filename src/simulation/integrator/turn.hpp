#pragma once

#include <algorithm>
#include <cmath>

#include "model/workspace.hpp"

// Rotation of bodies over a step.

namespace grbda::simulation {

/// Largest rotation, rad. Beyond it the velocity at one end of a step does not represent its path.
constexpr double largest_turn_of_a_step = 0.2;

/// Returns the rotation of the body that rotates fastest, after kinematics with velocities, rad.
inline double largest_turn(const Model& model, const Workspace<double>& data, double h) {
    double square = 0;
    for (int i = 0; i < model.body_count(); ++i)
        if (!model.bodies[i].rotor) square = std::max(square, dot(data.v[i].angular, data.v[i].angular));
    return std::sqrt(square) * h;
}

}  // namespace grbda::simulation
