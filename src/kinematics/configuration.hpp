#pragma once

#include <random>

#include "grbda/export.hpp"
#include "grbda/kinematics/configuration.hpp"
#include "model/arguments.hpp"

// The functions of grbda/kinematics/configuration.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result integrate(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> delta,
                              VectorOut<S> out);

template <class S>
GRBDA_EXPORT Result difference(const Model& model, Workspace<S>& data, ConstVector<S> q0, ConstVector<S> q1,
                               VectorOut<S> delta);

}  // namespace grbda
