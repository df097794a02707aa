#pragma once

#include <algorithm>
#include <stdexcept>

#include "constraints/actuation.hpp"
#include "kernels/cluster/applied_forces.hpp"

namespace grbda {

/// The motors in the order of motor_coordinates(): of named joints, or of the independent velocities.
inline Table<Motor> motors_of(const Model& model) {
    Table<Motor> motors;
    for (const Coordinate& c : motor_coordinates(model))
        motors.push_back({model.bodies[c.body].dof + c.component, model.reduction[c.body]});
    return motors;
}

/// The forces that act in a step of a solver. Without a joint named as motor u is τ.
/// errors  std::invalid_argument for a spring about three axes
inline AppliedForces applied_forces_of(const Model& model, bool motors, bool joint_forces) {
    AppliedForces result;
    result.joint_forces = joint_forces;
    if (const int joint = kernels::joint_with_turning_spring(model); joint_forces && joint >= 0)
        throw std::invalid_argument("joint forces: the spring of joint '" + model.names.joints[joint] +
                                    "' turns about three axes, which has no derivative here; leave joint "
                                    "forces out, or give the spring to joints of one coordinate");
    const bool named = std::count(model.actuated.begin(), model.actuated.end(), 0) < model.body_count();
    if (motors && named) result.motors = motors_of(model);
    return result;
}

}  // namespace grbda
