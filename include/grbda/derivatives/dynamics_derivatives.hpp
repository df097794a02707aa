#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Exact first derivatives of the dynamics, including loops. A derivative with respect to y is taken along the
// closed configurations, δq = G δy, with constant ẏ, ÿ and τ. δy is a displacement as in integrate(); that of
// a floating joint is a twist in its body's axes. Coordinates are those of data.chart(), as in rnea() and
// aba().

namespace grbda {

/// Computes the derivatives of τ(y, ẏ, ÿ) of rnea() with respect to y and ẏ. M is that with respect to ÿ.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(), constant in body axes
/// out     data.dtau_dy, dtau_dyd and M [nv × nv]: entry (i, j) of dtau_dy is ∂τ_i/∂y_j, in N or N·m per rad
///         or m
/// errors  as rnea(); all matrices then NaN
/// cost    O(bodies · depth); no allocation after the first call; safe from several threads with one Data
///         each
/// source  Carpentier & Mansard 2018; Singh, Russell & Wensing 2022; docs/derivatives.md for the rate of G
GRBDA_EXPORT Result rnea_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                     ConstVectorRef ydd);
GRBDA_EXPORT Result rnea_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                     ConstVectorRef ydd, ConstWrenchesRef wrenches);

/// Computes the derivatives of ÿ(y, ẏ, τ) of aba() with respect to y, ẏ and τ.
/// in      q [nq] closing the loops; yd, tau [nv]; wrenches as in aba(), constant in body axes
/// out     data.dydd_dy, dydd_dyd and M_inverse = ∂ÿ/∂τ [nv × nv]; data.ydd [nv]
/// errors  as aba(); all matrices and data.ydd then NaN
/// cost    that of aba() and rnea_derivatives(), and O(nv² · depth) for the products; no allocation after
///         the first call
/// source  as rnea_derivatives(); ∂ÿ = −M⁻¹ ∂τ
GRBDA_EXPORT Result aba_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                    ConstVectorRef tau);
GRBDA_EXPORT Result aba_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                    ConstVectorRef tau, ConstWrenchesRef wrenches);

/// Computes M⁻¹.
/// in      q [nq] closing the loops
/// out     data.M_inverse [nv × nv], symmetric
/// errors  as factor(); M_inverse then NaN
/// cost    that of aba(), and O(nv · subtree · depth); no allocation after the first call
GRBDA_EXPORT Result inverse_mass_matrix(const Model& model, Data& data, ConstVectorRef q);

}  // namespace grbda
