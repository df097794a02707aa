#pragma once

#include <string>

#include "dialect.hpp"

// Writes C code that closes loops. Only sizes depend on the robot.

namespace grbda::generated {

/// Lengths of the tables that the code reads.
struct ClosingSizes {
    int clusters = 0, dofs = 0, rows = 0;
    int dependents = 0;  ///< largest number in one cluster
    int joints = 0, leaders = 0, screws = 0;
    bool quaternions = false;
    bool follows = false;  ///< adds a function that follows displacements
    int moving = 0;        ///< independent velocities of a displacement
    int goals = 0;         ///< joints with a quaternion whose components are all independent
};

std::string closing_types(const Dialect& dialect, const ClosingSizes& sizes);
/// Writes the functions; `coupled`: statements for the dependents of couplings.
std::string closing_functions(const Dialect& dialect, const ClosingSizes& sizes, const std::string& coupled);
/// Writes the function for robots with couplings only.
std::string closing_of_couplings(const Dialect& dialect, const std::string& coupled);

}  // namespace grbda::generated
