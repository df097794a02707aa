#pragma once

#include <type_traits>

#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Argument types that every algorithm shares. An expression or a vector with
// another stride is copied by Eigen first; a plain vector or Map is not.

namespace grbda {

template <class S>
using ConstVector = std::type_identity_t<const Eigen::Ref<const VectorX<S>>&>;
template <class S>
using VectorOut = std::type_identity_t<Eigen::Ref<VectorX<S>>>;
template <class S>
using MatrixOut = std::type_identity_t<Eigen::Ref<MatrixX<S>>>;

/// External wrenches [6 × bodies] in the order of model.bodies: force and moment on each body, in the body's
/// own frame at its origin, N and N·m. [6 × 0] for none.
template <class S>
using Wrenches = std::type_identity_t<const Eigen::Ref<const Matrix6X<S>>&>;

/// Throws std::invalid_argument that names the argument with both sizes.
void require_size(const char* argument, long given, long expected);

/// Throws std::invalid_argument where the layouts of a workspace and a model differ.
void require_layout(const char* workspace, std::size_t given, std::size_t expected);

/// Throws std::invalid_argument if the workspace was made for another model.
template <class S>
void require_workspace(const Model& model, const Data<S>& data) {
    require_size("Data (made for another model): bodies", static_cast<long>(data.R.size()),
                 model.body_count());
    require_size("Data (made for another model): ydd", data.ydd.size(), model.nv);
    require_layout("Data", data.layout, model.layout);
}

}  // namespace grbda
