#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Inverse dynamics by the recursive Newton–Euler algorithm on the cluster tree.
///   τ = Gᵀ (H (G ÿ + g) + C − J_extᵀ f)
/// in      q [nq] spanning configuration that closes the loops; yd, ydd [nv] independent velocities and
///         accelerations: rad/s, m/s; of a floating joint the twist in the body frame, linear first
/// out     data.tau [nv] N or N·m
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite
/// cost    O(bodies); no allocation; safe from several threads with one Data each
/// source  Featherstone 2008, Table 5.1; URDF+ paper, Sec. IV
template <class S>
GRBDA_EXPORT Result rnea(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd);
template <class S>
GRBDA_EXPORT Result rnea(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd, Wrenches<S> wrenches);

/// Force that holds ÿ = 0: Coriolis, centrifugal, loop bias, gravity, minus external wrenches; in data.tau.
/// Otherwise as rnea.
template <class S>
GRBDA_EXPORT Result bias_force(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd);
template <class S>
GRBDA_EXPORT Result bias_force(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                               Wrenches<S> wrenches);

}  // namespace grbda
