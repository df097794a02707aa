#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/constraints/closure.hpp"
#include "grbda/joint_types.hpp"
#include "model/arguments.hpp"

// The functions of grbda/constraints/closure.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result close_loops(const Model& model, Workspace<S>& data, VectorOut<S> q);

template <class S>
GRBDA_EXPORT Result closure_residual(const Model& model, Workspace<S>& data, ConstVector<S> q);

template <class S>
GRBDA_EXPORT Result loop_residuals(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                   std::span<LoopGap> loops, std::span<LoopGap> couplings);

template <class S>
GRBDA_EXPORT Result pass_change_points(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                       ConstVector<S> delta, VectorOut<S> out);

}  // namespace grbda
