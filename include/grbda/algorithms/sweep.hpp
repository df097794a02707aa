#pragma once

#include <cstdint>
#include <vector>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Values of a sweep: `from`, …, `to` in equal steps; `from` may be the larger one.
struct SweepOptions {
    double from = 0, to = 0;  ///< rad or m
    int steps = 100;
    int guesses = 32;               ///< random ones at each value, to find assembly modes by
    std::uint64_t seed = 1;         ///< of them
    std::vector<int> watched = {};  ///< bodies whose joints distinguish the modes; empty: all of the cluster
};

/// Reason why a branch of a sweep ends.
enum class BranchEnd {
    bound,  ///< with the sweep
    fold,   ///< K_d loses rank: the mode ends there, or meets others
    lost    ///< it cannot be followed further, for another reason
};
GRBDA_EXPORT const char* to_string(BranchEnd end);

struct SweepPoint {
    double value = 0;           ///< of the swept joint
    int step = -1;              ///< 0 … steps; −1: between two, where the branch ends
    VectorX<double> q;          ///< nq, closed
    double rcond = 0;           ///< of the cluster's K_d
    bool within_limits = true;  ///< all joints of the cluster
};

/// Configurations of one assembly mode, as the swept joint goes from one end to the other.
struct SweepBranch {
    std::vector<SweepPoint> points;  ///< at least one, in the order of the sweep
    BranchEnd begins = BranchEnd::bound, ends = BranchEnd::bound;
    int begins_with = -1, ends_with = -1;  ///< another branch whose fold is the same configuration
};

struct Sweep {
    int body = 0;  ///< whose joint was swept
    std::vector<double> values;
    std::vector<SweepBranch> branches;
    int guesses = 0;  ///< that were tried
    int closed = 0;   ///< of them: that led to a closed configuration
};

/// Workspace of one joint through the loops of its cluster: the cluster's closed configurations over a range
/// of the joint, in all assembly modes that are found. Modes are looked for at each value from random
/// guesses: of all joints, and of the joints of one loop alone in a mode that is known, by turns. Each is
/// followed along the sweep to both sides, as far as it goes. Two configurations are one mode if all bodies
/// of the cluster stand alike, or all watched joints do, whatever whole turns joints are apart by.
///
/// The joint leads: where it is dependent, other coordinates of its cluster are (prefer_coordinates). Those
/// that are independent beside it, and joints of other clusters, stay as in q. A rod that can turn about
/// itself by a component of a rotation is turned to where it is most like q. Limits stop nothing. in      q
/// [nq] closing the loops; body whose joint has one coordinate errors  std::invalid_argument on a wrong size
/// or index, for a joint of several coordinates or one that
///         others cannot follow, for steps below 1, guesses below 0, numbers that are not finite, and watched
///         bodies of another cluster
/// cost    (steps + 1) · guesses times that of close_loops() for the cluster, and integrate() for each point;
///         allocates a workspace of its own
GRBDA_EXPORT Sweep sweep(const Model& model, ConstVector<double> q, int body, const SweepOptions& options);

}  // namespace grbda
