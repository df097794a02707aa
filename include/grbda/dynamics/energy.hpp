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

}  // namespace grbda
