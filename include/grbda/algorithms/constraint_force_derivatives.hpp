#pragma once

#include "grbda/algorithms/constraint_forces.hpp"
#include "grbda/spatial/dual.hpp"

// Derivatives of the constraint forces with respect to the motion.

namespace grbda {

/// Derivatives of the results of constraint_forces() along [y ẏ ÿ], and the workspace for them, sized once
/// from the model: one for each thread. y as in rnea_derivatives().
struct GRBDA_EXPORT ConstraintForceDerivatives {
    using Number = Dual<double, 4>;

    /// Throws std::invalid_argument if the model was moved from.
    explicit ConstraintForceDerivatives(const Model& model);

    MatrixX<double> loops;         ///< [6 loops × 3 nv] of the components in the axes of P, which turn along
    MatrixX<double> loops_world;   ///< the same in the axes of the world
    MatrixX<double> joints;        ///< [6 bodies × 3 nv] of the components in the body's axes
    MatrixX<double> joints_world;  ///< the same in the axes of the world
    MatrixX<double> multipliers;   ///< [rows × 3 nv]
    MatrixX<double> tree;          ///< [nv_tree × 3 nv]

    Data<Number> moving;
    Table<Number> q, yd, ydd, wrenches;  ///< a state moving along four directions
    ConstraintForces<Number> forces;
};

/// Derivatives of what loops, couplings and bearings carry. With ÿ of aba() those at given τ follow:
///   ∂λ/∂τ = λ_ÿ ∂ÿ/∂τ,   ∂λ/∂y + λ_ÿ ∂ÿ/∂y,   ∂λ/∂ẏ + λ_ÿ ∂ÿ/∂ẏ
/// They are exact: constraint_forces() on numbers with derivatives. If rows are redundant they are those
/// of the shortest λ.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(), constant in their bodies' axes
/// out     derivatives; data holds the embedding at q
/// errors  std::invalid_argument on a wrong size; statuses as of constraint_forces(), derivatives then NaN
/// cost    3 nv / 4 times that of constraint_forces() on five numbers for one; no allocation
GRBDA_EXPORT Result constraint_force_derivatives(const Model& model, Data<double>& data,
                                                 ConstVector<double> q, ConstVector<double> yd,
                                                 ConstVector<double> ydd,
                                                 ConstraintForceDerivatives& derivatives);
GRBDA_EXPORT Result constraint_force_derivatives(const Model& model, Data<double>& data,
                                                 ConstVector<double> q, ConstVector<double> yd,
                                                 ConstVector<double> ydd, Wrenches<double> wrenches,
                                                 ConstraintForceDerivatives& derivatives);

}  // namespace grbda
