#pragma once

#include "grbda/algorithms/search.hpp"
#include "grbda/export.hpp"

// Nearest to what is given and consistent with the loops, in a metric W of spanning velocities: [nv_tree ×
// nv_tree], symmetric, or its diagonal [nv_tree × 1]. It need not be positive definite where GᵀWG is: the
// mass matrix of a tree with massless links serves. While close_loops() and independent_part() trust the
// independent joints alone, here each joint counts as W weighs it.

namespace grbda {

/// The closed q nearest to the one given: a stationary point of the distance,
///   ½ dᵀ W d,  d = q ⊖ q0   (Search::moved)
/// among closed configurations. First all joints move onto the loops, by Newton's method with the least
/// motion in the diagonal of W; then along them, by Gauss–Newton, until W d is perpendicular to every column
/// of G. If the loops become singular before that, as where assembly modes cross, it goes straight on.
/// in/out  q [nq], quaternions of any length but zero; as it was where the outcome is `open` or `invalid`
/// in      W; options: limits and joints to hold, if any
/// out     work.moved
/// errors  std::invalid_argument on a wrong size; SearchResult::outcome
/// cost    as inverse_kinematics(), O(nv_tree² nv) with a full W; no allocation
template <class S>
GRBDA_EXPORT SearchResult project_configuration(const Model& model, Data<S>& data, Search<S>& work,
                                                ConstMatrix<S> W, VectorOut<S> q,
                                                const SearchOptions& options = {
                                                    .limits = false, .held = {}, .held_at = {}});

/// The q̇ with K q̇ = 0 nearest to the one given: G (GᵀWG)⁻¹ GᵀW q̇.
/// in      q [nq] closing the loops; W
/// in/out  qd [nv_tree]
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster;
///         singular_inertia if GᵀWG is not positive definite; not_finite
/// cost    O(nv_tree nv²), with a full W O(nv_tree² nv); no allocation
template <class S>
GRBDA_EXPORT Result project_velocity(const Model& model, Data<S>& data, Search<S>& work, ConstMatrix<S> W,
                                     ConstVector<S> q, VectorOut<S> qd);

/// The q̈ with K q̈ = k nearest to the one given: g + G (GᵀWG)⁻¹ GᵀW (q̈ − g). As project_velocity().
/// in      qd [nv_tree] with K q̇ = 0
template <class S>
GRBDA_EXPORT Result project_acceleration(const Model& model, Data<S>& data, Search<S>& work, ConstMatrix<S> W,
                                         ConstVector<S> q, ConstVector<S> qd, VectorOut<S> qdd);

}  // namespace grbda
