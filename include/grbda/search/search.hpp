#pragma once

#include <memory>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

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

/// Remaining distance to a target.
struct Gap {
    double length = 0;  ///< m
    double angle = 0;   ///< rad
};

/// Workspace of searches, sized once from the model: one for each thread.
template <class S>
class GRBDA_EXPORT Search {
public:
    explicit Search(const Model& model);
    ~Search();
    Search(Search&&) noexcept;
    Search& operator=(Search&&) noexcept;

    /// [nv_tree] Displacement from the initial to the final q, per joint. Rotations are rotation vectors; a
    /// floating joint lists its translation first. Both are in the axes of the child at the initial q.
    VectorX<S> moved;
    std::vector<Gap> gaps;  ///< inverse_kinematics(): of each target

    struct Internal;
    std::unique_ptr<Internal> internal;
};

extern template class Search<double>;

}  // namespace grbda
