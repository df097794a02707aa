#pragma once

#include <memory>
#include <vector>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

// Shared part of the searches over closed configurations: inverse_kinematics(), project_configuration(). Each
// minimises a sum of squares by steps of Levenberg and Marquardt along the closed manifold, damped in
// spanning space, so that the way does not depend on which coordinates are independent. Limits and held
// joints are rows of G in the quadratic program of each step; what its curvature leaves of them is taken back
// before the step counts. Every configuration on the path is closed, within limits, with held joints fixed.

namespace grbda {

struct SearchOptions {
    bool limits = true;           ///< of every joint that has them, dependent ones too
    std::vector<int> held;        ///< bodies whose tree joints, independent or not, stay where they start
    std::vector<double> held_at;  ///< [nq] where held joints are to be, if not where the search starts
    double damping = 1e-3;        ///< at first, of the largest curvature
    double longest_step =
        0.5;               ///< of a joint, rad or sizes of its cluster; those that move no target not counted
    int iterations = 200;  ///< steps that are tried, at most
    double stationarity = 1e-7;  ///< cosine between what is left and what can still move it
};

enum class Outcome {
    converged,   ///< found: targets met; of a projection: the nearest
    nearest,     ///< targets are out of reach: no motion along the loops, within limits, comes nearer
    blocked,     ///< steps leave the loops: a fold, or a singular configuration
    infeasible,  ///< limits and held joints cannot be kept from this start
    unfinished,  ///< more iterations would be needed
    open,        ///< the start leaves the loops open; of a projection: no closed configuration was found near
    invalid      ///< numbers are not finite, or too large
};

GRBDA_EXPORT const char* to_string(Outcome outcome);

struct [[nodiscard]] SearchResult {
    Outcome outcome = Outcome::invalid;
    Result loops;             ///< why it is blocked, open or invalid, and in which cluster
    int iterations = 0;       ///< steps tried
    double cost = 0;          ///< half the weighted sum of squares that is left
    double stationarity = 0;  ///< as in SearchOptions, at the end
    double violation = 0;     ///< of limits and held joints, rad or m: not small where infeasible

    bool converged() const { return outcome == Outcome::converged; }
};

/// Remaining error of a target.
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

    /// [nv_tree] from the q given to the q found, joint by joint: differences; of rotations the rotation
    /// vector, of a floating joint its origin's way before it, both in the axes that the child had at first.
    VectorX<S> moved;
    std::vector<Gap> gaps;  ///< inverse_kinematics(): of each target

    struct Internal;
    std::unique_ptr<Internal> internal;
};

extern template class Search<double>;

}  // namespace grbda
