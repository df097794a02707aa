#pragma once

#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "compile.hpp"

// Closed configurations of a cluster with some joints exactly where files say.

namespace grbda::compile {

/// What files say of the positions of a cluster's joints.
struct Said {
    JointPositions q;  ///< of all its joints; of those not said, where to look first
    Table<char> held;  ///< per velocity of the cluster: not zero if its joint is said
    bool any() const;
    bool all() const;
};

/// What `positions` say by name, with the values that q has.
Said said_of(const Probe& probe, const std::map<std::string, std::vector<double>>& positions,
             const JointPositions& q);

/// Of that only the joints all of whose velocities are independent.
Said independent_part(const Probe& probe, const Said& said, const std::vector<int>& independents);

/// Zero, and identities.
JointPositions zero_of(const Probe& probe);

/// Per velocity, rad or relative to the cluster's size.
Eigen::VectorXd way_between(const Probe& probe, const JointPositions& from, const JointPositions& to);

/// What is said is so at q, to the bit.
bool holds(const Probe& probe, const Said& said, const JointPositions& q);

/// From a closed configuration, by steps small enough to stay in its assembly mode, to one that holds what is
/// said. Nothing: the way ends before.
std::optional<ClosedState> lead(const Probe& probe, const ClosedState& from, const Said& said);

/// The closed configuration, near `now` and in its mode, with the least sum of squared ways of what is said,
/// rad or relative to the cluster's size. Velocities in `fixed` [dofs] stay; none if empty.
ClosedState least_change(const Probe& probe, const Said& said, ClosedState now,
                         const Table<char>& fixed = {});

/// One after the other the closed configurations found that hold all that is said: led there from those of
/// `near` that are closed, closed at once from said.q, then from random places.
class Holding {
public:
    Holding(const Probe& probe, const Said& said, Table<ClosedState> near);
    /// Nothing: there are no more.
    std::optional<ClosedState> next();

private:
    static constexpr int at_once = -1;  ///< below it random places, above the number in near_

    const Probe& probe_;
    const Said& said_;
    Table<ClosedState> near_;
    std::mt19937_64 generator_;
    Table<int> tries_;  ///< the next one last
};

}  // namespace grbda::compile
