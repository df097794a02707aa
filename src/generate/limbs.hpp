#pragma once

#include <vector>

#include "grbda/model/model.hpp"
#include "graph.hpp"
#include "tape.hpp"

// Finds clusters with equal operations, which are computed side by side in lanes.

namespace grbda::generated {

/// Clusters of equal limbs, one in each of 2 or 4 lanes; further lanes repeat the first.
struct Group {
    std::vector<int> clusters;
};

struct Grouping {
    std::vector<Group> groups;
    Table<int> group;  ///< per cluster; −1: not in a group
    Table<int> limb;   ///< per cluster: first cluster of its limb, on the trunk; −1: in the trunk
};

/// Finds limbs on the same body or on those of a group, outward as long as clusters have equal operations.
Grouping find_limbs(const Model& model, const Tape& tape, int lanes);

/// All operations without repetition, with lanes combined; `outputs` are the nodes of the tape's outputs.
struct Woven {
    Graph graph;
    std::vector<Table<int>> outputs;
    Table<int> rconds, margins;
    Grouping grouping;
};
struct Recording;
Woven weave(const Model& model, const Recording& recording, int lanes);

}  // namespace grbda::generated
