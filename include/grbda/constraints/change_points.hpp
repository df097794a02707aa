#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// As integrate(), but continues through change points: configurations where assembly modes cross, such as a
/// flat parallelogram. At a crossing the motion continues in the mode in which all joints keep their
/// velocities. If the modes are tangent to each other there, the motion stops.
/// in      q [nq] closing the loops and not a change point; delta [nv], rad and m
/// out     out [nq], which may be q
/// errors  as integrate(); also Status::fold if the mode ends, or if the step ends so close to a change point
///         that the mode is ambiguous. A step of another length passes it
/// cost    that of integrate(); from a change point on about 20 times as much, and it allocates
template <class S>
GRBDA_EXPORT Result pass_change_points(const Model& model, Data<S>& data, ConstVector<S> q,
                                       ConstVector<S> delta, VectorOut<S> out);

}  // namespace grbda
