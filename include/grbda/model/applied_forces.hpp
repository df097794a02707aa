#pragma once

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"
#include "grbda/table.hpp"

// Forces that act on a robot in a step of a solver, in place of τ: those of motors, and passive forces.

namespace grbda {

/// A motor: it drives the velocity `dof` in pass order, and its force counts `reduction` times.
struct Motor {
    int dof = 0;
    double reduction = 1;
};

/// Forces with derivatives everywhere: unlike joint_forces() they have no dry friction.
struct AppliedForces {
    Table<Motor> motors;        ///< in the order of u; empty: u is τ
    bool joint_forces = false;  ///< springs, dampers, tendons and gravity compensation act

    bool has_motors() const { return !motors.empty(); }
    /// False if τ = u.
    bool any() const { return has_motors() || joint_forces; }
    int inputs(const Model& model) const { return has_motors() ? static_cast<int>(motors.size()) : model.nv; }
};

}  // namespace grbda
