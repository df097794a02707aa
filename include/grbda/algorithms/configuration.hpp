#pragma once

#include <random>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// The assembled configuration q [nq] that loading found: it closes all loops.
GRBDA_EXPORT VectorX<double> neutral_configuration(const Model& model);

/// A random configuration that closes all loops: joints within their limits (±π without), floating joints
/// within 1 m, led from neutral as far as the loops can be closed.
GRBDA_EXPORT VectorX<double> random_configuration(const Model& model, std::mt19937_64& generator);

/// out = q moved by δy: independents exactly (floating joints along SE(3)), the others where many small steps
/// along δy would take them: in the same assembly mode.
/// in      q [nq] closing the loops; delta [nv], rad and m
/// out     out [nq], which may be q
/// errors  std::invalid_argument on a wrong size. With the cluster: Status::fold if the assembly mode ends
///         before the step does, out then as far as it goes; singular_constraint if q is singular;
///         not_converged beyond 100 turns of its joints together. not_finite, with out as it was
/// cost    O(bodies) for each part of a step that the loops can be followed in, mostly one; no allocation
template <class S>
GRBDA_EXPORT Result integrate(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> delta,
                              VectorOut<S> out);

/// δy with q1 = integrate(q0, δy), for q0, q1 in one assembly mode.
/// in      q0, q1 [nq] closing the loops
/// out     delta [nv], rad and m
/// errors  std::invalid_argument on a wrong size; Status::not_finite
/// cost    O(bodies); no allocation
template <class S>
GRBDA_EXPORT Result difference(const Model& model, Data<S>& data, ConstVector<S> q0, ConstVector<S> q1,
                               VectorOut<S> delta);

}  // namespace grbda
