#pragma once

#include "grbda/export.hpp"
#include "grbda/dynamics/factor.hpp"
#include "model/arguments.hpp"

// The functions of grbda/dynamics/factor.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result factor(const Model& model, Workspace<S>& data, ConstVector<S> q);

template <class S>
GRBDA_EXPORT Result factor(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd);
template <class S>
GRBDA_EXPORT Result factor(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> yd,
                           Wrenches<S> wrenches);

template <class S>
GRBDA_EXPORT Result inverse_mass_times(const Model& model, Workspace<S>& data, ConstMatrix<S> f,
                                       MatrixOut<S> x);

template <class S>
GRBDA_EXPORT Result solve(const Model& model, Workspace<S>& data, ConstMatrix<S> tau, MatrixOut<S> ydd);

}  // namespace grbda
