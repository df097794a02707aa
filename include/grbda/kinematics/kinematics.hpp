#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Computes the kinematics of all bodies, including reduced rotors.
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     data, for the frame functions below
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

// The functions below read the results of forward_kinematics. They throw std::invalid_argument if it was not
// the last algorithm on data, if its status was not ok, or if the index of the frame is invalid. Poses are
// also available after singular_constraint, because they do not depend on the coordinates. Velocities are
// NaN if yd was not given, accelerations if ydd was not given.

/// Returns the orientation [3 × 3] or the position [m] of a frame in the world; see model.frame(name).index.
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 3, 3> frame_orientation(const Model& model, const Data<S>& data, int frame);
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 3, 1> frame_position(const Model& model, const Data<S>& data, int frame);

/// Returns the twist of a frame, [linear; angular] at its origin; after forward_kinematics with yd.
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 6, 1> frame_velocity(const Model& model, const Data<S>& data, int frame,
                                                   ReferenceFrame axes);

/// Returns the classical acceleration of a frame's origin and its angular acceleration; after
/// forward_kinematics with ydd.
template <class S>
GRBDA_EXPORT Eigen::Matrix<S, 6, 1> frame_acceleration(const Model& model, const Data<S>& data, int frame,
                                                       ReferenceFrame axes);

/// Computes the Jacobian of a frame's twist with respect to ẏ, [6 × nv], linear first, at the frame's
/// origin; after forward_kinematics.
/// errors  std::invalid_argument on a wrong size or index
/// cost    O(depth); no allocation
template <class S>
GRBDA_EXPORT void frame_jacobian(const Model& model, const Data<S>& data, int frame, ReferenceFrame axes,
                                 std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J);

/// Computes the Jacobian of the frame of a body's topmost link.
template <class S>
GRBDA_EXPORT void body_jacobian(const Model& model, const Data<S>& data, int body, ReferenceFrame axes,
                                std::type_identity_t<Eigen::Ref<Matrix6X<S>>> J);

/// Adds a wrench on a frame to the wrenches on bodies, the argument of aba() and others. A wrench on a rod is
/// converted to equivalent forces on the bodies at its ends; the moment about the rod's line moves no other
/// body.
/// in      wrench [force; moment] about the frame's origin, in `axes`; after forward_kinematics
/// in/out  wrenches [6 × bodies]
/// errors  std::invalid_argument on a wrong size or index
template <class S>
GRBDA_EXPORT void add_frame_wrench(const Model& model, const Data<S>& data, int frame, ReferenceFrame axes,
                                   ConstVector<S> wrench,
                                   std::type_identity_t<Eigen::Ref<Matrix6X<S>>> wrenches);

/// Distance between two groups of spheres.
struct GroupDistance {
    double distance = 0;  ///< m, between the two closest spheres, minus both buffers; negative: too close
    int a = 0, b = 0;     ///< indices of those spheres in SelfCollision::spheres
};

/// Computes the distances of the robot from itself, with the spheres of XRDF and SRDF.
///   min over spheres i of a, j of b of |cᵢ − cⱼ| − rᵢ − rⱼ, less the buffers of a and b
/// in      data after forward_kinematics
/// out     distances [model.self_collision.pairs], in their order
/// returns the first pair with the smallest distance; −1 if the model has no pairs
/// errors  std::invalid_argument on a wrong size, or if forward_kinematics was not the last
///         algorithm on data
/// cost    O(pairs of spheres); no allocation
template <class S>
GRBDA_EXPORT int self_distances(const Model& model, const Data<S>& data, std::span<GroupDistance> distances);

}  // namespace grbda
