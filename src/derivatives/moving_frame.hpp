#pragma once

#include "kernels/derivatives/motions.hpp"
#include "kinematics/frame_placement.hpp"

// A frame with its motion, and how the motion changes along a direction of its clusters.

namespace grbda {

template <class S>
Motion<S> at_point(const Motion<S>& v, const Vector3<S>& p) {
    return {point_velocity(v, p), v.angular};
}

/// A frame, and its motion in the world's axes.
template <class S>
struct MovingFrame {
    FramePlacement<S> place;
    int body;
    Motion<S> velocity, acceleration;  ///< at its origin; acceleration is the spatial one
};

template <class S>
MovingFrame<S> moving_frame(const Model& model, const Workspace<S>& data, const Frame& frame,
                            Kinematics needed) {
    const FramePlacement<S> place = placement(model, data, frame, needed);
    if (frame.body == world) return {place, frame.body, {}, {}};
    return {place, frame.body, at_point(data.v[frame.body], place.p), at_point(data.a[frame.body], place.p)};
}

/// Changes of the spatial acceleration at a frame along a direction y, and along ẏ, as seen from the frame.
template <class S>
Motion<S> acceleration_along_y(const MovingFrame<S>& f, const kernels::derivatives::Direction<S>& d) {
    return at_point(d.eta, f.place.p) + cross(at_point(d.e, f.place.p), f.velocity);
}
template <class S>
Motion<S> acceleration_along_yd(const MovingFrame<S>& f, const kernels::derivatives::Direction<S>& d) {
    return at_point(d.eta_rate, f.place.p) + cross(at_point(d.x, f.place.p), f.velocity);
}

}  // namespace grbda
