#pragma once

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Kinematics of every body, reduced rotors included.
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     inside data; read by the frame functions below and frame_jacobian
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite
/// cost    O(bodies); no allocation
template <class S>
GRBDA_EXPORT Result forward_kinematics(const Model& model, Data<S>& data, ConstVector<S> q);
template <class S>
GRBDA_EXPORT Result forward_kinematics(const Model& model, Data<S>& data, ConstVector<S> q,
                                       ConstVector<S> yd);
template <class S>
GRBDA_EXPORT Result forward_kinematics(const Model& model, Data<S>& data, ConstVector<S> q, ConstVector<S> yd,
                                       ConstVector<S> ydd);

/// Axes in which a frame's twist is expressed; its reference point is the frame's origin in both.
enum class ReferenceFrame {
    local,         ///< the frame's own axes
    world_aligned  ///< the world's axes
};

// The functions below read what forward_kinematics left in data: std::invalid_argument if it was not the last
// algorithm on data, if it was not ok, or on an index that no frame has. If it was singular_constraint, poses
// are given, which do not depend on the coordinates. Velocities and accelerations that it was not asked for
// are NaN.

/// Orientation [3 × 3] and position [m] of a frame in the world; model.frame(name).index finds frames.
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 3, 3> frame_orientation(const Model& model, const Data<S>& data, int frame);
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 3, 1> frame_position(const Model& model, const Data<S>& data, int frame);

/// Twist of a frame, [linear; angular] at its origin; after forward_kinematics with yd.
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 6, 1> frame_velocity(const Model& model, const Data<S>& data, int frame,
                                                   ReferenceFrame axes);

/// Classical acceleration of a frame's origin, and angular acceleration; after forward_kinematics with ydd.
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 6, 1> frame_acceleration(const Model& model, const Data<S>& data, int frame,
                                                       ReferenceFrame axes);

/// Jacobian of a frame's twist with respect to ẏ, [6 × nv], linear first, at the frame's origin; after
/// forward_kinematics.
/// errors  std::invalid_argument on a wrong size or index
/// cost    O(depth); no allocation
template <class S>
GRBDA_EXPORT void frame_jacobian(const Model& model, const Data<S>& data, int frame, ReferenceFrame axes,
                                 std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J);

/// The same for a body, that is for the frame of its topmost link.
template <class S>
GRBDA_EXPORT void body_jacobian(const Model& model, const Data<S>& data, int body, ReferenceFrame axes,
                                std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J);

/// Adds a wrench on a frame to those on bodies that aba() and others take. One on a rod becomes forces on the
/// bodies at its ends, which move them alike; its moment about the rod's line moves nothing else.
/// in      wrench [force; moment] about the frame's origin, in `axes`; after forward_kinematics
/// out     wrenches [6 × bodies], added to
/// errors  std::invalid_argument on a wrong size or index
template <class S>
GRBDA_EXPORT void add_frame_wrench(const Model& model, const Data<S>& data, int frame, ReferenceFrame axes,
                                   ConstVector<S> wrench,
                                   std::type_identity_t<Eigen::Ref<Matrix6X<S>>> wrenches);

}  // namespace grbda
