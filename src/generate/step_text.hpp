#pragma once

#include <string>

#include "dialect.hpp"

// Writes C code of steps of time for solvers. Only tables and sizes depend on the robot.

namespace grbda::generated {

/// Properties of the robot and of the options on which the code of a step depends.
struct StepShape {
    bool loops = false;  ///< closed in steps from the reference
    bool poses = false;  ///< joints with a quaternion: x has displacements from the reference
    bool runge_kutta = false;
    bool applied = false;  ///< forces other than u itself act
    std::string coupled;   ///< statements for the dependents of couplings, in q
};

/// Writes NAME_configuration, NAME_step and NAME_step_jacobian, after their tables.
std::string step_functions(const Dialect& dialect, const StepShape& shape);
/// Writes their part for the Runge–Kutta rule.
std::string runge_kutta_steps(const Dialect& dialect, bool poses);

}  // namespace grbda::generated
