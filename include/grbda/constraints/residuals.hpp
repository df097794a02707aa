#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/loop_row.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// By how much each loop and each coupling is open at q, in metres and radians of its own: of loops
/// model.loops, whose names are names.loops[loop.source]; of couplings model.couplings alike, by how much the
/// first of its joints is off.
/// in      q [nq]
/// out     loops [model.loops], couplings [model.couplings]
/// errors  std::invalid_argument on a wrong size; Status::not_finite, with gaps of NaN
/// cost    O(bodies); no allocation
template <class S>
GRBDA_EXPORT Result loop_residuals(const Model& model, Data<S>& data, ConstVector<S> q,
                                   std::span<LoopGap> loops, std::span<LoopGap> couplings);

}  // namespace grbda
