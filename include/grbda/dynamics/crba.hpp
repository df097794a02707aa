#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/triangle.hpp"

namespace grbda {

/// Mass matrix in independent coordinates by composite rigid bodies on the cluster tree.
///   M = Gᵀ H G
/// in      q [nq] spanning configuration that closes the loops
/// out     M [nv × nv] symmetric; the caller's, column-major. Both triangles; or the lower one alone, as LLT
///         and LDLT of Eigen read it, or the upper one: with the diagonal, and the entries of the other
///         triangle stay as they are, also on failure
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite: NaN is then in M
/// cost    O(bodies · depth); no allocation but at the first call with a long loop; safe from several
///         threads with one Data each
/// source  Featherstone 2008, Table 6.2; URDF+ paper, Sec. IV
template <class S>
GRBDA_EXPORT Result crba(const Model& model, Data<S>& data, ConstVector<S> q, MatrixOut<S> M,
                         Triangle triangle = Triangle::both);

}  // namespace grbda
