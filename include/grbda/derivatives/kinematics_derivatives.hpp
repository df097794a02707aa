#pragma once

#include "grbda/kinematics/kinematics.hpp"

// Exact first derivatives of the results of kinematics.hpp. Derivatives with respect to y are taken along the
// closed configurations, δq = G δy, with constant ẏ and ÿ, see dynamics_derivatives.hpp. Coordinates are
// those of data.chart.

namespace grbda {

/// Computes forward_kinematics() and the derivatives of the motions of all bodies.
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     data, for the functions below and the frame functions of kinematics.hpp. Without ydd,
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

// The functions below read the results of forward_kinematics_derivatives(). Matrices are [6 × nv], linear
// part first. errors  std::invalid_argument on a wrong size or index, or if it was not the last
// algorithm on data, or not ok. cost  O(depth); no allocation.

/// Computes the derivatives of frame_velocity() with respect to y and ẏ; the second is frame_jacobian().
template <class S>
GRBDA_EXPORT void frame_velocity_derivatives(const Model& model, const Data<S>& data, int frame,
                                             ReferenceFrame axes, MatrixOut<S> dv_dy, MatrixOut<S> dv_dyd);

/// Definition of a frame's linear acceleration. The angular part is the same for both.
enum class Acceleration {
    classical,  ///< acceleration of the frame's origin, as frame_acceleration()
    spatial     ///< classical minus ω × v: componentwise rate of frame_velocity() in the frame's own axes
};

/// Computes the derivatives of a frame's acceleration with respect to y, ẏ and ÿ; the last is
/// frame_jacobian().
template <class S>
GRBDA_EXPORT void frame_acceleration_derivatives(const Model& model, const Data<S>& data, int frame,
                                                 ReferenceFrame axes, Acceleration kind, MatrixOut<S> da_dy,
                                                 MatrixOut<S> da_dyd, MatrixOut<S> da_dydd);

/// Computes J̇, the componentwise time derivative of frame_jacobian() at velocity ẏ: J ÿ + J̇ ẏ is that of
/// frame_velocity() in the same axes.
template <class S>
GRBDA_EXPORT void frame_jacobian_rate(const Model& model, const Data<S>& data, int frame, ReferenceFrame axes,
                                      MatrixOut<S> J_rate);

}  // namespace grbda
