#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Energy [J], centre of mass [m] and momentum of the moving bodies, including reduced rotors. Armature
/// contributes only to the kinetic energy.
template <class S>
struct MechanicalState {
    S kinetic{};    ///< ½ ẏᵀ M ẏ
    S potential{};  ///< −Σ m gᵀ c, zero at the world's origin
    S mass{};
    Eigen::Matrix<S, 3, 1> com = Eigen::Matrix<S, 3, 1>::Zero();              ///< in the world
    Eigen::Matrix<S, 3, 1> linear_momentum = Eigen::Matrix<S, 3, 1>::Zero();  ///< kg m/s, world axes
    Eigen::Matrix<S, 3, 1> angular_momentum =
        Eigen::Matrix<S, 3, 1>::Zero();  ///< kg m²/s about the centre of mass
};

/// Computes the energies, the centre of mass and the momentum.
/// in      q [nq] closing the loops; yd [nv]
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite
/// cost    O(bodies); no allocation
template <class S>
GRBDA_EXPORT Result mechanical_state(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                     MechanicalState<S>& out);

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

/// Computes the centroidal momentum matrix A and, given ẏ, its time derivative: ḣ = A ÿ + A_rate ẏ.
template <class S>
GRBDA_EXPORT Result momentum_matrix(const Model& model, Data<S>& data, ConstVector<S> q, MatrixOut<S> A);
template <class S>
GRBDA_EXPORT Result momentum_matrix(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                    MatrixOut<S> A, MatrixOut<S> A_rate);

/// Computes the derivatives of h with respect to y, and of ḣ with respect to y and ẏ; A is ∂h/∂ẏ and ∂ḣ/∂ÿ.
template <class S>
GRBDA_EXPORT Result momentum_derivatives(const Model& model, Data<S>& data, ConstVector<S> q,
                                         ConstVector<S> yd, ConstVector<S> ydd, MatrixOut<S> dh_dy,
                                         MatrixOut<S> dhd_dy, MatrixOut<S> dhd_dyd, MatrixOut<S> A);

/// Computes the Jacobian J of the centre of mass in world axes: its velocity is J ẏ. Zero if no moving body
/// has mass.
template <class S>
GRBDA_EXPORT Result com_jacobian(const Model& model, Data<S>& data, ConstVector<S> q, MatrixOut<S> J);

/// Computes the derivatives of the velocity of the centre of mass with respect to y, and of its acceleration
/// with respect to y and ẏ, and J as com_jacobian().
template <class S>
GRBDA_EXPORT Result com_derivatives(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                    ConstVector<S> ydd, MatrixOut<S> dv_dy, MatrixOut<S> da_dy,
                                    MatrixOut<S> da_dyd, MatrixOut<S> J);

}  // namespace grbda
