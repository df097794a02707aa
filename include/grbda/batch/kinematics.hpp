#pragma once

#include "grbda/batch/batch_data.hpp"
#include "grbda/kinematics/kinematics.hpp"

// Configurations and frames of many states of one robot. Each thread calls the function of the same name
// for one state after the other, because states need different numbers of iterations. Results equal those
// of the single call bit by bit, for any N and number of threads. States are columns, as in batch_data.hpp.
// The first call allocates a workspace for each thread.

namespace grbda {

/// Moves each q by its delta, as integrate().
/// in      q [nq × N] closing the loops; delta [nv × N], rad and m
/// out     out [nq × N], which may be q; if a state is not ok, as after integrate(). statuses [N], or empty
/// errors  std::invalid_argument on a wrong size; statuses as integrate()
GRBDA_EXPORT BatchResult integrate(const Model& model, BatchData& batch, ConstStates q, ConstStates delta,
                                   MatrixOut<double> out, std::span<Status> statuses = {});

/// Computes the delta with q1 = integrate(q0, delta) for each pair, as difference().
/// in      q0, q1 [nq × N] closing the loops
/// out     delta [nv × N]
GRBDA_EXPORT BatchResult difference(const Model& model, BatchData& batch, ConstStates q0, ConstStates q1,
                                    MatrixOut<double> delta, std::span<Status> statuses = {});

/// Closes the loops of each q from its own guess, as close_loops().
/// in/out  q [nq × N]; if a state is not ok, as after close_loops()
GRBDA_EXPORT BatchResult close_loops(const Model& model, BatchData& batch, MatrixOut<double> q,
                                     std::span<Status> statuses = {});

/// Computes the pose of one frame in the world for each q, as frame_position() and frame_orientation().
/// in      q [nq × N] closing the loops; frame: an index of model.frames
/// out     positions [3 × N], m; orientations [9 × N], each a matrix [3 × 3], column by column. Both are
///         NaN for a state that is not ok
/// errors  std::invalid_argument on a wrong size or index; statuses as forward_kinematics()
/// cost    O(bodies · N)
GRBDA_EXPORT BatchResult frame_poses(const Model& model, BatchData& batch, ConstStates q, int frame,
                                     MatrixOut<double> positions, MatrixOut<double> orientations,
                                     std::span<Status> statuses = {});

/// Computes the twist of one frame for each state, as frame_velocity().
/// in      q [nq × N]; yd [nv × N]
/// out     twists [6 × N], linear first; NaN for a state that is not ok
GRBDA_EXPORT BatchResult frame_velocities(const Model& model, BatchData& batch, ConstStates q, ConstStates yd,
                                          int frame, ReferenceFrame axes, MatrixOut<double> twists,
                                          std::span<Status> statuses = {});

/// Computes the Jacobian of one frame for each q, as frame_jacobian().
/// out     jacobians [6 · nv × N], each a matrix [6 × nv], column by column; NaN for a state that is not ok
GRBDA_EXPORT BatchResult frame_jacobians(const Model& model, BatchData& batch, ConstStates q, int frame,
                                         ReferenceFrame axes, MatrixOut<double> jacobians,
                                         std::span<Status> statuses = {});

}  // namespace grbda
