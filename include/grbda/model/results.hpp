#pragma once

#include <cstddef>

#include <Eigen/Core>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/model/model.hpp"
#include "grbda/table.hpp"

// Results with several parts that Data contains.

namespace grbda {

/// Energy [J], centre of mass [m] and momentum of the moving bodies, including reduced rotors. Armature
/// contributes only to the kinetic energy.
struct MechanicalState {
    double kinetic = 0;    ///< ½ ẏᵀ M ẏ
    double potential = 0;  ///< −Σ m gᵀ c, zero at the world's origin
    double mass = 0;
    Eigen::Vector3d com = Eigen::Vector3d::Zero();               ///< in the world
    Eigen::Vector3d linear_momentum = Eigen::Vector3d::Zero();   ///< kg m/s, world axes
    Eigen::Vector3d angular_momentum = Eigen::Vector3d::Zero();  ///< kg m²/s about the centre of mass
};

/// Wrenches through loops and joints, and multipliers. Wrenches are [force; moment], N and N·m, on the
/// successor of a loop and on the child of a tree joint; the negatives act on the other side.
template <class S>
struct GRBDA_EXPORT ConstraintForcesOf {
    ConstraintForcesOf() = default;
    /// Allocates. Throws std::invalid_argument if the model was moved from.
    explicit ConstraintForcesOf(const Model& model);

    Matrix6X<S> loops;        ///< per loop of Model::loops: at the origin of Q, in the axes of P
    Matrix6X<S> loops_world;  ///< the same in the axes of the world
    /// Per body: the total wrench through its joint, at the body's origin in its own axes. Along the joint's
    /// freedoms it is the force of motor, springs and couplings, minus the force that accelerates armature.
    Matrix6X<S> joints;
    Matrix6X<S> joints_world;  ///< the same in the axes of the world
    /// Per rod: forces that accelerate it, at A and at B, in the axes of the world. `loops` contains the
    /// force along its line that keeps its length constant.
    Matrix6X<S> rods;
    /// Per rod: couple that a universal joint at A exerts on it, in the axes of the world; 0 with a ball.
    Eigen::Matrix<S, 3, Eigen::Dynamic> rod_couples;
    VectorX<S> multipliers;  ///< λ per row of K; a coupling, at Coupling::row, applies cᵢ λ to its joints
    VectorX<S> tree;         ///< [nv_tree] joint forces of the spanning tree: τ_s + Kᵀλ
    VectorX<S> tau;          ///< [nv] Gᵀ tree, the τ of rnea()
    double least = 0;        ///< smallest scale of a balance of forces: the robot's weight times its length
    std::size_t layout = 0;  ///< of the model that this belongs to
};
using ConstraintForces = ConstraintForcesOf<double>;

/// Derivatives of the results of constraint_forces() along [y ẏ ÿ]; those with respect to y are those of
/// rnea_derivatives().
struct ConstraintForceDerivatives {
    Eigen::MatrixXd loops;         ///< [6 loops × 3 nv] of the components in the (moving) axes of P
    Eigen::MatrixXd loops_world;   ///< the same in the axes of the world
    Eigen::MatrixXd joints;        ///< [6 bodies × 3 nv] of the components in the body's axes
    Eigen::MatrixXd joints_world;  ///< the same in the axes of the world
    Eigen::MatrixXd multipliers;   ///< [rows × 3 nv]
    Eigen::MatrixXd tree;          ///< [nv_tree × 3 nv]
};

/// Remaining distance to a target of a search.
struct Gap {
    double length = 0;  ///< m
    double angle = 0;   ///< rad
};

}  // namespace grbda
