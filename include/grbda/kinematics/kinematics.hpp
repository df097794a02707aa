#pragma once

#include <span>

#include <Eigen/Geometry>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Computes the kinematics of all bodies, including reduced rotors.
/// in      q [nq] closing the loops; yd, ydd [nv]
/// out     data, for the frame functions below, until the next call
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster, or
///         not_finite
/// cost    O(bodies); no allocation
GRBDA_EXPORT Result forward_kinematics(const Model& model, Data& data, ConstVectorRef q);
GRBDA_EXPORT Result forward_kinematics(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd);
GRBDA_EXPORT Result forward_kinematics(const Model& model, Data& data, ConstVectorRef q, ConstVectorRef yd,
                                       ConstVectorRef ydd);

/// Axes in which a frame's twist is expressed; its reference point is the frame's origin in both.
enum class ReferenceFrame {
    local,         ///< the frame's own axes
    world_aligned  ///< the world's axes
};

// The functions below read the results of the last forward_kinematics. They throw std::invalid_argument if
// it was not called, if its status was not ok, or if the index of the frame is invalid. Poses are also
// available after singular_constraint, because they do not depend on the coordinates. Velocities are NaN if
// yd was not given, accelerations if ydd was not given.

/// Returns the orientation [3 × 3] or the position [m] of a frame in the world; see model.frame(name).index.
GRBDA_EXPORT Eigen::Matrix3d frame_orientation(const Model& model, const Data& data, int frame);
GRBDA_EXPORT Eigen::Vector3d frame_position(const Model& model, const Data& data, int frame);

/// Returns the pose of a frame in the world, m.
GRBDA_EXPORT Eigen::Isometry3d frame_pose(const Model& model, const Data& data, int frame);

/// Returns the pose of a body in the world, m. Its axes are those in which wrenches on it are given.
/// errors  std::invalid_argument for an index out of range or a reduced rotor, or if data holds no kinematics
GRBDA_EXPORT Eigen::Isometry3d body_pose(const Model& model, const Data& data, int body);

/// Returns the twist of a frame, [linear; angular] at its origin; after forward_kinematics with yd.
GRBDA_EXPORT Vector6d frame_velocity(const Model& model, const Data& data, int frame, ReferenceFrame axes);

/// Returns the classical acceleration of a frame's origin and its angular acceleration; after
/// forward_kinematics with ydd.
GRBDA_EXPORT Vector6d frame_acceleration(const Model& model, const Data& data, int frame,
                                         ReferenceFrame axes);

/// Computes the Jacobian of a frame's twist with respect to ẏ, [6 × nv], linear first, at the frame's
/// origin; after forward_kinematics.
/// errors  std::invalid_argument on a wrong size or index
/// cost    O(depth); no allocation
GRBDA_EXPORT void frame_jacobian(const Model& model, const Data& data, int frame, ReferenceFrame axes,
                                 Eigen::Ref<Matrix6Xd> J);

/// Computes the Jacobian of the frame of a body's topmost link.
GRBDA_EXPORT void body_jacobian(const Model& model, const Data& data, int body, ReferenceFrame axes,
                                Eigen::Ref<Matrix6Xd> J);

/// Adds a wrench on a frame to the wrenches on bodies, the argument of aba() and others. A wrench on a rod is
/// converted to equivalent forces on the bodies at its ends; the moment about the rod's line moves no other
/// body.
/// in      wrench [force; moment] about the frame's origin, in `axes`; after forward_kinematics
/// in/out  wrenches [6 × bodies]
/// errors  std::invalid_argument on a wrong size or index
GRBDA_EXPORT void add_frame_wrench(const Model& model, const Data& data, int frame, ReferenceFrame axes,
                                   ConstVectorRef wrench, Eigen::Ref<Matrix6Xd> wrenches);

/// Returns rcond of K_d of a cluster, in 0 … 1: how far its independent coordinates are from a singular
/// configuration. 1 for a cluster without loops and polynomials; after forward_kinematics.
/// errors  std::invalid_argument for an index out of range, or if data holds no kinematics
GRBDA_EXPORT double conditioning(const Model& model, const Data& data, int cluster);

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
/// errors  std::invalid_argument on a wrong size, or if data holds no kinematics
/// cost    O(pairs of spheres); no allocation
GRBDA_EXPORT int self_distances(const Model& model, const Data& data, std::span<GroupDistance> distances);

}  // namespace grbda
