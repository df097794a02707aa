#pragma once

#include "grbda/export.hpp"
#include "grbda/dynamics/aba.hpp"
#include "model/arguments.hpp"

// The functions of grbda/dynamics/aba.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result aba(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                        ConstVector<S> tau);
template <class S>
GRBDA_EXPORT Result aba(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                        ConstVector<S> tau, Wrenches<S> wrenches);

template <class S>
GRBDA_EXPORT Result free_motion(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                ConstVector<S> tau_s);
template <class S>
GRBDA_EXPORT Result free_motion(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                ConstVector<S> tau_s, ConstVector<S> damping, Wrenches<S> wrenches);

}  // namespace grbda
