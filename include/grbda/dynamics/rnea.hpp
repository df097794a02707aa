#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Computes inverse dynamics by the recursive Newton–Euler algorithm on the cluster tree.
///   τ = Gᵀ (H (G ÿ + g) + C − J_extᵀ f)
/// in      q [nq] positions of all joints, closing the loops; yd, ydd [nv] independent velocities and
///         accelerations: rad/s, m/s; for a floating joint the twist in the body frame, linear first
/// out     data.tau [nv] N or N·m
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster,
///         singular_inertia for a robot without mass, or not_finite
/// cost    O(bodies); no allocation; safe from several threads with one Data each
/// source  Featherstone 2008, Table 5.1; URDF+ paper, Sec. IV
GRBDA_EXPORT Result rnea(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                         ConstVectorRef ydd);
GRBDA_EXPORT Result rnea(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                         ConstVectorRef ydd, ConstWrenchesRef wrenches);

/// Computes the force at ÿ = 0 in data.tau: Coriolis, centrifugal and gravity terms, the bias of loops, minus
/// external wrenches. Otherwise as rnea().
GRBDA_EXPORT Result bias_force(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd);
GRBDA_EXPORT Result bias_force(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                               ConstWrenchesRef wrenches);

}  // namespace grbda
