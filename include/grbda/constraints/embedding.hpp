#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Computes the constraint matrices of the robot at (q, ẏ): q̇ = G ẏ, q̈ = G ÿ + g, K q̇ = 0, K q̈ = k.
/// in      q [nq] closing the loops; yd [nv]
/// out     data.G, g, K, k
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite
/// cost    O(bodies) and the sizes of the matrices; allocates
/// source  Jain 2012; Chignoli et al. 2023, Sec. III
GRBDA_EXPORT Result constraint_embedding(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd);

/// Computes the velocities of all joints q̇ = G ẏ, in data.qd [nv_tree].
GRBDA_EXPORT Result spanning_velocity(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd);

/// Computes the velocities and accelerations of all joints: q̇ = G ẏ in data.qd and q̈ = G ÿ + g in data.qdd
/// [nv_tree].
GRBDA_EXPORT Result spanning_acceleration(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                          ConstVectorRef ydd);

/// Returns the independent entries [nv] of the velocities or accelerations x [nv_tree] of all joints, in the
/// coordinates that the model chose.
GRBDA_EXPORT Eigen::VectorXd independent_part(const Model& model, ConstVectorRef x);

}  // namespace grbda
