#pragma once

#include <array>

#include "elements.hpp"

// Actuators: motors with their limits, and servos. The force of an actuator with length l on its transmission
// is gain(l, l̇) times the control, plus bias(l, l̇); at a hinge or slide, l is gear times the position.

namespace grbda::mjcf {

/// Gain and bias of an actuator as functions of (1, l, l̇), as MuJoCo compiles them.
struct Drive {
    enum class Function { none, fixed, affine, other };
    enum class Dynamics { none, integrator, filter, exact_filter, other };
    Function gain_type = Function::fixed, bias_type = Function::none;
    Dynamics dynamics = Dynamics::none;
    std::array<double, 3> gain = {1, 0, 0}, bias = {0, 0, 0};
    double inherited_range = 0;  ///< of the joint's range; zero: the range of controls is its own

    /// Its force is a constant times its control.
    bool is_motor() const;
    /// At a constant control, its force is affine.
    bool is_servo() const;
};
/// Applies the default classes from the outermost on, then the actuator itself.
Drive read_drive(Context& context, const Element& actuator);

/// Inertia that a force on a hinge or slide moves at the reference pose, if all other joints are free: the
/// inverse of its diagonal entry of M⁻¹ without loops. Zero if no mass resists it.
double inertia_at_reference(const Tree& tree, const RobotDescription& robot, std::size_t joint);

/// A servo among the actuators.
struct ActuatorServo {
    std::size_t joint = 0;              ///< in RobotDescription::joints
    double stiffness = 0, damping = 0;  ///< at the joint
    double force = 0,
           force_by_control = 0;  ///< at the joint at q = q̇ = 0: force + force_by_control · control
    double lower, upper;          ///< range of controls; infinite without one
    bool is_integrated = false;   ///< its control is the rate of its target
};

/// An actuator, in the order of ctrl.
struct Actuator {
    std::optional<ActuatorServo> servo;
};

/// Targets of servos for these controls, by joint in RobotDescription::joints.
std::map<std::size_t, double> targets_of(const std::vector<Actuator>& actuators,
                                         const std::vector<double>& controls);

}  // namespace grbda::mjcf
