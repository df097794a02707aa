#pragma once

#include "grbda/export.hpp"
#include "model/workspace.hpp"
#include "grbda/status.hpp"

// Crossing a singular configuration of a cluster, where paths through it meet and none can be followed: all
// joints go straight on by their velocities, and the loops are closed from there. The result counts only if
// the loops then require nearly the same positions and velocities: two modes that cross at an angle differ in
// velocities by more.

namespace grbda {

/// Closes the loops behind a singular configuration of the cluster.
/// in      straight [nq], reached in h seconds; yd [nv] of that motion; qd [nv_tree], its q̇ before
/// out     closed [nq]; data.qd there
/// errors  fold, with the cluster, if this does not count; those of close_loops() and spanning_velocity()
GRBDA_EXPORT Result close_behind(const Model& model, Workspace<double>& data, int cluster,
                                 const VectorX<double>& straight, const VectorX<double>& yd,
                                 const VectorX<double>& qd, double h, VectorX<double>& closed);

}  // namespace grbda
