#pragma once

#include <cstdint>
#include <vector>

#include "grbda/export.hpp"
#include "grbda/model/data.hpp"
#include "grbda/status.hpp"

namespace grbda {

/// Range of a sweep: `from`, …, `to` in `steps` equal steps. `from` may be larger than `to`.
struct SweepOptions {
    double from = 0, to = 0;  ///< rad or m
    int steps = 100;
    int guesses = 32;               ///< random guesses at each value, to find assembly modes
    std::uint64_t seed = 1;         ///< of the guesses
    std::vector<int> watched = {};  ///< bodies whose joints distinguish modes; empty: all in the cluster
};

/// Reason why a branch of a sweep ends.
enum class BranchEnd {
    bound,  ///< the end of the range
    fold,   ///< K_d loses rank: the mode ends there, or meets others
    lost    ///< the continuation fails for another reason
};
GRBDA_EXPORT const char* to_string(BranchEnd end);

/// A point of a branch.
struct SweepPoint {
    double value = 0;           ///< position of the swept joint
    int step = -1;              ///< 0 … steps; −1: an end of the branch between two steps
    Eigen::VectorXd q;          ///< nq, closed
    double rcond = 0;           ///< of K_d of the cluster
    bool within_limits = true;  ///< limits of all joints of the cluster
};

/// A continuous curve of closed configurations in one assembly mode, over the range of the swept joint.
struct SweepBranch {
    std::vector<SweepPoint> points;  ///< at least one, in the order of the sweep
    BranchEnd begins = BranchEnd::bound, ends = BranchEnd::bound;
    int begins_with = -1, ends_with = -1;  ///< index of another branch with the same fold
};

/// Result of sweep().
struct Sweep {
    int body = 0;  ///< body of the swept joint
    std::vector<double> values;
    std::vector<SweepBranch> branches;
    int guesses = 0;  ///< number of guesses
    int closed = 0;   ///< number of guesses that led to a closed configuration
};

/// Computes the closed configurations of one cluster over a range of one of its joints, in all assembly modes
/// that are found. At each value it searches modes from random guesses, which alternately vary all joints, or
/// the joints of one loop of a known mode. Each mode is continued over the range in both directions as far as
/// possible. Two configurations belong to the same mode if the poses of all bodies of the cluster, or the
/// positions of all watched joints, are equal up to whole turns.
///
/// The joint becomes independent (prefer_coordinates). The other independent joints of its cluster, and
/// joints of other clusters, stay as in q. Free spins of rods stay as close to q as possible. Limits do not
/// end a branch, see SweepPoint::within_limits.
/// in      q [nq] closing the loops; body whose joint has one coordinate
/// errors  std::invalid_argument on a wrong size or index, for a joint of several coordinates, a joint that
///         cannot become independent, steps below 1, guesses below 0, numbers that are not finite, and
///         watched bodies of another cluster
/// cost    (steps + 1) · guesses times that of close_loops() for the cluster, and integrate() for each point;
///         allocates a workspace of its own
GRBDA_EXPORT Sweep sweep(const Model& model, ConstVectorRef q, int body, const SweepOptions& options);

}  // namespace grbda
