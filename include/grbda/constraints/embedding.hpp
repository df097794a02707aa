#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Computes the constraint matrices of the robot at (q, ẏ): q̇ = G ẏ, q̈ = G ÿ + g, K q̇ = 0, K q̈ = k.
/// in      q [nq] closing the loops; yd [nv]
/// out     data, for the functions below
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite
/// source  Jain 2012; Chignoli et al. 2023, Sec. III
template <class S>
GRBDA_EXPORT Result constraint_embedding(const Model& model, Data<S>& data, ConstVector<S> q,
                                         ConstVector<S> yd);

// The functions below read the results of constraint_embedding() and return them in the order of q̇ and y.
// They throw std::invalid_argument if it was not the last algorithm on data, or if its status was not ok.

template <class S>
GRBDA_EXPORT MatrixX<S> explicit_jacobian(const Model& model, const Data<S>& data);  ///< G [nv_tree × nv]
template <class S>
GRBDA_EXPORT VectorX<S> explicit_bias(const Model& model, const Data<S>& data);  ///< g [nv_tree]
template <class S>
GRBDA_EXPORT MatrixX<S> implicit_jacobian(const Model& model, const Data<S>& data);  ///< K [rows × nv_tree]
template <class S>
GRBDA_EXPORT VectorX<S> implicit_bias(const Model& model, const Data<S>& data);  ///< k [rows]

/// Computes the velocities of all joints q̇ = G ẏ, in data.qd [nv_tree].
template <class S>
GRBDA_EXPORT Result spanning_velocity(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd);

/// Computes the velocities and accelerations of all joints: q̇ = G ẏ in data.qd and q̈ = G ÿ + g in data.qdd
/// [nv_tree].
template <class S>
GRBDA_EXPORT Result spanning_acceleration(const Model& model, Data<S>& data, ConstVector<S> q,
                                          ConstVector<S> yd, ConstVector<S> ydd);

/// Returns the independent entries [nv] of the velocities or accelerations x [nv_tree] of all joints, in the
/// coordinates that the model chose.
template <class S>
GRBDA_EXPORT VectorX<S> independent_part(const Model& model, ConstVector<S> x);

}  // namespace grbda
