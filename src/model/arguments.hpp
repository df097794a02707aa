#pragma once

#include <type_traits>
#include <utility>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"
#include "grbda/status.hpp"
#include "model/workspace.hpp"

// Argument types that every algorithm shares. An expression or a vector with
// another stride is copied by Eigen first; a plain vector or Map is not.

namespace grbda {

template <class S>
using ConstVector = std::type_identity_t<const Eigen::Ref<const VectorX<S>>&>;
template <class S>
using ConstMatrix = std::type_identity_t<const Eigen::Ref<const MatrixX<S>>&>;
template <class S>
using VectorOut = std::type_identity_t<Eigen::Ref<VectorX<S>>>;
template <class S>
using MatrixOut = std::type_identity_t<Eigen::Ref<MatrixX<S>>>;

/// External wrenches [6 × bodies] in the order of model.bodies: force and moment on each body, in the body's
/// own frame at its origin, N and N·m. [6 × 0] for none. Rows of a larger matrix are copied, which allocates.
template <class S>
using Wrenches = std::type_identity_t<const Eigen::Ref<const Matrix6X<S>, 0, Eigen::OuterStride<6>>&>;

// Each looks here and throws out of line: a call pays for the comparison alone.

/// std::invalid_argument that says why this workspace does not fit this model.
[[noreturn]] GRBDA_EXPORT void refuse_workspace(const char* workspace, const Model& model,
                                                std::size_t bodies);

/// std::invalid_argument that says why these coordinates do not fit.
[[noreturn]] GRBDA_EXPORT void refuse_chart(const Chart& chart);

/// Wrenches on all bodies as numbers; null: none.
template <class S>
const S* wrenches_on(const Model& model, Wrenches<S> wrenches) {
    if (wrenches.cols() == 0) return nullptr;
    require_size("wrenches (columns)", wrenches.cols(), model.body_count());
    return wrenches.data();
}

/// Throws if a workspace with so many bodies was made for another model, or if one of them was moved from.
inline void require_fit(const char* workspace, const Model& model, std::size_t bodies, std::size_t layout) {
    if (!is_whole(model) || bodies != model.bodies.size() || layout != model.layout) [[unlikely]]
        refuse_workspace(workspace, model, bodies);
}

/// Throws std::invalid_argument with the range: no such frame, no such body, no such place in q̇.
GRBDA_EXPORT void require_frame(const Model& model, int frame);
GRBDA_EXPORT void require_body(const Model& model, int body);
GRBDA_EXPORT void require_velocity(const Model& model, int v);

/// Checks that a choice of coordinates belongs to the model. A program may have copied one into a workspace.
inline void require_chart(const Model& model, const Chart& chart) {
    if (chart.layout != model.layout || chart.independent.size() != model.independent.size()) [[unlikely]]
        refuse_chart(chart);
}

template <class S>
void require_workspace(const Model& model, const Workspace<S>& data) {
    require_fit("Data", model, data.I.size(), data.layout);
    require_chart(model, data.chart);
}
/// Marks the results of the last algorithm as invalid: functions that read them then throw.
template <class S>
void clear_results(Workspace<S>& data) {
    data.factors = Factors::none;
    data.kinematics = Kinematics::none;
    data.every_body = false;
    data.embedding = false;
}
/// Checks the workspace for an algorithm that will write to it, and marks its results as invalid.
template <class S>
void require_workspace(const Model& model, Workspace<S>& data) {
    require_workspace(model, std::as_const(data));
    clear_results(data);
}

// Each throws std::invalid_argument that says which algorithm to call first.

[[noreturn]] GRBDA_EXPORT void refuse_factors(Factors needed);
inline void require_factors(Factors present, Factors needed) {
    if (!includes(present, needed)) [[unlikely]]
        refuse_factors(needed);
}
[[noreturn]] GRBDA_EXPORT void refuse_kinematics(Kinematics present, Kinematics needed);
inline void require_kinematics(Kinematics present, Kinematics needed) {
    if (!includes(present, needed)) [[unlikely]]
        refuse_kinematics(present, needed);
}
[[noreturn]] GRBDA_EXPORT void refuse_embedding();
inline void require_embedding(bool present) {
    if (!present) [[unlikely]]
        refuse_embedding();
}

}  // namespace grbda
