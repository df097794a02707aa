#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/loop_row.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Computes the gap of each loop and coupling at q, in metres and radians. The gap of a coupling is the
/// error of its first joint. The name of a loop is model.names.loops[loop.source]; couplings likewise.
/// in      q [nq]
/// out     loops [model.loops], couplings [model.couplings]
/// errors  std::invalid_argument on a wrong size; Status::not_finite. Gaps are NaN then
/// cost    O(bodies); no allocation
template <class S>
GRBDA_EXPORT Result loop_residuals(const Model& model, Data<S>& data, ConstVector<S> q,
                                   std::span<LoopGap> loops, std::span<LoopGap> couplings);

}  // namespace grbda
