#pragma once

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Effect of springs, dampers, dry friction, tendons and gravity compensation (Model::passive), as
/// forces on the independent coordinates: to be added to the τ of aba(), to be taken off that of rnea(),
/// neither of which knows them.
///   τ = Gᵀ τ_s + Σ Jᵀ f,   τ_s = −k (q − rest) − d q̇ − f sign(q̇) + what tendons pull,   sign(0) = 0
/// Joints that depend on others and reduced rotors count as any other. f carries weight against
/// Model::gravity. A joint that rests has no dry friction: what would hold it follows from the other forces.
/// in      q [nq] closing the loops; qd [nv_tree] the velocities of all joints, as spanning_velocity() gives
/// out     data.tau [nv] N or N·m, and τ_s of all joints, without f, in data.qdd [nv_tree]
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster;
///         Status::not_finite
/// cost    O(bodies); no allocation; safe from several threads with one Data each
template <class S>
GRBDA_EXPORT Result joint_forces(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> qd);

}  // namespace grbda
