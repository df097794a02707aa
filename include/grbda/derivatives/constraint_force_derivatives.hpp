#pragma once

#include "grbda/constraints/constraint_forces.hpp"
#include "grbda/spatial/dual.hpp"

// Derivatives of constraint forces.

namespace grbda {

/// Derivatives of the results of constraint_forces() along [y ẏ ÿ], and the workspace for them, sized once
/// from the model: one for each thread. Derivatives with
/// respect to y are those of rnea_derivatives().
struct GRBDA_EXPORT ConstraintForceDerivatives {
    using Number = Dual<double, 4>;

    /// Throws std::invalid_argument if the model was moved from.
    explicit ConstraintForceDerivatives(const Model& model);

    MatrixX<double> loops;         ///< [6 loops × 3 nv] of the components in the (moving) axes of P
    MatrixX<double> loops_world;   ///< the same in the axes of the world
    MatrixX<double> joints;        ///< [6 bodies × 3 nv] of the components in the body's axes
    MatrixX<double> joints_world;  ///< the same in the axes of the world
    MatrixX<double> multipliers;   ///< [rows × 3 nv]
    MatrixX<double> tree;          ///< [nv_tree × 3 nv]

    Data<Number> moving;
    Table<Number> q, yd, ydd, wrenches;  ///< state with its derivatives along four directions
    ConstraintForces<Number> forces;
};

/// Computes the derivatives of the forces in loops, couplings and bearings with respect to y, ẏ and ÿ. With
/// the derivatives of aba(), those at given τ follow:
///   ∂λ/∂τ = λ_ÿ ∂ÿ/∂τ,   ∂λ/∂y + λ_ÿ ∂ÿ/∂y,   ∂λ/∂ẏ + λ_ÿ ∂ÿ/∂ẏ
/// They are exact: constraint_forces() is evaluated on dual numbers. If rows are redundant, they are the
/// derivatives of the shortest λ.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(), constant in their bodies' axes
/// out     derivatives; data holds the embedding at q
/// errors  std::invalid_argument on a wrong size; statuses of constraint_forces(). derivatives are NaN then
/// cost    3 nv / 4 times constraint_forces() on dual numbers of five components; no allocation
GRBDA_EXPORT Result constraint_force_derivatives(const Model& model, Data<double>& data,
                                                 ConstVector<double> q, ConstVector<double> yd,
                                                 ConstVector<double> ydd,
                                                 ConstraintForceDerivatives& derivatives);
GRBDA_EXPORT Result constraint_force_derivatives(const Model& model, Data<double>& data,
                                                 ConstVector<double> q, ConstVector<double> yd,
                                                 ConstVector<double> ydd, Wrenches<double> wrenches,
                                                 ConstraintForceDerivatives& derivatives);

}  // namespace grbda
