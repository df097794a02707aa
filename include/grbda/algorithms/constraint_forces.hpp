#pragma once

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

// Constraint forces: the wrenches through loops and tree joints, and the multipliers of couplings.

namespace grbda {

/// Results of constraint_forces(), sized once from the model. Wrenches are [force; moment], N and N·m, on the
/// successor of a loop and on the child of a tree joint; the predecessor and the parent feel their negative.
template <class S>
struct GRBDA_EXPORT ConstraintForces {
    /// Throws std::invalid_argument if the model was moved from.
    explicit ConstraintForces(const Model& model);

    Matrix6X<S> loops;        ///< per loop, as in Model::loops: at the origin of Q, in the axes of P
    Matrix6X<S> loops_world;  ///< the same in the axes of the world
    /// Per body: all that goes through the bearing of its joint, at the body's origin in its own axes; along
    /// the joint's freedoms that are the forces of motor, springs and couplings, less what armature takes.
    Matrix6X<S> joints;
    Matrix6X<S> joints_world;  ///< the same in the axes of the world
    /// Per rod: forces that move it, at A and at B, in the axes of the world. For a rod,
    /// `loops` contains only the part along its line, which its length carries.
    Matrix6X<S> rods;
    VectorX<S> multipliers;  ///< λ per row of K; of a coupling that of Coupling::row: its terms get cᵢ λ
    VectorX<S> tree;         ///< [nv_tree] forces that joints need, loops and couplings cut: τ_s + Kᵀλ
    VectorX<S> tau;          ///< [nv] Gᵀ of these: what rnea() gives
    double least = 0;        ///< the robot's weight times its length: a balance is not measured by less
    std::size_t layout = 0;  ///< of the model that it was made for
};

/// Computes the forces that loops, couplings and bearings carry at a motion.
///   τ_tree = τ_s + Kᵀλ at q̇ = G ẏ, q̈ = G ÿ + g;   wrench of a loop = Σ Ψ λ of its rows
/// τ_s are the forces that the joints bring themselves: τ of rnea() on the independent ones, or those given.
/// If rows are redundant, Cluster::rows > dependents(), λ is the shortest one in the scales that rows are
/// solved in; rows that a model has dropped carry nothing. static_determinacy() tells what is unique.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(); joint_forces [nv_tree] τ_s in the
///         order of q̇: Gᵀτ_s must be τ to 1e-6 of the largest force of a joint, or of the
///         robot's weight times its length: of stretched chains, radius of gyration, or length of slides
/// out     forces; in data nothing to be read
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster; not_finite;
///         unbalanced where Gᵀτ_s misses τ, with Result::residual by how much. forces are NaN then
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

/// Components of constraint_forces() that are uniquely determined. The others depend on elasticity.
struct Determinacy {
    Eigen::Array<bool, 6, Eigen::Dynamic> loops, joints;  ///< by component, as in ConstraintForces
    Table<char> multipliers;                              ///< per row of K
    Table<int> redundancy;  ///< per cluster: rows of its loops and couplings as written, less their rank
};

/// Components of wrenches that are unique at q. Rows that a model has dropped count: a planar linkage, of
/// whose loops no row across the plane is left, is determinate in its plane alone. Rows of rounded figures
/// count as the repetitions that they were meant to be.
/// in      q [nq] closing the loops
/// out     determinacy, resized to the model; where the status is not ok nothing is unique
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster; not_finite
/// cost    a dense factorization of the rows of each cluster; allocates
template <class S>
GRBDA_EXPORT Result static_determinacy(const Model& model, Data<S>& data, ConstVector<S> q,
                                       Determinacy& determinacy);

}  // namespace grbda
