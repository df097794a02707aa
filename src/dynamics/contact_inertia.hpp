#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/dynamics/contact_inertia.hpp"
#include "model/arguments.hpp"

// The functions of grbda/dynamics/contact_inertia.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result contact_inertia(const Model& model, Workspace<S>& data, std::span<const Contact> contacts,
                                    std::span<const int> joints, ContactSpace& space);

template <class S>
GRBDA_EXPORT void contact_velocities(const Model& model, const Workspace<S>& data, const ContactSpace& space,
                                     VectorOut<S> u);

template <class S>
GRBDA_EXPORT Result apply_impulses(const Model& model, Workspace<S>& data, ContactSpace& space,
                                   ConstVector<S> impulses, VectorOut<S> change);

}  // namespace grbda
