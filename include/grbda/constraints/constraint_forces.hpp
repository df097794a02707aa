#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

// Constraint forces: the wrenches through loops and tree joints, and the multipliers of couplings.

namespace grbda {

/// Results of constraint_forces(), sized once from the model. Wrenches are [force; moment], N and N·m, on the
/// successor of a loop and on the child of a tree joint; the negatives act on the other side.
template <class S>
struct GRBDA_EXPORT ConstraintForces {
    /// Throws std::invalid_argument if the model was moved from.
    explicit ConstraintForces(const Model& model);

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

/// Computes the forces in loops, couplings and bearings for a given motion.
///   τ_tree = τ_s + Kᵀλ at q̇ = G ẏ, q̈ = G ÿ + g;   wrench of a loop = Σ Ψ λ of its rows
/// τ_s are the joints' own forces, of motors and springs: those given, otherwise τ of rnea() on the
/// independent joints. If rows are redundant (Cluster::rows > dependents()), λ is the solution with the
/// least norm, with scaled rows. Rows that the model has dropped carry no load. static_determinacy() finds
/// unique components.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(); joint_forces [nv_tree]: τ_s in the
///         order of q̇. Gᵀτ_s must equal τ up to 1e-6 of the largest joint force, or of the robot's weight
///         times its length, see docs/conventions.md
/// out     forces; results in data become invalid
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster; not_finite;
///         unbalanced if Gᵀτ_s differs from τ, with the difference in Result::residual. forces are NaN then
/// cost    O(bodies); no allocation; safe from several threads with a Data and ConstraintForces each
/// source  Featherstone 2008, ch. 8, with the pseudo-inverse of the embedding in place of K H⁻¹ Kᵀ
template <class S>
GRBDA_EXPORT Result constraint_forces(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                      ConstVector<S> ydd, ConstraintForces<S>& forces);
template <class S>
GRBDA_EXPORT Result constraint_forces(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                      ConstVector<S> ydd, Wrenches<S> wrenches, ConstraintForces<S>& forces);
template <class S>
GRBDA_EXPORT Result constraint_forces(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                      ConstVector<S> ydd, Wrenches<S> wrenches, ConstVector<S> joint_forces,
                                      ConstraintForces<S>& forces);

/// Tells which components of the constraint forces are uniquely determined. The others depend on elasticity.
struct Determinacy {
    Eigen::Array<bool, 6, Eigen::Dynamic> loops, joints;  ///< by component, as in ConstraintForces
    Table<char> multipliers;                              ///< per row of K
    Table<int> redundancy;  ///< per cluster: rows of its loops and couplings in the files, minus their rank
};

/// Finds the components of wrenches that are unique at q. Rows that the model has dropped count, too: a
/// planar linkage, whose loops have no rows across the plane, is determinate only within its plane. Rows
/// that would be dependent without rounded numbers in the file count as dependent.
/// in      q [nq] closing the loops
/// out     determinacy, resized to the model; if the status is not ok, no component is marked unique
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster; not_finite
/// cost    a dense factorization of the rows of each cluster; allocates
template <class S>
GRBDA_EXPORT Result static_determinacy(const Model& model, Data<S>& data, ConstVector<S> q,
                                       Determinacy& determinacy);

}  // namespace grbda
