#pragma once

#include "grbda/export.hpp"
#include "search.hpp"

// Projections onto the loops: the closest consistent values in a metric W of spanning velocities, [nv_tree ×
// nv_tree], symmetric, or its diagonal [nv_tree × 1]. W may be semidefinite if GᵀWG is positive definite, for
// example the mass matrix of a tree with massless links. close_loops() and independent_part() use only the
// values of the independent joints; here W gives a weight to each joint.

namespace grbda {

/// Finds the closed q closest to the given one: a stationary point of the distance,
///   ½ dᵀ W d,  d = q ⊖ q0   (Search::moved)
/// among closed configurations. First, Newton's method closes the loops with the smallest displacement in
/// the norm of W's diagonal. Then Gauss–Newton moves along the closed configurations until Gᵀ W d = 0. It
/// passes through singular configurations in a straight line, for example from one assembly mode to another.
/// in/out  q [nq], quaternions of any length but zero; unchanged if the outcome is `open` or `invalid`
/// in      W; options: whether limits apply, and fixed joints
/// out     work.moved
/// errors  std::invalid_argument on a wrong size; SearchResult::outcome
/// cost    as inverse_kinematics(), O(nv_tree² nv) with a full W; no allocation
template <class S>
GRBDA_EXPORT SearchResult project_configuration(const Model& model, Data<S>& data, Search<S>& work,
                                                ConstMatrix<S> W, VectorOut<S> q,
                                                const SearchOptions& options = {
                                                    .limits = false, .held = {}, .held_at = {}});

/// Finds the q̇ with K q̇ = 0 closest to the given one: G (GᵀWG)⁻¹ GᵀW q̇.
/// in      q [nq] closing the loops; W
/// in/out  qd [nv_tree]
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster;
///         singular_inertia if GᵀWG is not positive definite; not_finite
/// cost    O(nv_tree nv²), with a full W O(nv_tree² nv); no allocation
template <class S>
GRBDA_EXPORT Result project_velocity(const Model& model, Data<S>& data, Search<S>& work, ConstMatrix<S> W,
                                     ConstVector<S> q, VectorOut<S> qd);

/// Finds the q̈ with K q̈ = k closest to the given one: g + G (GᵀWG)⁻¹ GᵀW (q̈ − g). As project_velocity().
/// in      qd [nv_tree] with K q̇ = 0
template <class S>
GRBDA_EXPORT Result project_acceleration(const Model& model, Data<S>& data, Search<S>& work, ConstMatrix<S> W,
                                         ConstVector<S> q, ConstVector<S> qd, VectorOut<S> qdd);

}  // namespace grbda
