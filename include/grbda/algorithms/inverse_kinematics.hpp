#pragma once

#include <optional>
#include <span>

#include "grbda/algorithms/search.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Desired placement of a frame in the world.
struct FrameTarget {
    int frame = -1;                                   ///< frame_index(model, name)
    std::optional<Eigen::Vector3d> position = {};     ///< m; none: anywhere
    std::optional<Eigen::Matrix3d> orientation = {};  ///< axes of the frame in the world; none: any
    double position_weight = 1;                       ///< of a metre
    double orientation_weight = 1;                    ///< of a radian
    /// m, in the frame's axes: the point of the frame that `position` is wanted for.
    Eigen::Vector3d point = Eigen::Vector3d::Zero();
};

struct TargetTolerance {
    double length = 1e-9;  ///< m
    double angle = 1e-9;   ///< rad
};

/// Inverse kinematics with loops closed: q whose frames are where they are wanted, or as near as can be.
///   minimises ½ Σ (w_p |p* − p|)² + (w_R |log(R* Rᵀ)|)²,   p the target's point in the world
/// in      targets, of the same frame several times if need be; q [nq] closing the loops: where it starts
/// out     q: closed, within limits; if the outcome is `infeasible`, as near to that as it came. work.gaps,
///         work.moved. data holds the poses of q, unless the outcome is `open` or `invalid`. data.chart is as
///         it was: if its coordinates are singular at q, forward_kinematics() and dynamics report
///         singular_constraint there, and choose_coordinates() finds others
/// errors  std::invalid_argument on a wrong size, frame, body or rotation, and on targets of 1e100 and more.
///         SearchResult::outcome: `nearest` where q is stationary and a gap is left; another start may come
///         nearer. `open` or `invalid`: q as it was, work.gaps 0
/// cost    each iteration O(bodies) twice and more, O(nv²) for each joint with limits, O(nv³); no allocation
///         once work has had as many targets and held joints
/// source  Nocedal & Wright 2006, Sec. 10.3; Goldfarb & Idnani 1983
template <class S>
GRBDA_EXPORT SearchResult inverse_kinematics(const Model& model, Data<S>& data, Search<S>& work,
                                             std::span<const FrameTarget> targets, VectorOut<S> q,
                                             const SearchOptions& options = {},
                                             const TargetTolerance& tolerance = {});

}  // namespace grbda
