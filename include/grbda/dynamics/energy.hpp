#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Computes the energies, the centre of mass and the momentum.
/// in      q [nq] closing the loops; yd [nv]
/// out     data.mechanics
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite
/// cost    O(bodies); no allocation
GRBDA_EXPORT Result mechanical_state(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd);

// Momentum h = A ẏ of MechanicalState: linear, then angular about the centre of mass, in world axes. Its rate
// ḣ is the sum of the external wrenches, including weight. Moving bodies and the spin of rotors count;
// armature does not. A spin momentum p of a rod along its line n (with_spin_momentum()) adds p n to h.
// Matrices of momentum are [6 × nv], those of the centre of mass [3 × nv]. Derivatives with respect to y are
// taken along the closed configurations, see dynamics_derivatives.hpp. Coordinates are those of data.chart().
// q [nq] closes the loops; yd, ydd [nv].
//   errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster,
//           singular_inertia for a robot without mass, or not_finite; all matrices then NaN
//   cost    O(bodies · velocities of their cluster); no allocation after the first call; safe from several
//           threads with one Data each
//   source  Orin, Goswami & Lee 2013; derivatives as in rnea_derivatives() without gravity

/// Computes the centroidal momentum matrix data.A and, given ẏ, its time derivative data.A_rate:
/// ḣ = A ÿ + A_rate ẏ.
GRBDA_EXPORT Result momentum_matrix(const Model& model, Data& data, ConstVectorRef q);
GRBDA_EXPORT Result momentum_matrix(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd);

/// Computes the derivatives of h with respect to y, data.dh_dy, and of ḣ with respect to y and ẏ, data.dhd_dy
/// and data.dhd_dyd. data.A is ∂h/∂ẏ and ∂ḣ/∂ÿ.
GRBDA_EXPORT Result momentum_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                         ConstVectorRef ydd);

/// Computes the Jacobian data.J_com of the centre of mass in world axes: its velocity is J_com ẏ. Zero if no
/// moving body has mass.
GRBDA_EXPORT Result com_jacobian(const Model& model, Data& data, ConstVectorRef q);

/// Computes the derivatives of the velocity of the centre of mass with respect to y, data.dvcom_dy, and of
/// its acceleration with respect to y and ẏ, data.dacom_dy and data.dacom_dyd, and J_com as com_jacobian().
GRBDA_EXPORT Result com_derivatives(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                    ConstVectorRef ydd);

}  // namespace grbda
