#pragma once

#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

// Conversion between motors and independent coordinates. Motors may drive dependent joints, and there may be
// fewer or more motors than degrees of freedom.

namespace grbda {

/// Returns the velocities that motors drive, in the order of q̇: those of joints named as motors
/// (Catalogue::actuated). If no joint is named, they are the independent velocities that the model chose.
GRBDA_EXPORT std::vector<Coordinate> motor_coordinates(const Model& model);

/// Motors of a robot at a configuration, sized once from the model.
template <class S>
struct GRBDA_EXPORT Actuation {
    /// Throws std::invalid_argument if the model was moved from.
    explicit Actuation(const Model& model);

    /// [motors × nv], q̇_motor = J ẏ and τ = Jᵀ τ_motor. Rows are in the order of motor_coordinates(); each
    /// is that of the joint times the reduction of its motor (Catalogue::reduction).
    MatrixX<S> J;
    int undriven = 0;   ///< nv − rank of J: freedoms that no motor moves
    int redundant = 0;  ///< motors − rank of J: combinations of motor forces that cancel each other

    // for motor_forces(), the block of J of each cluster in its scales: Q [motors × m], by columns, times
    // R [m × m], by rows, is the block with its columns in the order of `pivots`
    struct Block {
        Range motors;  ///< in `motors`
        int Q_begin = 0, R_begin = 0, rank = 0;
    };
    Table<Block> blocks;      ///< per cluster
    Table<int> motors, dofs;  ///< rows of J by cluster, and their velocities in pass order
    Table<int> pivots;        ///< per independent velocity: which of its cluster
    Table<S> units;           ///< per independent velocity: 1, of slides the size of the cluster
    Table<S> Q, R, scratch;
    double least = 0;        ///< the robot's weight times its length, the smallest scale of a residual
    std::size_t layout = 0;  ///< of the model that it was made for
};

/// Computes J at a configuration: rows of G times reductions.
/// in      q [nq] closing the loops
/// out     actuation. For the rank, an entry counts as zero at or below 1e-6 of the largest entry of its
///         cluster, or of 1; slides are scaled by the size of the cluster
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster; not_finite.
///         J is NaN then
/// cost    O(bodies), and per cluster motors · m²; no allocation
template <class S>
GRBDA_EXPORT Result actuation_jacobian(const Model& model, Data<S>& data, ConstVector<S> q,
                                       Actuation<S>& actuation);

/// Computes motor forces equivalent to τ: Jᵀ τ_motor = τ. With redundant motors, the solution with the least
/// sum of squares is chosen, in which no motor forces cancel each other. Forces of slides are scaled by the
/// size of the cluster.
/// in      tau [nv], for example from rnea(); after actuation_jacobian()
/// out     motors [motors]
/// errors  std::invalid_argument on a wrong size; Status::unbalanced with its cluster if motors cannot
///         produce τ: the remainder, in Result::residual, exceeds 1e-6 of the largest entry of τ, or of the
///         robot's weight times its length; not_finite. motors is NaN then
/// cost    motors · m for each cluster; no allocation
template <class S>
GRBDA_EXPORT Result motor_forces(const Model& model, Actuation<S>& actuation, ConstVector<S> tau,
                                 VectorOut<S> motors);

}  // namespace grbda
