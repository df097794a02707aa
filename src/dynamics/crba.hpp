#pragma once

#include "grbda/export.hpp"
#include "grbda/dynamics/crba.hpp"
#include "grbda/triangle.hpp"
#include "model/arguments.hpp"

// The functions of grbda/dynamics/crba.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result crba(const Model& model, Workspace<S>& data, ConstVector<S> q, MatrixOut<S> M,
                         Triangle triangle = Triangle::both);

}  // namespace grbda
