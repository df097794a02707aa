#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Constraint forces: the wrenches through loops and tree joints, and the multipliers of couplings.

namespace grbda {

/// Computes the forces in loops, couplings and bearings for a given motion.
///   τ_tree = τ_s + Kᵀλ at q̇ = G ẏ, q̈ = G ÿ + g;   wrench of a loop = Σ Ψ λ of its rows
/// τ_s are the joints' own forces, of motors and springs: those given, otherwise τ of rnea() on the
/// independent joints. If rows are redundant (Cluster::rows > dependents()), λ is the solution with the
/// least norm, with scaled rows. Rows that the model has dropped carry no load. static_determinacy() finds
/// unique components.
/// in      q [nq] closing the loops; yd, ydd [nv]; wrenches as in rnea(); joint_forces [nv_tree]: τ_s in the
///         order of q̇. Gᵀτ_s must equal τ up to 1e-6 of the largest joint force, or of the robot's weight
///         times its length, see docs/conventions.md
/// out     data.constraint_forces
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster; not_finite;
///         unbalanced if Gᵀτ_s differs from τ, with the difference in Result::residual.
///         data.constraint_forces is NaN then
/// cost    O(bodies); no allocation after the first call; safe from several threads with one Data each
/// source  Featherstone 2008, ch. 8, with the pseudo-inverse of the embedding in place of K H⁻¹ Kᵀ
GRBDA_EXPORT Result constraint_forces(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                      ConstVectorRef ydd);
GRBDA_EXPORT Result constraint_forces(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                      ConstVectorRef ydd, ConstWrenchesRef wrenches);
GRBDA_EXPORT Result constraint_forces(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                      ConstVectorRef ydd, ConstWrenchesRef wrenches,
                                      ConstVectorRef joint_forces);

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
GRBDA_EXPORT Result static_determinacy(const Model& model, Data& data, ConstVectorRef q,
                                       Determinacy& determinacy);

}  // namespace grbda
