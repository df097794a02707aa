#pragma once

#include "derivatives/contact_dynamics.hpp"

// The linear system of the forces of contacts, J M⁻¹ Jᵀ f = b, and of their derivatives.

namespace grbda::contacts {

/// Sets W, and the factors of J M⁻¹ Jᵀ; data holds factors of M.
Result factor_rows(const Model& model, Workspace<double>& data, ContactDynamics& work);

/// Solves for work.force from b, work.right; work.rest is the part of b that no force produces.
void solve_forces(ContactDynamics& work);

/// Sets work.by_y to the derivative by y of M(q) v − Jᵀ forces.
Result force_along_y(const Model& model, Workspace<double>& data, ContactDynamics& work,
                     ConstVector<double> q, ConstVector<double> v, const VectorX<double>& forces);

/// Solves for the derivatives of work.force, in place: `right` [active_rows × n] is ∂b − ∂(J M⁻¹ Jᵀ) f. Its
/// first nv columns are along y; if rows are redundant, the changes of the solution's own choice are added
/// there:
///   ∂(A⁺ b) = A⁺ (∂b − ∂A f) + A⁺ A⁺ ∂A (1 − A A⁺) b + (1 − A⁺ A) ∂A A⁺ f
Result solve_derivatives(const Model& model, Workspace<double>& data, ContactDynamics& work,
                         ConstVector<double> q, MatrixOut<double> right);

}  // namespace grbda::contacts
