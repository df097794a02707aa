#pragma once

#include "grbda/export.hpp"
#include "grbda/dynamics/joint_forces.hpp"
#include "model/arguments.hpp"

// The functions of grbda/dynamics/joint_forces.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result joint_forces(const Model& model, Workspace<S>& data, ConstVector<S> q, ConstVector<S> qd);

}  // namespace grbda
