#pragma once

#include "grbda/export.hpp"
#include "grbda/constraints/embedding.hpp"
#include "model/arguments.hpp"

// The functions of grbda/constraints/embedding.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result constraint_embedding(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                         ConstVector<S> yd);

// The functions below read the results of constraint_embedding() and return them in the order of q̇ and y.
// They throw std::invalid_argument if it was not the last algorithm on data, or if its status was not ok.

template <class S>
GRBDA_EXPORT MatrixX<S> explicit_jacobian(const Model& model,
                                          const Workspace<S>& data);  ///< G [nv_tree × nv]
template <class S>
GRBDA_EXPORT VectorX<S> explicit_bias(const Model& model, const Workspace<S>& data);  ///< g [nv_tree]
template <class S>
GRBDA_EXPORT MatrixX<S> implicit_jacobian(const Model& model,
                                          const Workspace<S>& data);  ///< K [rows × nv_tree]
template <class S>
GRBDA_EXPORT VectorX<S> implicit_bias(const Model& model, const Workspace<S>& data);  ///< k [rows]

template <class S>
GRBDA_EXPORT Result spanning_velocity(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                      ConstVector<S> yd);

template <class S>
GRBDA_EXPORT Result spanning_acceleration(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                          ConstVector<S> yd, ConstVector<S> ydd);

}  // namespace grbda
