#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/spatial/dual.hpp"

// Second derivatives of the dynamics times a multiplier, for Newton's method on a trajectory: the first
// derivatives of inverse dynamics, evaluated on dual numbers along y and the multiplier.

namespace grbda {

/// Workspace of second derivatives, sized once from the model: one for each thread.
struct GRBDA_EXPORT SecondDerivatives {
    using Number = Dual<double, 4>;

    /// Throws std::invalid_argument if the model was moved from.
    explicit SecondDerivatives(const Model& model);

    Data<Number> moving;
    Table<Number> q, yd, given;           ///< state with its derivatives along four directions
    Table<Number> by_y, by_yd, by_given;  ///< first derivatives at that state, by columns

    Table<double> forward_by_y, forward_by_yd, inverse_mass;  ///< of forward dynamics, by columns
    Table<double> acceleration, force;                        ///< ÿ, and M⁻¹ λ
    Table<double> scratch;
};

/// Computes λᵀ ∂²τ: the derivative of the row λᵀ [∂τ/∂y ∂τ/∂ẏ ∂τ/∂ÿ] along each y, ẏ, ÿ.
/// in      q [nq] closing the loops; yd, ydd, lambda [nv]
/// out     hessian [3 nv × 3 nv]: entry (i, j) is the derivative of entry i of the row along direction j. The
///         block of y with y is symmetric but for spherical and floating joints, whose directions do not
///         commute. data holds the embedding at q
/// errors  as rnea_derivatives(); hessian then NaN
/// cost    (nv + 1) / 4 (rounded up) times rnea_derivatives() on dual numbers of five parts; no allocation
GRBDA_EXPORT Result rnea_second_derivatives(const Model& model, Data<double>& data, SecondDerivatives& work,
                                            ConstVector<double> q, ConstVector<double> yd,
                                            ConstVector<double> ydd, ConstVector<double> lambda,
                                            MatrixOut<double> hessian);

/// Computes λᵀ ∂²ÿ: the derivative of the row λᵀ [∂ÿ/∂y ∂ÿ/∂ẏ ∂ÿ/∂τ] along each y, ẏ, τ.
/// errors  as aba_derivatives(); hessian then NaN
/// cost    that of rnea_second_derivatives() and of aba_derivatives(); no allocation
GRBDA_EXPORT Result aba_second_derivatives(const Model& model, Data<double>& data, SecondDerivatives& work,
                                           ConstVector<double> q, ConstVector<double> yd,
                                           ConstVector<double> tau, ConstVector<double> lambda,
                                           MatrixOut<double> hessian);

}  // namespace grbda
