#pragma once

#include "grbda/export.hpp"
#include "grbda/derivatives/kinematics_derivatives.hpp"
#include "kinematics/kinematics.hpp"
#include "model/arguments.hpp"

// The functions of grbda/derivatives/kinematics_derivatives.hpp on one workspace. They are documented there.

namespace grbda {

template <class S>
GRBDA_EXPORT Result forward_kinematics_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                                   ConstVector<S> yd);
template <class S>
GRBDA_EXPORT Result forward_kinematics_derivatives(const Model& model, Workspace<S>& data, ConstVector<S> q,
                                                   ConstVector<S> yd, ConstVector<S> ydd);

// The functions below read the results of forward_kinematics_derivatives(). Matrices are [6 × nv], linear
// part first. errors  std::invalid_argument on a wrong size or index, or if it was not the last
// algorithm on data, or not ok. cost  O(depth); no allocation.

template <class S>
GRBDA_EXPORT void frame_velocity_derivatives(const Model& model, const Workspace<S>& data, int frame,
                                             ReferenceFrame axes, MatrixOut<S> dv_dy, MatrixOut<S> dv_dyd);

template <class S>
GRBDA_EXPORT void frame_acceleration_derivatives(const Model& model, const Workspace<S>& data, int frame,
                                                 ReferenceFrame axes, Acceleration kind, MatrixOut<S> da_dy,
                                                 MatrixOut<S> da_dyd, MatrixOut<S> da_dydd);

template <class S>
GRBDA_EXPORT void frame_jacobian_rate(const Model& model, const Workspace<S>& data, int frame,
                                      ReferenceFrame axes, MatrixOut<S> J_rate);

}  // namespace grbda
