#pragma once

#include <random>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Returns the assembled configuration q [nq] that loading found. It closes all loops.
GRBDA_EXPORT Eigen::VectorXd neutral_configuration(const Model& model);

/// Returns a random configuration that closes all loops. Targets are random within joint limits (±π without
/// limits), and within 1 m for floating joints. The robot moves there from the neutral configuration, and
/// stops on the path if the loops cannot be closed further.
GRBDA_EXPORT Eigen::VectorXd random_configuration(const Model& model, std::mt19937_64& generator);

/// Moves q by δy. Independent joints move exactly by δy (floating joints along SE(3)). Dependent joints
/// follow the closed configurations, as many small steps would, and stay in the assembly mode.
/// in      q [nq] closing the loops; delta [nv], rad and m
/// out     out [nq], which may be q
/// errors  std::invalid_argument on a wrong size. With the cluster: Status::fold if the assembly mode ends
///         on the path, with out at that end; singular_constraint if q is singular; not_converged if its
///         joints turn more than 100 times in total. not_finite, with out unchanged
/// cost    O(bodies) for each substep; most steps need one; no allocation
GRBDA_EXPORT Result integrate(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef delta,
                              VectorRef out);

/// Computes δy with q1 = integrate(q0, δy), for q0 and q1 in one assembly mode.
/// in      q0, q1 [nq] closing the loops
/// out     delta [nv], rad and m; NaN on error
/// errors  std::invalid_argument on a wrong size; Status::not_finite. For joints that are partly independent
///         in a loop also those of integrate(), and not_converged
/// cost    O(bodies); no allocation
GRBDA_EXPORT Result difference(const Model& model, Data& data, ConstVectorRef q0, ConstVectorRef q1,
                               VectorRef delta);

/// Computes the displacement of each joint of the spanning tree from q0 to q1. Both may leave loops open.
/// in      q0, q1 [nq]
/// out     displacement [nv_tree], rad and m; rotations of quaternions as vectors in the axes at q0
/// errors  std::invalid_argument on a wrong size
/// cost    O(bodies); no allocation
GRBDA_EXPORT void spanning_difference(const Model& model, ConstVectorRef q0, ConstVectorRef q1,
                                      VectorRef displacement);

/// Moves every joint of the spanning tree by a displacement, the inverse of
/// spanning_difference(). The result may leave loops open.
/// in      q [nq], displacement [nv_tree]
/// out     out [nq], which may be q
/// errors  std::invalid_argument on a wrong size
/// cost    O(bodies); no allocation
GRBDA_EXPORT void spanning_integrate(const Model& model, ConstVectorRef q, ConstVectorRef displacement,
                                     VectorRef out);

}  // namespace grbda
