#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Second derivatives of the dynamics times a multiplier, for Newton's method on a trajectory: the first
// derivatives of inverse dynamics, evaluated on dual numbers along y and the multiplier.

namespace grbda {

/// Computes λᵀ ∂²τ: the derivative of the row λᵀ [∂τ/∂y ∂τ/∂ẏ ∂τ/∂ÿ] along each y, ẏ, ÿ.
/// in      q [nq] closing the loops; yd, ydd, lambda [nv]
/// out     data.tau_hessian [3 nv × 3 nv]: entry (i, j) is the derivative of entry i of the row along
///         direction j. The block of y with y is symmetric but for spherical and floating joints, whose
///         directions do not commute
/// errors  as rnea_derivatives(); tau_hessian then NaN
/// cost    (nv + 1) / 4 (rounded up) times rnea_derivatives() on dual numbers of five parts; no allocation
///         after the first call
GRBDA_EXPORT Result rnea_second_derivatives(const Model& model, Data& data, ConstVectorRef q,
                                            ConstVectorRef yd, ConstVectorRef ydd, ConstVectorRef lambda);

/// Computes λᵀ ∂²ÿ: the derivative of the row λᵀ [∂ÿ/∂y ∂ÿ/∂ẏ ∂ÿ/∂τ] along each y, ẏ, τ.
/// out     data.ydd_hessian [3 nv × 3 nv]
/// errors  as aba_derivatives(); ydd_hessian then NaN
/// cost    that of rnea_second_derivatives() and of aba_derivatives(); no allocation after the first call
GRBDA_EXPORT Result aba_second_derivatives(const Model& model, Data& data, ConstVectorRef q,
                                           ConstVectorRef yd, ConstVectorRef tau, ConstVectorRef lambda);

}  // namespace grbda
