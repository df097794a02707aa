#pragma once

#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Conversion between motors and independent coordinates. Motors may drive dependent joints, and there may be
// fewer or more motors than degrees of freedom.

namespace grbda {

/// Returns the velocities that motors drive, in the order of q̇: those of joints named as motors
/// (Catalogue::actuated). If no joint is named, they are the independent velocities that the model chose.
GRBDA_EXPORT std::vector<Coordinate> motor_coordinates(const Model& model);

/// Computes the motors' Jacobian at a configuration, rows of G times reductions.
///   q̇_motor = J ẏ and τ = Jᵀ τ_motor. Rows are in the order of motor_coordinates(); each is that of the
///   joint times the reduction of its motor (Catalogue::reduction)
/// in      q [nq] closing the loops
/// out     data.J_motors, data.undriven_freedoms, data.redundant_motors. For the rank, an entry counts as
///         zero at or below 1e-6 of the largest entry of its cluster, or of 1; slides are scaled by the size
///         of the cluster
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster; not_finite.
///         The Jacobian is NaN then
/// cost    O(bodies), and per cluster motors · m²; no allocation after the first call
GRBDA_EXPORT Result actuation_jacobian(const Model& model, Data& data, ConstVectorRef q);

/// Computes motor forces equivalent to τ: Jᵀ τ_motor = τ. With redundant motors, the solution with the least
/// sum of squares is chosen, in which no motor forces cancel each other. Forces of slides are scaled by the
/// size of the cluster.
/// in      tau [nv], for example from rnea(); after actuation_jacobian()
/// out     data.tau_motors [motors]
/// errors  std::invalid_argument on a wrong size, or if data holds no Jacobian of motors; Status::unbalanced
///         with its cluster if motors cannot produce τ: the remainder, in Result::residual, exceeds 1e-6 of
///         the largest entry of τ, or of the robot's weight times its length; not_finite. tau_motors is NaN
///         then
/// cost    motors · m for each cluster; no allocation after the first call
GRBDA_EXPORT Result motor_forces(const Model& model, Data& data, ConstVectorRef tau);

}  // namespace grbda
