#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/joint_types.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Closes loops and couplings: computes q from y. Keeps the independent coordinates in q and solves for the
/// dependent ones, whose values in q are the initial guess. Couplings are solved exactly, loops along
/// Newton's flow ż = −K_d⁻¹ φ, which keeps the assembly mode of the guess. A cluster whose dependents have
/// their neutral values has no guess: it is continued from neutral along the independents, with
/// Result::from_neutral set.
/// in/out  q [nq], rad, m and quaternions (x, y, z, w)
/// out     Result::residual relative to the size of the worst cluster, Result::iterations
/// errors  std::invalid_argument on a wrong size. With the cluster: Status::fold if the assembly mode ends
///         before the loops close, singular_constraint if the start is singular, not_converged if the loops
///         stay open; q is then not closed. not_finite, with q unchanged
/// cost    O(bodies) for each iteration, at any angle; no allocation
GRBDA_EXPORT Result close_loops(const Model& model, Data& data, VectorRef q);

/// Checks whether q [nq] closes the loops. Result::residual is the largest gap of a loop or coupling,
/// relative to the size of its cluster. The status is ok if this is at most 1e-10; if a
/// dependent joint has made many turns, at most 64 ε times its position or 1e-8, whichever is smaller.
/// Otherwise the status is Status::not_converged with the worst cluster.
GRBDA_EXPORT Result closure_residual(const Model& model, Data& data, ConstVectorRef q);

/// Computes the gap of each loop and coupling at q, in metres and radians. The gap of a coupling is the
/// error of its first joint. The name of a loop is model.names.loops[loop.source]; couplings likewise.
/// in      q [nq]
/// out     loops [model.loops], couplings [model.couplings]
/// errors  std::invalid_argument on a wrong size; Status::not_finite. Gaps are NaN then
/// cost    O(bodies); no allocation
GRBDA_EXPORT Result loop_residuals(const Model& model, Data& data, ConstVectorRef q, std::span<LoopGap> loops,
                                   std::span<LoopGap> couplings);

/// As integrate(), but continues through change points: configurations where assembly modes cross, such as a
/// flat parallelogram. At a crossing the motion continues in the mode in which all joints keep their
/// velocities. If the modes are tangent to each other there, the motion stops.
/// in      q [nq] closing the loops and not a change point; delta [nv], rad and m
/// out     out [nq], which may be q
/// errors  as integrate(); also Status::fold if the mode ends, or if the step ends so close to a change point
///         that the mode is ambiguous. A step of another length passes it
/// cost    that of integrate(); from a change point on about 20 times as much, and it allocates
GRBDA_EXPORT Result pass_change_points(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef delta,
                                       VectorRef out);

}  // namespace grbda
