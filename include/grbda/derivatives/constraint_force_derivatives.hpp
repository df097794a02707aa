#pragma once

#include "grbda/constraints/constraint_forces.hpp"
#include "grbda/model/data.hpp"

// Derivatives of constraint forces.

namespace grbda {

/// Computes the derivatives of the forces in loops, couplings and bearings with respect to y, ẏ and ÿ. With
/// the derivatives of aba(), those at given τ follow:
///   ∂λ/∂τ = λ_ÿ ∂ÿ/∂τ,   ∂λ/∂y + λ_ÿ ∂ÿ/∂y,   ∂λ/∂ẏ + λ_ÿ ∂ÿ/∂ẏ
/// They are exact: constraint_forces() is evaluated on dual numbers. If rows are redundant, they are the
/// derivatives of the shortest λ.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(), constant in their bodies' axes
/// out     data.constraint_force_derivatives
/// errors  std::invalid_argument on a wrong size; statuses of constraint_forces(). All matrices are NaN then
/// cost    3 nv / 4 times constraint_forces() on dual numbers of five components; no allocation after the
///         first call
GRBDA_EXPORT Result constraint_force_derivatives(const Model& model, Data& data, ConstVectorRef q,
                                                 ConstVectorRef yd, ConstVectorRef ydd);
GRBDA_EXPORT Result constraint_force_derivatives(const Model& model, Data& data, ConstVectorRef q,
                                                 ConstVectorRef yd, ConstVectorRef ydd,
                                                 ConstWrenchesRef wrenches);

}  // namespace grbda
