#pragma once

#include "grbda/algorithms/kinematics.hpp"
#include "grbda/compile/build.hpp"

// Where bodies and ends of loops are in the world, by the public frame functions.

namespace body_poses {

inline Eigen::Vector3d eigen(const grbda::Vector3<double>& a) { return {a.x, a.y, a.z}; }
inline Eigen::Matrix3d eigen(const grbda::Matrix3<double>& A) {
    Eigen::Matrix3d result;
    result << eigen(A.x), eigen(A.y), eigen(A.z);
    return result;
}

/// The frame that a body's numbers are given in; after forward_kinematics.
inline grbda::Pose of_body(const grbda::Model& model, const grbda::Data<double>& data, int body) {
    if (body == grbda::world) return {};
    const int index = model.body_frame[body];
    const grbda::Frame& frame = model.frames[index];
    const grbda::Pose link{grbda::frame_orientation(model, data, index),
                           grbda::frame_position(model, data, index)};
    return link * grbda::inverse(grbda::Pose{eigen(frame.rotation), eigen(frame.position)});
}

inline grbda::Pose of_end(const grbda::Model& model, const grbda::Data<double>& data,
                          const grbda::LoopEnd& end) {
    return of_body(model, data, end.body) * grbda::Pose{eigen(end.rotation), eigen(end.position)};
}

using Wrench = Eigen::Matrix<double, 6, 1>;

/// The same wrench about another point; axes stay.
inline Wrench about(const Wrench& wrench, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
    Wrench result = wrench;
    result.tail<3>() += (from - to).cross(Eigen::Vector3d(wrench.head<3>()));
    return result;
}

/// In the axes of R, given in those of the world.
inline Wrench turned(const Wrench& wrench, const Eigen::Matrix3d& R) {
    Wrench result;
    result << R.transpose() * wrench.head<3>(), R.transpose() * wrench.tail<3>();
    return result;
}

}  // namespace body_poses
