#pragma once

#include <optional>
#include <span>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

// Common types of searches over closed configurations: inverse_kinematics() and project_configuration(). Both
// minimise a sum of squares by Levenberg–Marquardt steps along the closed manifold. The damping acts in
// spanning space, so that the iterates do not depend on which coordinates are independent. Limits and fixed
// joints are constraints of the quadratic program of each step. A step violates them to second order, which
// is corrected before the next step. Each iterate is closed, within limits, and keeps the fixed joints.

namespace grbda {

/// Options of a search.
struct SearchOptions {
    bool limits = true;           ///< joint limits apply, also those of dependent joints
    std::vector<int> held;        ///< bodies whose tree joints are fixed, independent or not
    std::vector<double> held_at;  ///< [nq] positions of the fixed joints; empty: those of the initial q
    double damping = 1e-3;        ///< initial value, relative to the largest curvature
    double longest_step = 0.5;    ///< of a joint that moves a target, rad or relative to its cluster's size
    int iterations = 200;         ///< largest number of steps
    double stationarity = 1e-7;   ///< tolerance: cosine between the residual and its possible changes
    /// project_configuration(): [nq] where the search begins, for example in another assembly mode; empty:
    /// the given q. The distance is still that to the given q.
    std::vector<double> from = {};
};

/// Outcome of a search.
enum class Outcome {
    converged,   ///< targets are met; for a projection: the closest q was found
    nearest,     ///< targets are out of reach: no motion along the loops, within limits, comes closer
    blocked,     ///< a fold or a singular configuration stops the search
    infeasible,  ///< limits and fixed joints cannot be satisfied from this start
    unfinished,  ///< more iterations are needed
    open,        ///< the initial q leaves loops open; for a projection: no closed configuration was found
    invalid      ///< numbers are not finite, or too large
};

GRBDA_EXPORT const char* to_string(Outcome outcome);

/// Result of a search.
struct [[nodiscard]] SearchResult {
    Outcome outcome = Outcome::invalid;
    Result loops;             ///< reason of blocked, open or invalid, with the cluster
    int iterations = 0;       ///< number of steps
    double cost = 0;          ///< half the weighted sum of squares at the end
    double stationarity = 0;  ///< as in SearchOptions, at the end
    double violation = 0;     ///< largest violation of limits and fixed joints, rad or m; large if infeasible

    bool converged() const { return outcome == Outcome::converged; }
};

// Projections onto the loops: the closest consistent values in a metric W of spanning velocities, [nv_tree ×
// nv_tree], symmetric, or its diagonal [nv_tree × 1]. W may be semidefinite if GᵀWG is positive definite, for
// example the mass matrix of a tree with massless links. close_loops() and independent_part() use only the
// values of the independent joints; here W gives a weight to each joint.

/// Finds the closed q closest to the given one: a stationary point of the distance,
///   ½ dᵀ W d,  d = q ⊖ q0   (data.moved)
/// among closed configurations. First, Newton's method closes the loops with the smallest displacement in
/// the norm of W's diagonal. Then Gauss–Newton moves along the closed configurations until Gᵀ W d = 0. It
/// passes through singular configurations in a straight line, for example from one assembly mode to another.
/// in/out  q [nq], quaternions of any length but zero; unchanged if the outcome is `open` or `invalid`
/// in      W; options: whether limits apply, and fixed joints
/// out     data.moved
/// errors  std::invalid_argument on a wrong size; SearchResult::outcome
/// cost    as inverse_kinematics(), O(nv_tree² nv) with a full W; no allocation after the first call
GRBDA_EXPORT SearchResult project_configuration(const Model& model, Data& data, ConstMatrixRef W, VectorRef q,
                                                const SearchOptions& options = {
                                                    .limits = false, .held = {}, .held_at = {}});

/// Finds the q̇ with K q̇ = 0 closest to the given one: G (GᵀWG)⁻¹ GᵀW q̇.
/// in      q [nq] closing the loops; W
/// in/out  qd [nv_tree]
/// errors  std::invalid_argument on a wrong size; Status::singular_constraint with its cluster;
///         singular_inertia if GᵀWG is not positive definite; not_finite
/// cost    O(nv_tree nv²), with a full W O(nv_tree² nv); no allocation
GRBDA_EXPORT Result project_velocity(const Model& model, Data& data, ConstMatrixRef W, ConstVectorRef q,
                                     VectorRef qd);

/// Finds the q̈ with K q̈ = k closest to the given one: g + G (GᵀWG)⁻¹ GᵀW (q̈ − g). As project_velocity().
/// in      qd [nv_tree] with K q̇ = 0
GRBDA_EXPORT Result project_acceleration(const Model& model, Data& data, ConstMatrixRef W, ConstVectorRef q,
                                         ConstVectorRef qd, VectorRef qdd);

/// Target pose of a frame in the world.
struct FrameTarget {
    int frame = -1;                                   ///< model.frame(name).index
    std::optional<Eigen::Vector3d> position = {};     ///< m; none: any position
    std::optional<Eigen::Matrix3d> orientation = {};  ///< of the frame in the world; none: any
    double position_weight = 1;                       ///< w_r, per metre
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
///   minimises ½ Σ (w_r |r* − r|)² + (w_R |log(R* Rᵀ)|)²,   r: FrameTarget::point in the world
/// in      targets, also several for one frame; q [nq] closing the loops: the initial configuration
/// out     q: closed, within limits; if the outcome is `infeasible`, limits are violated. data.gaps,
///         data.moved, and the kinematics of q as after forward_kinematics(), unless the outcome is `open` or
///         `invalid`. data.chart() is unchanged: if its coordinates are singular at q, forward_kinematics()
///         and dynamics report singular_constraint there, and choose_coordinates() finds others
/// errors  std::invalid_argument on a wrong size, frame, body or rotation, and on targets of 1e100 or more.
///         SearchResult::outcome: `nearest` if q is stationary and a gap remains; another start may come
///         closer. `open` or `invalid`: q unchanged, data.gaps 0
/// cost    each iteration at least 2 O(bodies), O(nv²) for each joint with limits, O(nv³); no allocation if
///         data was used with as many targets and held joints before
/// source  Nocedal & Wright 2006, Sec. 10.3; Goldfarb & Idnani 1983
GRBDA_EXPORT SearchResult inverse_kinematics(const Model& model, Data& data,
                                             std::span<const FrameTarget> targets, VectorRef q,
                                             const SearchOptions& options = {},
                                             const TargetTolerance& tolerance = {});

}  // namespace grbda
