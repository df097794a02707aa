#pragma once

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// integrate(), and straight on through change points: configurations where assembly modes cross, such as a
/// parallelogram that lies flat. At a crossing the mode is taken along which all joints keep their
/// velocities; if modes touch there without an angle between them, no mode is taken.
/// in      q [nq] closing the loops, no change point itself; delta [nv], rad and m
/// out     out [nq], which may be q
/// errors  as integrate(): Status::fold also where the mode ends, and where the step ends so near to a change
///         point that the mode cannot be determined; a step of another length passes it
/// cost    that of integrate(); from a change point on about 20 times as much, and it allocates
template <class S>
GRBDA_EXPORT Result pass_change_points(const Model& model, Data<S>& data, ConstVector<S> q,
                                       ConstVector<S> delta, VectorOut<S> out);

}  // namespace grbda
