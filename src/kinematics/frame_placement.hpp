#pragma once

#include "kinematics/kinematics.hpp"

// Placement of a frame, as computed by forward_kinematics, and twists in its axes.

namespace grbda {

template <class S>
Eigen::Matrix<S, 3, 1> eigen(const Vector3<S>& a) {
    return {a.x, a.y, a.z};
}

/// The frame in the world: axes, and origin relative to the branch's common frame.
template <class S>
struct FramePlacement {
    Matrix3<S> R;
    Vector3<S> p;
    Vector3<S> origin;  ///< of the common frame, in the world
};

/// Throws std::invalid_argument unless `data` holds the kinematics that are needed.
template <class S>
FramePlacement<S> placement(const Model& model, const Workspace<S>& data, const Frame& f, Kinematics needed) {
    const Matrix3<S> R = f.rotation.template cast<S>();
    const Vector3<S> p = f.position.template cast<S>();
    if (f.body == world) return {R, p, {S(0), S(0), S(0)}};
    require_workspace(model, data);
    require_kinematics(data.kinematics, needed);
    const Cluster& c = model.clusters[model.cluster_of(f.body)];
    return {data.R[f.body] * R, data.p[f.body] + data.R[f.body] * p, data.origin[c.branch]};
}
template <class S>
FramePlacement<S> placement(const Model& model, const Workspace<S>& data, int frame, Kinematics needed) {
    require_frame(model, frame);
    return placement(model, data, model.frames[frame], needed);
}

template <class S>
Eigen::Matrix<S, 6, 1> in_axes(const FramePlacement<S>& f, ReferenceFrame axes, Vector3<S> linear,
                               Vector3<S> angular) {
    if (axes == ReferenceFrame::local) {
        linear = transpose_times(f.R, linear);
        angular = transpose_times(f.R, angular);
    }
    Eigen::Matrix<S, 6, 1> out;
    out << linear.x, linear.y, linear.z, angular.x, angular.y, angular.z;
    return out;
}

}  // namespace grbda
