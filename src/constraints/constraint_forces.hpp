#pragma once

#include "grbda/export.hpp"
#include "grbda/constraints/constraint_forces.hpp"
#include "model/arguments.hpp"

// The functions of grbda/constraints/constraint_forces.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result constraint_forces(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                      ConstVector<S> yd, ConstVector<S> ydd, ConstraintForcesOf<S>& forces);
template <class S>
GRBDA_EXPORT Result constraint_forces(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                      ConstVector<S> yd, ConstVector<S> ydd, Wrenches<S> wrenches,
                                      ConstraintForcesOf<S>& forces);
template <class S>
GRBDA_EXPORT Result constraint_forces(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                      ConstVector<S> yd, ConstVector<S> ydd, Wrenches<S> wrenches,
                                      ConstVector<S> joint_forces, ConstraintForcesOf<S>& forces);

template <class S>
GRBDA_EXPORT Result static_determinacy(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                       Determinacy& determinacy);

}  // namespace grbda
