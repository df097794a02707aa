#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Articulated-body factors of the mass matrix M = GᵀHG, for many right-hand sides. They stay in data until
// the next call of factor(), aba() or free_motion(), or until the coordinates change.

namespace grbda {

/// Factors M at q, for inverse_mass_times(). aba() leaves the same factors.
/// in      q [nq] closing the loops
/// out     factors in data
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint or singular_inertia with the
///         first cluster affected, or not_finite; data then holds no factors
/// cost    that of aba(); no allocation
GRBDA_EXPORT Result factor(const Model& model, Data& data, ConstVectorRef q);

/// Factors M and computes the bias of the motion, for inverse_mass_times() and solve().
/// in      yd [nv]; wrenches as in aba()
/// out     factors in data, and the acceleration at τ = 0
GRBDA_EXPORT Result factor(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd);
GRBDA_EXPORT Result factor(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                           ConstWrenchesRef wrenches);

/// Computes x = M⁻¹ f, column by column.
/// in      f [nv × n], momenta or forces; after factor() or aba()
/// out     x [nv × n], which may be f
/// errors  std::invalid_argument on a wrong size, and if data holds no factors; Status::not_finite, x then
///         NaN
/// cost    O(bodies) for each column, 7 to 25 % of aba(), depending on the robot; no allocation
GRBDA_EXPORT Result inverse_mass_times(const Model& model, Data& data, ConstMatrixRef f, MatrixRef x);

/// Computes forward dynamics of one motion for many τ: ÿ = M⁻¹ (τ − bias), column by column.
/// in      tau [nv × n]; after factor() with yd
/// out     ydd [nv × n], which may be tau
/// errors  as inverse_mass_times()
/// cost    as inverse_mass_times()
GRBDA_EXPORT Result solve(const Model& model, Data& data, ConstMatrixRef tau, MatrixRef ydd);

}  // namespace grbda
