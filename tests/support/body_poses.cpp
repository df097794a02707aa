#include "support/body_poses.hpp"

namespace body_poses {

Eigen::Vector3d eigen(const grbda::Vector3<double>& a) { return {a.x, a.y, a.z}; }

Eigen::Matrix3d eigen(const grbda::Matrix3<double>& A) {
    Eigen::Matrix3d result;
    result << eigen(A.x), eigen(A.y), eigen(A.z);
    return result;
}

grbda::Pose of_body(const grbda::Model& model, const grbda::Workspace<double>& data, int body) {
    if (body == grbda::world) return {};
    const int index = model.body_frame[body];
    const grbda::Frame& frame = model.frames[index];
    const grbda::Pose link{grbda::frame_orientation(model, data, index),
                           grbda::frame_position(model, data, index)};
    return link * grbda::inverse(grbda::Pose{eigen(frame.rotation), eigen(frame.position)});
}

grbda::Pose of_end(const grbda::Model& model, const grbda::Workspace<double>& data,
                   const grbda::LoopEnd& end) {
    return of_body(model, data, end.body) * grbda::Pose{eigen(end.rotation), eigen(end.position)};
}

Wrench about(const Wrench& wrench, const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
    Wrench result = wrench;
    result.tail<3>() += (from - to).cross(Eigen::Vector3d(wrench.head<3>()));
    return result;
}

Wrench turned(const Wrench& wrench, const Eigen::Matrix3d& R) {
    Wrench result;
    result << R.transpose() * wrench.head<3>(), R.transpose() * wrench.tail<3>();
    return result;
}

}  // namespace body_poses
