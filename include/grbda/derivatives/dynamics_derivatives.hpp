#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

// Exact first derivatives of the dynamics with their loops. A derivative with respect to y is one along the
// closed configurations, δq = G δy with ẏ, ÿ, τ as they are: in the tangent that integrate() moves along, of
// a floating joint the twist in its body's axes. Coordinates are those of data.chart, as in rnea() and aba().

namespace grbda {

/// Derivatives of inverse dynamics τ(y, ẏ, ÿ) as rnea() has it, and with M its derivative with ÿ.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(): they turn with their bodies
/// out     dtau_dy, dtau_dyd and M [nv × nv], column-major, the caller's: entry (i, j) is ∂τ_i/∂y_j,
///         N or N·m for each rad or m, and so on
/// errors  as rnea(); all matrices then NaN
/// cost    O(bodies · depth); no allocation; safe from several threads with one Data each
/// source  Carpentier & Mansard 2018; Singh, Russell & Wensing 2022; for moving G docs/derivatives.md
template <class S>
GRBDA_EXPORT Result rnea_derivatives(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                     ConstVector<S> ydd, MatrixOut<S> dtau_dy, MatrixOut<S> dtau_dyd);
template <class S>
GRBDA_EXPORT Result rnea_derivatives(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                     ConstVector<S> ydd, MatrixOut<S> dtau_dy, MatrixOut<S> dtau_dyd,
                                     MatrixOut<S> M);
template <class S>
GRBDA_EXPORT Result rnea_derivatives(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                     ConstVector<S> ydd, Wrenches<S> wrenches, MatrixOut<S> dtau_dy,
                                     MatrixOut<S> dtau_dyd, MatrixOut<S> M);

/// Derivatives of forward dynamics ÿ(y, ẏ, τ) as aba() has it.
/// in      q [nq] closing the loops; yd, tau [nv]; wrenches as in aba(): they turn with their bodies
/// out     dydd_dy, dydd_dyd and dydd_dtau = M⁻¹ [nv × nv], column-major, the caller's; data.ydd [nv]
/// errors  as aba(); all matrices and data.ydd then NaN
/// cost    that of aba() and rnea_derivatives(), and O(nv² · depth) for the products; no allocation
/// source  as rnea_derivatives(); ∂ÿ = −M⁻¹ ∂τ
template <class S>
GRBDA_EXPORT Result aba_derivatives(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                    ConstVector<S> tau, MatrixOut<S> dydd_dy, MatrixOut<S> dydd_dyd,
                                    MatrixOut<S> dydd_dtau);
template <class S>
GRBDA_EXPORT Result aba_derivatives(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                    ConstVector<S> tau, Wrenches<S> wrenches, MatrixOut<S> dydd_dy,
                                    MatrixOut<S> dydd_dyd, MatrixOut<S> dydd_dtau);

/// M⁻¹ alone.
/// in      q [nq] closing the loops
/// out     inverse [nv × nv], symmetric; data.ydd and data.tau are overwritten
/// errors  as factor(); inverse then NaN
/// cost    that of aba(), and O(nv · subtree · depth); no allocation
template <class S>
GRBDA_EXPORT Result inverse_mass_matrix(const Model& model, Data<S>& data, ConstVector<S> q,
                                        MatrixOut<S> inverse);

}  // namespace grbda
