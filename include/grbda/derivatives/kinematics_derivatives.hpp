#pragma once

#include "grbda/kinematics/kinematics.hpp"

// Exact first derivatives of what the functions of kinematics.hpp return. As in derivatives.hpp a derivative
// with respect to y is one along the closed configurations, δq = G δy with ẏ and ÿ as they are, and
// coordinates are those of data.chart.

namespace grbda {

/// forward_kinematics(), and how the motions of all bodies change along all directions.
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     inside data; read by the functions below and those that read forward_kinematics(). Without ydd all
///         accelerations and their derivatives are NaN
/// errors  as forward_kinematics()
/// cost    O(bodies · velocities of their cluster); no allocation
/// source  as rnea_derivatives()
template <class S>
GRBDA_EXPORT Result forward_kinematics_derivatives(const Model& model, Data<S>& data, ConstVector<S> q,
                                                   ConstVector<S> yd);
template <class S>
GRBDA_EXPORT Result forward_kinematics_derivatives(const Model& model, Data<S>& data, ConstVector<S> q,
                                                   ConstVector<S> yd, ConstVector<S> ydd);

// The functions below read what forward_kinematics_derivatives() left in data. Matrices are [6 × nv], linear
// part first, the caller's. errors  std::invalid_argument on a wrong size or index, or if it was not the last
// algorithm on data, or not ok. cost  O(depth); no allocation.

/// Derivatives of frame_velocity() with respect to y and ẏ; the second is frame_jacobian().
template <class S>
GRBDA_EXPORT void frame_velocity_derivatives(const Model& model, const Data<S>& data, int frame,
                                             ReferenceFrame axes, MatrixOut<S> dv_dy, MatrixOut<S> dv_dyd);

/// Which acceleration of a frame; the angular part is the same.
enum class Acceleration {
    classical,  ///< of the frame's origin, as frame_acceleration()
    spatial     ///< that less ω × v: rates of frame_velocity() in the frame's own axes, number by number
};

/// Derivatives of a frame's acceleration with respect to y, ẏ and ÿ; the last is frame_jacobian().
template <class S>
GRBDA_EXPORT void frame_acceleration_derivatives(const Model& model, const Data<S>& data, int frame,
                                                 ReferenceFrame axes, Acceleration kind, MatrixOut<S> da_dy,
                                                 MatrixOut<S> da_dyd, MatrixOut<S> da_dydd);

/// Rate of frame_jacobian() number by number while the robot moves with ẏ: J ÿ + J̇ ẏ is the rate of
/// frame_velocity() in the same axes.
template <class S>
GRBDA_EXPORT void frame_jacobian_rate(const Model& model, const Data<S>& data, int frame, ReferenceFrame axes,
                                      MatrixOut<S> J_rate);

}  // namespace grbda
