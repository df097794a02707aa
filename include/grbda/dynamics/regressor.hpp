#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Forces and energies are linear in the inertial parameters of bodies and in friction and armature of joints.
// A regressor is the matrix of that linear map. The ten parameters of a body are
//   m,  m c_x, m c_y, m c_z,  J_xx, J_xy, J_yy, J_xz, J_yz, J_zz
// in kg, kg m, kg m². c is the centre of mass, and J the inertia about the body's origin (not about c) in
// body axes, as in Pinocchio. Bodies are in the order of Model::bodies; links fixed to each other are one
// body. Rods follow. Their origin is end A and their first axis points to B; only the columns of m, m c_x
// and J_yy, which includes J_zz, and with a universal joint that of J_xx, are not zero. Rotors are bodies,
// reduced or not. Combined coordinates have ten columns of zeros.

namespace grbda {

/// Number of inertial parameters of a body or rod.
inline constexpr int parameters_per_body = 10;

/// Returns π [10 (bodies + rods)] of the model, as described above.
/// errors  std::invalid_argument if the model was moved from
GRBDA_EXPORT Eigen::VectorXd inertial_parameters(const Model& model);

/// Returns the robot with other inertial parameters. Bodies whose parameters are those of the model keep
/// every bit. The form of the dynamics and the bounds below which inertias count as zero stay those of the
/// model.
/// in      parameters, as those of inertial_parameters()
/// errors  std::invalid_argument on a wrong size, and for numbers that are not finite, a negative mass or
///         moment of inertia, a body that gets its first or loses its last mass and inertia, a reduced rotor
///         that is not symmetric about its axis, a rod that is not symmetric or whose centre of mass is
///         beyond its ends, other numbers for the links of a strut, and masses or moments a thousand times
///         those of the model
GRBDA_EXPORT Model with_inertial_parameters(Model model, ConstVectorRef parameters);

/// Computes the regressor of inverse dynamics without wrenches.
///   τ = Y π + Gᵀ τ_armature,   the latter from joint_regressor()
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     data.Y [nv × 10 (bodies + rods)]
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite; the regressor is NaN then
/// cost    O(bodies · depth); no allocation after the first call; safe from several threads with one Data
///         each
/// source  Atkeson, An & Hollerbach 1986
GRBDA_EXPORT Result torque_regressor(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                     ConstVectorRef ydd);

/// Computes the regressors of the energies of mechanical_state():
///   kinetic = Y_T π + ½ Σ j q̇²,   potential = Y_V π,   j: armature
/// in      q [nq] closing the loops; yd [nv]
/// out     data.Y_kinetic, data.Y_potential [10 (bodies + rods)]: Y_Tᵀ and Y_Vᵀ
/// errors  as torque_regressor()
/// cost    O(bodies); no allocation
GRBDA_EXPORT Result energy_regressors(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd);

/// Returns the parameters of joint resistance [3 nv_tree] of the model, in the order of q̇: first viscous
/// friction of all, N·s/m or N·m·s/rad, then dry friction, N or N·m, then armature, kg or kg m²
/// (PassiveForces::damping, PassiveForces::friction and JointDescription::armature).
/// errors  std::invalid_argument if the model was moved from
GRBDA_EXPORT Eigen::VectorXd joint_parameters(const Model& model);

/// Computes the regressor of joint_parameters(), as generalized forces:
///   τ = Gᵀ (d q̇ + f sign(q̇) + j q̈),   sign(0) = 0
/// τ are the forces that motors supply. joint_forces() has the opposite sign; rnea() includes only armature.
/// The armature of one component of a spherical or floating joint is an inertia along or about one axis of
/// the child, and turns with the child.
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     data.Y_joints [nv × 3 nv_tree]
/// errors  as torque_regressor()
/// cost    O(bodies), and for each cluster velocities times independent ones; no allocation
GRBDA_EXPORT Result joint_regressor(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                    ConstVectorRef ydd);

}  // namespace grbda
