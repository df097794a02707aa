#pragma once

#include <string>

#include "dialect.hpp"

// Writes C code of second derivatives of steps, for robots whose independent coordinates are numbers in q.

namespace grbda::generated {

/// Writes NAME_step_hessian, after the functions of steps. `applied`: forces other than u itself act.
std::string hessian_functions(const Dialect& dialect, bool applied, bool runge_kutta);

}  // namespace grbda::generated
