#pragma once

#include <random>

#include "grbda/algorithms/arguments.hpp"

namespace grbda {

/// The assembled configuration q [nq] that loading found: it closes all loops.
VectorX<double> neutral_configuration(const Model& model);

/// A random configuration that closes all loops: joints within their limits (±π without), floating joints
/// within 1 m, led from neutral as far as the loops can be closed.
VectorX<double> random_configuration(const Model& model, std::mt19937_64& generator);

/// out = q moved by δy: independents exactly (floating joints along SE(3)), then the loops closed from
/// q ⊕ G δy. out may be q. errors as close_loops; no allocation
template <class S>
Result integrate(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> delta, VectorOut<S> out);

/// δy [nv] with q1 = integrate(q0, δy), for q0, q1 in one assembly mode; no allocation.
template <class S>
Result difference(const Model& model, Data<S>& data, ConstVector<S> q0, ConstVector<S> q1,
                  VectorOut<S> delta);

}  // namespace grbda
