#pragma once

#include "grbda/export.hpp"
#include "grbda/dynamics/energy.hpp"
#include "model/arguments.hpp"

// The functions of grbda/dynamics/energy.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result mechanical_state(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                     ConstVector<S> yd, MechanicalState& out);

// Momentum h = A ẏ of MechanicalState: linear, then angular about the centre of mass, in world axes. Its rate
// ḣ is the sum of the external wrenches, including weight. Moving bodies and the spin of rotors count;
// armature does not. A spin momentum p of a rod along its line n (with_spin_momentum()) adds p n to h.
// Matrices of momentum are [6 × nv], those of the centre of mass [3 × nv]. Derivatives with respect to y are
// taken along the closed configurations, see dynamics_derivatives.hpp. Coordinates are those of data.chart. q
// [nq] closes the loops; yd, ydd [nv].
//   errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
//           not_finite; all matrices then NaN
//   cost    O(bodies · velocities of their cluster); no allocation; safe from several threads, one Data each
//   source  Orin, Goswami & Lee 2013; derivatives as in rnea_derivatives() without gravity

template <class S>
GRBDA_EXPORT Result momentum_matrix(const Model& model, Workspace<S>& data, ConstVector<S> q, MatrixOut<S> A);
template <class S>
GRBDA_EXPORT Result momentum_matrix(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                    ConstVector<S> yd, MatrixOut<S> A, MatrixOut<S> A_rate);

template <class S>
GRBDA_EXPORT Result momentum_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                         ConstVector<S> yd, ConstVector<S> ydd, MatrixOut<S> dh_dy,
                                         MatrixOut<S> dhd_dy, MatrixOut<S> dhd_dyd, MatrixOut<S> A);

template <class S>
GRBDA_EXPORT Result com_jacobian(const Model& model, Workspace<S>& data, ConstVector<S> q, MatrixOut<S> J);

template <class S>
GRBDA_EXPORT Result com_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                    ConstVector<S> yd, ConstVector<S> ydd, MatrixOut<S> dv_dy,
                                    MatrixOut<S> da_dy, MatrixOut<S> da_dyd, MatrixOut<S> J);

}  // namespace grbda
