#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

// Momentum h = A ẏ as MechanicalState has it: linear, then angular about the centre of mass, in the world's
// axes; its rate ḣ is what acts from outside, weight included. Moving bodies and rotors with their spin; no
// armature. Matrices are the caller's, [6 × nv], of the centre of mass [3 × nv]. A derivative with respect to
// y is one along the closed configurations, as in derivatives.hpp; coordinates are those of data.chart.
// q [nq] closes the loops; yd, ydd [nv].
//   errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
//           not_finite; all matrices then NaN
//   cost    O(bodies · velocities of their cluster); no allocation; safe from several threads, one Data each
//   source  Orin, Goswami & Lee 2013; derivatives as rnea_derivatives() at no gravity

namespace grbda {

/// A, the centroidal momentum matrix; with ẏ also its rate number by number: ḣ = A ÿ + A_rate ẏ.
template <class S>
GRBDA_EXPORT Result momentum_matrix(const Model& model, Data<S>& data, ConstVector<S> q, MatrixOut<S> A);
template <class S>
GRBDA_EXPORT Result momentum_matrix(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                    MatrixOut<S> A, MatrixOut<S> A_rate);

/// Derivatives of h with respect to y, and of ḣ with respect to y and ẏ; A is ∂h/∂ẏ and ∂ḣ/∂ÿ.
template <class S>
GRBDA_EXPORT Result momentum_derivatives(const Model& model, Data<S>& data, ConstVector<S> q,
                                         ConstVector<S> yd, ConstVector<S> ydd, MatrixOut<S> dh_dy,
                                         MatrixOut<S> dhd_dy, MatrixOut<S> dhd_dyd, MatrixOut<S> A);

/// Jacobian of the centre of mass, in the world's axes: derivative of its position with respect to y, of its
/// velocity to ẏ, of its acceleration to ÿ. Zero if nothing that moves has mass.
template <class S>
GRBDA_EXPORT Result com_jacobian(const Model& model, Data<S>& data, ConstVector<S> q, MatrixOut<S> J);

/// Derivatives of the velocity of the centre of mass with respect to y, and of its acceleration with respect
/// to y and ẏ; J as com_jacobian().
template <class S>
GRBDA_EXPORT Result com_derivatives(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                    ConstVector<S> ydd, MatrixOut<S> dv_dy, MatrixOut<S> da_dy,
                                    MatrixOut<S> da_dyd, MatrixOut<S> J);

}  // namespace grbda
