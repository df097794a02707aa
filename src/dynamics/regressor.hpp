#pragma once

#include "grbda/export.hpp"
#include "grbda/dynamics/regressor.hpp"
#include "model/arguments.hpp"

// The functions of grbda/dynamics/regressor.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result torque_regressor(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                     ConstVector<S> yd, ConstVector<S> ydd, MatrixOut<S> Y);

template <class S>
GRBDA_EXPORT Result energy_regressors(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                      ConstVector<S> yd, VectorOut<S> kinetic, VectorOut<S> potential);

template <class S>
GRBDA_EXPORT Result joint_regressor(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                    ConstVector<S> yd, ConstVector<S> ydd, MatrixOut<S> Y);

}  // namespace grbda
