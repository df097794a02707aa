#pragma once

#include <optional>
#include <span>

#include "grbda/export.hpp"
#include "search.hpp"

namespace grbda {

/// Target pose of a frame in the world.
struct FrameTarget {
    int frame = -1;                                   ///< model.frame(name).index
    std::optional<Eigen::Vector3d> position = {};     ///< m; none: anywhere
    std::optional<Eigen::Matrix3d> orientation = {};  ///< axes of the frame in the world; none: any
    double position_weight = 1;                       ///< of a metre
    double orientation_weight = 1;                    ///< of a radian
    /// m, in the frame's axes: the point of the frame that shall reach `position`.
    Eigen::Vector3d point = Eigen::Vector3d::Zero();
};

struct TargetTolerance {
    double length = 1e-9;  ///< m
    double angle = 1e-9;   ///< rad
};

/// Inverse kinematics with closed loops: finds q whose frames reach their targets, or come closest to them.
///   minimises ½ Σ (w_p |p* − p|)² + (w_R |log(R* Rᵀ)|)²,   p the target's point in the world
/// in      targets, several for one frame if needed; q [nq] closing the loops: the initial configuration
/// out     q: closed, within limits; if the outcome is `infeasible`, limits are violated. work.gaps,
///         work.moved. data holds the poses of q, unless the outcome is `open` or `invalid`. data.chart is
///         unchanged: if its coordinates are singular at q, forward_kinematics() and dynamics report
///         singular_constraint there, and choose_coordinates() finds others
/// errors  std::invalid_argument on a wrong size, frame, body or rotation, and on targets of 1e100 and more.
///         SearchResult::outcome: `nearest` if q is stationary and a gap remains; another start may come
///         closer. `open` or `invalid`: q unchanged, work.gaps 0
/// cost    each iteration at least 2 O(bodies), O(nv²) for each joint with limits, O(nv³); no allocation if
///         work was used with as many targets and held joints before
/// source  Nocedal & Wright 2006, Sec. 10.3; Goldfarb & Idnani 1983
template <class S>
GRBDA_EXPORT SearchResult inverse_kinematics(const Model& model, Data<S>& data, Search<S>& work,
                                             std::span<const FrameTarget> targets, VectorOut<S> q,
                                             const SearchOptions& options = {},
                                             const TargetTolerance& tolerance = {});

}  // namespace grbda
