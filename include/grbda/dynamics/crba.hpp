#pragma once

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"
#include "grbda/triangle.hpp"

namespace grbda {

/// Computes the mass matrix in independent coordinates by the composite-rigid-body algorithm on the cluster
/// tree.
///   M = Gᵀ H G
/// in      q [nq] positions of all joints, closing the loops
/// out     data.M [nv × nv] symmetric. With Triangle::lower, which suffices for Eigen's LLT and LDLT, or
///         Triangle::upper, the entries of the other triangle stay unchanged, also on failure
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster,
///         singular_inertia for a robot without mass, or not_finite. data.M is NaN then
/// cost    O(bodies · depth); no allocation after the first call; safe from several
///         threads with one Data each
/// source  Featherstone 2008, Table 6.2; URDF+ paper, Sec. IV
GRBDA_EXPORT Result crba(const Model& model, Data& data, ConstVectorRef q,
                         Triangle triangle = Triangle::both);

}  // namespace grbda
