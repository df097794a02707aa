#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/kinematics/kinematics.hpp"
#include "model/arguments.hpp"

// The functions of grbda/kinematics/kinematics.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result forward_kinematics(const Model& model, Workspace<S>& data, ConstVector<S> q);
template <class S>
GRBDA_EXPORT Result forward_kinematics(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                       ConstVector<S> yd);
template <class S>
GRBDA_EXPORT Result forward_kinematics(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                       ConstVector<S> yd, ConstVector<S> ydd);

// The functions below read the results of forward_kinematics. They throw std::invalid_argument if it was not
// the last algorithm on data, if its status was not ok, or if the index of the frame is invalid. Poses are
// also available after singular_constraint, because they do not depend on the coordinates. Velocities are
// NaN if yd was not given, accelerations if ydd was not given.

template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 3, 3> frame_orientation(const Model& model, const Workspace<S>& data,
                                                      int frame);
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 3, 1> frame_position(const Model& model, const Workspace<S>& data, int frame);

template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 6, 1> frame_velocity(const Model& model, const Workspace<S>& data, int frame,
                                                   ReferenceFrame axes);

template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 6, 1> frame_acceleration(const Model& model, const Workspace<S>& data,
                                                       int frame, ReferenceFrame axes);

template <class S>
GRBDA_EXPORT void frame_jacobian(const Model& model, const Workspace<S>& data, int frame, ReferenceFrame axes,
                                 std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J);

template <class S>
GRBDA_EXPORT void body_jacobian(const Model& model, const Workspace<S>& data, int body, ReferenceFrame axes,
                                std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J);

template <class S>
GRBDA_EXPORT void add_frame_wrench(const Model& model, const Workspace<S>& data, int frame,
                                   ReferenceFrame axes, ConstVector<S> wrench,
                                   std::type_identity_t<Eigen::Ref<Matrix6X<S>>> wrenches);

template <class S>
GRBDA_EXPORT int self_distances(const Model& model, const Workspace<S>& data,
                                std::span<GroupDistance> distances);

}  // namespace grbda
