#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/constraints/coordinates.hpp"
#include "model/arguments.hpp"

// The functions of grbda/constraints/coordinates.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result choose_coordinates(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                       Marks marks = Marks::kept);

template <class S>
GRBDA_EXPORT Result prefer_coordinates(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                       std::span<const int> wanted);

template <class S>
GRBDA_EXPORT Result take_tangents(const Model& model, Workspace<S>& data, ConstVector<S> q);

template <class S>
GRBDA_EXPORT void restore_coordinates(const Model& model, Workspace<S>& data);

template <class S>
GRBDA_EXPORT void independent_part(const Model& model, const Workspace<S>& data, ConstVector<S> x,
                                   VectorOut<S> y);

template <class S>
GRBDA_EXPORT Result independent_force(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                      ConstVector<S> tau_s, VectorOut<S> tau);

template <class S>
GRBDA_EXPORT void spanning_force(const Model& model, const Workspace<S>& data, ConstVector<S> tau,
                                 VectorOut<S> tau_s);

template <class S>
GRBDA_EXPORT Result coordinate_change(const Model& model, const Workspace<S>& from, Workspace<S>& to,
                                      ConstVector<S> q, MatrixOut<S> T);

}  // namespace grbda
