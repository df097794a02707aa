#pragma once

#include <optional>
#include <span>

#include "grbda/export.hpp"
#include "search.hpp"

namespace grbda {

/// Target pose of a frame in the world.
struct FrameTarget {
    int frame = -1;                                   ///< model.frame(name).index
    std::optional<Eigen::Vector3d> position = {};     ///< m; none: any position
    std::optional<Eigen::Matrix3d> orientation = {};  ///< of the frame in the world; none: any
    double position_weight = 1;                       ///< w_p, per metre
    double orientation_weight = 1;                    ///< w_R, per radian
    /// Point of the frame that `position` refers to, in the frame's axes, m.
    Eigen::Vector3d point = Eigen::Vector3d::Zero();
};

/// Largest remaining gaps at which targets count as met.
struct TargetTolerance {
    double length = 1e-9;  ///< m
    double angle = 1e-9;   ///< rad
};

/// Finds a closed q at which frames reach their targets or come closest to them.
///   minimises ½ Σ (w_p |p* − p|)² + (w_R |log(R* Rᵀ)|)²,   p: FrameTarget::point in the world
/// in      targets, also several for one frame; q [nq] closing the loops: the initial configuration
/// out     q: closed, within limits; if the outcome is `infeasible`, limits are violated. work.gaps,
///         work.moved. data holds the poses of q, unless the outcome is `open` or `invalid`. data.chart is
///         unchanged: if its coordinates are singular at q, forward_kinematics() and dynamics report
///         singular_constraint there, and choose_coordinates() finds others
/// errors  std::invalid_argument on a wrong size, frame, body or rotation, and on targets of 1e100 or more.
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
