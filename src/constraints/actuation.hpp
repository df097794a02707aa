#pragma once

#include "grbda/export.hpp"
#include "grbda/constraints/actuation.hpp"
#include "model/arguments.hpp"

// The functions of grbda/constraints/actuation.hpp on one workspace. They are documented there.

namespace grbda {

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

template <class S>
GRBDA_EXPORT Result actuation_jacobian(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                       Actuation<S>& actuation);

template <class S>
GRBDA_EXPORT Result motor_forces(const Model& model, Actuation<S>& actuation, ConstVector<S> tau,
                                 VectorOut<S> motors);

}  // namespace grbda
