#pragma once

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Closes loops and couplings: y → q. Independent coordinates in q are kept, dependent ones are the start
/// guess and are solved for: couplings exactly, loops along Newton's flow from the guess, ż = −K_d⁻¹ φ, so
/// that the assembly mode is that of the guess. A cluster without a guess, its dependents as in the neutral
/// configuration, is led from there along the independents, and Result::from_neutral says so.
/// in/out  q [nq], rad, m and quaternions (x, y, z, w)
/// out     Result::residual relative to the size of the worst cluster, Result::iterations
/// errors  std::invalid_argument on a wrong size. With the cluster: Status::fold if the assembly mode ends
///         before they close, singular_constraint if no path leads from the start, not_converged if the loops
///         stay open; q is then open. not_finite, with q as it was
/// cost    O(bodies) for each iteration, at any angle; no allocation
template <class S>
GRBDA_EXPORT Result close_loops(const Model& model, Data<S>& data, VectorOut<S> q);

/// The closure error of q [nq], relative to the size of the worst cluster; ok at or below 1e-10 (float:
/// 1.2e-4), or, where a dependent joint has turned so far that its position has fewer digits, 64 ε times
/// that, to 1e-8 at most; else Status::not_converged with that cluster.
template <class S>
GRBDA_EXPORT Result closure_residual(const Model& model, Data<S>& data, ConstVector<S> q);

}  // namespace grbda
