#pragma once

#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

// Between motors and independent coordinates: motors may sit on dependent joints, be fewer than the degrees
// of freedom, or more.

namespace grbda {

/// Velocities that motors drive, in the order of q̇: those of joints named as motors (Catalogue::actuated),
/// or, where a model names none, the independent ones that it was loaded with.
GRBDA_EXPORT std::vector<Coordinate> motor_coordinates(const Model& model);

/// Motors of a robot at a configuration, sized once from the model.
template <class S>
struct GRBDA_EXPORT Actuation {
    /// Throws std::invalid_argument if the model was moved from.
    explicit Actuation(const Model& model);

    /// [motors × nv] q̇_motor = J ẏ, τ = Jᵀ τ_motor; rows as motor_coordinates(), each the joint's times the
    /// reduction of its motor (Catalogue::reduction).
    MatrixX<S> J;
    int undriven = 0;   ///< nv − rank of J: freedoms that no motor moves
    int redundant = 0;  ///< motors − rank of J: ways in which motors can work against each other

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
    double least = 0;        ///< the robot's weight times its length: a balance is not measured by less
    std::size_t layout = 0;  ///< of the model that it was made for
};

/// J at a configuration: rows of G times reductions.
/// in      q [nq] closing the loops
/// out     actuation; ranks count what is above 1e-6 per unit of ẏ, or that part of the
///         fastest motor of its cluster, slides measured by the size of the cluster
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster; not_finite.
///         J is NaN then
/// cost    O(bodies), and per cluster motors · m²; no allocation
template <class S>
GRBDA_EXPORT Result actuation_jacobian(const Model& model, Data<S>& data, ConstVector<S> q,
                                       Actuation<S>& actuation);

/// Forces of motors that do what τ does, Jᵀ τ_motor = τ; of redundant motors the least, as the root of the
/// sum of squares, forces of slides times the size of the cluster: none work against each other.
/// in      tau [nv], as rnea() gives; after actuation_jacobian()
/// out     motors [motors]
/// errors  std::invalid_argument on a wrong size; Status::unbalanced with the cluster where motors do not
///         span τ: what none brings is more than 1e-6 of its largest entry, or of the robot's
///         weight times its length, and Result::residual says how much; not_finite. motors is NaN then
/// cost    motors · m for each cluster; no allocation
template <class S>
GRBDA_EXPORT Result motor_forces(const Model& model, Actuation<S>& actuation, ConstVector<S> tau,
                                 VectorOut<S> motors);

}  // namespace grbda
