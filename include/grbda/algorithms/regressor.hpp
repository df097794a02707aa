#pragma once

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

// Forces and energies are linear in the inertial parameters of bodies and in friction and armature of joints:
// a regressor is the matrix that these are multiplied by. The parameters of a body, ten, are
//   m,  m c_x, m c_y, m c_z,  J_xx, J_xy, J_yy, J_xz, J_yz, J_zz
// kg, kg m, kg m²: c its centre of mass, J its moments of inertia about its origin, not about c, in the
// body's own frame, as wrenches are; so has Pinocchio. Bodies are those of Model::bodies, in their order:
// links that fixed joints hold together are one, rods stand behind them: their origin is end A and their
// first axis points to B; Y has the columns of m, m c_x and J_yy, the latter with J_zz, and zeros; rotors are
// bodies of their own, whether reduced or not. The coordinates that are no joint's have ten columns of zeros.

namespace grbda {

inline constexpr int parameters_per_body = 10;

/// π [10 (bodies + rods)] of the model, as described.
/// errors  std::invalid_argument if the model was moved from
GRBDA_EXPORT VectorX<double> inertial_parameters(const Model& model);

/// Regressor of inverse dynamics without wrenches.
///   τ = Y π + Gᵀ τ_armature,   the latter from joint_regressor()
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     Y [nv × 10 (bodies + rods)], the caller's, column-major, rows of a larger matrix too
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite; Y is NaN then
/// cost    O(bodies · depth); no allocation; safe from several threads with one Data each
/// source  Atkeson, An & Hollerbach 1986
template <class S>
GRBDA_EXPORT Result torque_regressor(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                     ConstVector<S> ydd, MatrixOut<S> Y);

/// Regressors of the energies of mechanical_state():
///   kinetic = Y_T π + ½ Σ j q̇²,   potential = Y_V π,   j: armature
/// in      q [nq] closing the loops; yd [nv]
/// out     kinetic, potential [10 (bodies + rods)]: Y_Tᵀ and Y_Vᵀ
/// errors  as torque_regressor()
/// cost    O(bodies); no allocation
template <class S>
GRBDA_EXPORT Result energy_regressors(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                      VectorOut<S> kinetic, VectorOut<S> potential);

/// Resistance parameters of the joints, one for each velocity of q̇ in its order: first viscous
/// friction of all, N·s/m or N·m·s/rad, then dry friction, N or N·m, then armature, kg or kg m². [3 nv_tree]
/// of the model: PassiveForces::damping, PassiveForces::friction and JointDescription::armature.
/// errors  std::invalid_argument if the model was moved from
GRBDA_EXPORT VectorX<double> joint_parameters(const Model& model);

/// Regressor of these, of forces on the independent coordinates:
///   τ = Gᵀ (d q̇ + f sign(q̇) + j q̈),   sign(0) = 0
/// Motors have to supply these: joint_forces() has the opposite sign, rnea() the part of the armature alone.
/// The armature of one component of a spherical or floating joint is an inertia along or about one axis of
/// the child, its momentum carried along by these.
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     Y [nv × 3 nv_tree], the caller's, column-major, rows of a larger matrix too
/// errors  as torque_regressor()
/// cost    O(bodies), and for each cluster velocities times independent ones; no allocation
template <class S>
GRBDA_EXPORT Result joint_regressor(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                    ConstVector<S> ydd, MatrixOut<S> Y);

}  // namespace grbda
