#pragma once

#include "grbda/export.hpp"
#include "grbda/dynamics/rnea.hpp"
#include "model/arguments.hpp"

// The functions of grbda/dynamics/rnea.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result rnea(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd);
template <class S>
GRBDA_EXPORT Result rnea(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                         ConstVector<S> ydd, Wrenches<S> wrenches);

template <class S>
GRBDA_EXPORT Result bias_force(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd);
template <class S>
GRBDA_EXPORT Result bias_force(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                               Wrenches<S> wrenches);

}  // namespace grbda
