#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Computes the passive forces of springs, dampers, dry friction, tendons and gravity compensation
/// (Model::passive) on the independent coordinates. Add them to the τ of aba(), subtract them from that of
/// rnea(): neither includes them.
///   τ = Gᵀ τ_s + Σ Jᵀ f,   τ_s = −k (q − rest) − d q̇ − f sign(q̇) + forces of tendons,   sign(0) = 0
/// Dependent joints and reduced rotors are included. f compensates the weight of bodies in Model::gravity. A
/// joint at rest has no dry friction: its static friction depends on the other forces.
/// in      q [nq] closing the loops; qd [nv_tree] the velocities of all joints, as spanning_velocity() gives
/// out     data.tau [nv] N or N·m, and τ_s of all joints, without f, in data.tau_tree [nv_tree]
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster;
///         Status::not_finite
/// cost    O(bodies); no allocation; safe from several threads with one Data each
GRBDA_EXPORT Result joint_forces(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef qd);

}  // namespace grbda
