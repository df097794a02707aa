#pragma once

#include "grbda/algorithms/arguments.hpp"

namespace grbda {

/// Closes loops and couplings: y → q. Independent coordinates in q are kept, dependent ones are the start
/// guess and are solved for: couplings exactly, loops by Newton with step limiting. The assembly mode nearest
/// the guess is kept; if Newton fails from there, the independents are led from the neutral configuration.
/// in/out  q [nq]
/// out     Result::residual relative to the size of the worst cluster, Result::iterations
/// errors  std::invalid_argument on a wrong size; Status::not_converged with the cluster: q is then open
/// cost    O(bodies) for each iteration; no allocation
template <class S>
Result close_loops(const Model& model, Data<S>& data, VectorOut<S> q);

/// How far q [nq] is from closing, relative to the size of the worst cluster; ok at or below 1e-10
/// (float: 1.2e-4), else Status::not_converged with that cluster.
template <class S>
Result closure_residual(const Model& model, Data<S>& data, ConstVector<S> q);

}  // namespace grbda
