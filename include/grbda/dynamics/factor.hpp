#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

// Articulated-body factors of the mass matrix M = GᵀHG, for many right-hand sides. They remain valid until
// another algorithm uses the same data. Functions of frames do not change them.

namespace grbda {

/// Factors M at q, for inverse_mass_times(). aba() leaves the same factors.
/// in      q [nq] closing the loops
/// out     factors in data; data.ydd and data.tau are overwritten
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint or singular_inertia with the
///         first cluster affected, or not_finite; data then holds no factors
/// cost    that of aba(); no allocation
template <class S>
GRBDA_EXPORT Result factor(const Model& model, Data<S>& data, ConstVector<S> q);

/// Factors M and computes the bias of the motion, for inverse_mass_times() and solve().
/// in      yd [nv]; wrenches as in aba()
/// out     data.ydd [nv] the acceleration at τ = 0
template <class S>
GRBDA_EXPORT Result factor(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd);
template <class S>
GRBDA_EXPORT Result factor(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                           Wrenches<S> wrenches);

/// Computes x = M⁻¹ f, column by column.
/// in      f [nv × n], momenta or forces; after factor() or aba()
/// out     x [nv × n], which may be f but no member of data
/// errors  std::invalid_argument on a wrong size, and if data holds no factors; Status::not_finite, x then
///         NaN
/// cost    O(bodies) for each column, 7 to 25 % of aba(), depending on the robot; no allocation
template <class S>
GRBDA_EXPORT Result inverse_mass_times(const Model& model, Data<S>& data, ConstMatrix<S> f, MatrixOut<S> x);

/// Computes forward dynamics of one motion for many τ: ÿ = M⁻¹ (τ − bias), column by column.
/// in      tau [nv × n]; after factor() with yd
/// out     ydd [nv × n], which may be tau but no member of data
/// errors  as inverse_mass_times()
/// cost    as inverse_mass_times()
template <class S>
GRBDA_EXPORT Result solve(const Model& model, Data<S>& data, ConstMatrix<S> tau, MatrixOut<S> ydd);

}  // namespace grbda
