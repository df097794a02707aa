#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compile.hpp"

// Closed configurations of a cluster with some joints exactly at the positions that files give.

namespace grbda::compile {

/// Positions of a cluster's joints that files give.
struct Said {
    JointPositions q;  ///< of all its joints; for joints without a given position, the first guess
    Table<char> held;  ///< per velocity of the cluster: nonzero if its joint has a given position
    bool any() const;
    bool all() const;
};

/// Given positions from `positions` by joint name, completed from q.
Said said_of(const Probe& probe, const std::map<std::string, std::vector<double>>& positions,
             const JointPositions& q);

/// Keeps only the joints whose velocities are all independent.
Said independent_part(const Probe& probe, const Said& said, const std::vector<int>& independents);

/// Zeros, and identity quaternions.
JointPositions zero_of(const Probe& probe);

/// Displacement per velocity, rad or relative to the cluster's size.
Eigen::VectorXd way_between(const Probe& probe, const JointPositions& from, const JointPositions& to);

/// True if q has all given positions, to the bit.
bool holds(const Probe& probe, const Said& said, const JointPositions& q);

/// Moves from a closed configuration, by steps small enough to stay in its assembly
/// mode, to one with all given positions. Returns nothing if the motion ends before.
std::optional<ClosedState> lead(const Probe& probe, const ClosedState& from, const Said& said);

/// Returns the closed configuration, near `now` and in its mode, with the least sum of squared displacements
/// from the given positions, rad or relative to the cluster's size. Velocities in `fixed` [dofs] are fixed.
ClosedState least_change(const Probe& probe, const Said& said, ClosedState now,
                         const Table<char>& fixed = {});

/// Enumerates closed configurations with all given positions: led there from the
/// closed ones among `near`, closed at once from said.q, then from random places.
class Holding {
public:
    Holding(const Probe& probe, const Said& said, Table<ClosedState> near);
    /// Returns nothing if there are no more.
    std::optional<ClosedState> next();

private:
    static constexpr int at_once = -1;  ///< lower numbers are random places, higher ones index near_

    const Probe& probe_;
    const Said& said_;
    Table<ClosedState> near_;
    std::mt19937_64 generator_;
    Table<int> tries_;  ///< the next one is last
};

}  // namespace grbda::compile
