#pragma once

#include "grbda/kinematics/kinematics.hpp"

// Exact first derivatives of the results of kinematics.hpp. Derivatives with respect to y are taken along the
// closed configurations, δq = G δy, with constant ẏ and ÿ, see dynamics_derivatives.hpp. Coordinates are
// those of data.chart().

namespace grbda {

/// Computes forward_kinematics() and the derivatives of the motions of all bodies.
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     data, for the functions below and the frame functions of kinematics.hpp. Without ydd,
///         accelerations and their derivatives are NaN
/// errors  as forward_kinematics()
/// cost    O(bodies · velocities of their cluster); no allocation
/// source  as rnea_derivatives()
GRBDA_EXPORT Result forward_kinematics_derivatives(const Model& model, Data& data, ConstVectorRef q,
                                                   ConstVectorRef yd);
GRBDA_EXPORT Result forward_kinematics_derivatives(const Model& model, Data& data, ConstVectorRef q,
                                                   ConstVectorRef yd, ConstVectorRef ydd);

// The functions below read the results of forward_kinematics_derivatives(). Matrices are [6 × nv], linear
// part first.
//   errors  std::invalid_argument on a wrong size or index, or if the last forward kinematics had no
//           derivatives or was not ok
//   cost    O(depth); no allocation

/// Computes the derivatives of frame_velocity() with respect to y and ẏ; the second is frame_jacobian().
GRBDA_EXPORT void frame_velocity_derivatives(const Model& model, const Data& data, int frame,
                                             ReferenceFrame axes, MatrixRef dv_dy, MatrixRef dv_dyd);

/// Definition of a frame's linear acceleration. The angular part is the same for both.
enum class Acceleration {
    classical,  ///< acceleration of the frame's origin, as frame_acceleration()
    spatial     ///< classical minus ω × v: componentwise rate of frame_velocity() in the frame's own axes
};

/// Derivatives of a frame's acceleration [6 × nv] with respect to y, ẏ and ÿ; the last is frame_jacobian().
struct AccelerationDerivatives {
    Matrix6Xd by_y, by_yd, by_ydd;
};

/// Computes the derivatives of a frame's acceleration. No allocation if `out` was used before.
GRBDA_EXPORT void frame_acceleration_derivatives(const Model& model, const Data& data, int frame,
                                                 ReferenceFrame axes, Acceleration kind,
                                                 AccelerationDerivatives& out);

/// Computes J̇, the componentwise time derivative of frame_jacobian() at velocity ẏ: J ÿ + J̇ ẏ is that of
/// frame_velocity() in the same axes.
GRBDA_EXPORT void frame_jacobian_rate(const Model& model, const Data& data, int frame, ReferenceFrame axes,
                                      MatrixRef J_rate);

}  // namespace grbda
