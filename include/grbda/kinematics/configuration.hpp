#pragma once

#include <random>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// The assembled configuration q [nq] that loading found: it closes all loops.
GRBDA_EXPORT VectorX<double> neutral_configuration(const Model& model);

/// A random configuration that closes all loops: joints within their limits (±π without), floating joints
/// within 1 m. It is reached from neutral, and stops early where the loops cannot be closed further.
GRBDA_EXPORT VectorX<double> random_configuration(const Model& model, std::mt19937_64& generator);

/// Moves q by δy: independents exactly (floating joints along SE(3)), dependents to where many small steps
/// along δy would lead, hence in the same assembly mode.
/// in      q [nq] closing the loops; delta [nv], rad and m
/// out     out [nq], which may be q
/// errors  std::invalid_argument on a wrong size. With the cluster: Status::fold if the assembly mode ends
///         before, with out at that end; singular_constraint if q is singular; not_converged beyond 100 turns
///         of its joints together. not_finite, with out unchanged
/// cost    O(bodies) for each substep; most steps need one; no allocation
template <class S>
GRBDA_EXPORT Result integrate(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> delta,
                              VectorOut<S> out);

/// Computes δy with q1 = integrate(q0, δy), for q0 and q1 in one assembly mode.
/// in      q0, q1 [nq] closing the loops
/// out     delta [nv], rad and m
/// errors  std::invalid_argument on a wrong size; Status::not_finite
/// cost    O(bodies); no allocation
template <class S>
GRBDA_EXPORT Result difference(const Model& model, Data<S>& data, ConstVector<S> q0, ConstVector<S> q1,
                               VectorOut<S> delta);

/// Computes the displacement of every joint of the spanning tree from q0 to q1, which may leave loops open.
/// in      q0, q1 [nq]
/// out     displacement [nv_tree], rad and m; rotations of quaternions as vectors in the axes at q0
/// errors  std::invalid_argument on a wrong size
/// cost    O(bodies); no allocation
GRBDA_EXPORT void spanning_difference(const Model& model, ConstVector<double> q0, ConstVector<double> q1,
                                      VectorOut<double> displacement);

/// Moves every joint of the spanning tree by a displacement, as spanning_difference() gives it. Loops open.
/// in      q [nq], displacement [nv_tree]
/// out     out [nq], which may be q
/// errors  std::invalid_argument on a wrong size
/// cost    O(bodies); no allocation
GRBDA_EXPORT void spanning_integrate(const Model& model, ConstVector<double> q,
                                     ConstVector<double> displacement, VectorOut<double> out);

}  // namespace grbda
