#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

// Exact first derivatives of the dynamics, including loops. A derivative with respect to y is taken along the
// closed configurations, δq = G δy, with constant ẏ, ÿ and τ. δy is a displacement as in integrate(); that of
// a floating joint is a twist in its body's axes. Coordinates are those of data.chart, as in rnea() and
// aba().

namespace grbda {

/// Computes the derivatives of τ(y, ẏ, ÿ) of rnea() with respect to y and ẏ. M is that with respect to ÿ.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(), constant in body axes
/// out     dtau_dy, dtau_dyd and M [nv × nv], column-major: entry (i, j) of dtau_dy is ∂τ_i/∂y_j, in
///         N or N·m per rad or m
/// errors  as rnea(); all matrices then NaN
/// cost    O(bodies · depth); no allocation; safe from several threads with one Data each
/// source  Carpentier & Mansard 2018; Singh, Russell & Wensing 2022; docs/derivatives.md for the rate of G
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

/// Computes the derivatives of ÿ(y, ẏ, τ) of aba() with respect to y, ẏ and τ.
/// in      q [nq] closing the loops; yd, tau [nv]; wrenches as in aba(), constant in body axes
/// out     dydd_dy, dydd_dyd and dydd_dtau = M⁻¹ [nv × nv], column-major; data.ydd [nv]
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

/// Computes M⁻¹.
/// in      q [nq] closing the loops
/// out     inverse [nv × nv], symmetric; data.ydd and data.tau are overwritten
/// errors  as factor(); inverse then NaN
/// cost    that of aba(), and O(nv · subtree · depth); no allocation
template <class S>
GRBDA_EXPORT Result inverse_mass_matrix(const Model& model, Data<S>& data, ConstVector<S> q,
                                        MatrixOut<S> inverse);

}  // namespace grbda
