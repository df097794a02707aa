#pragma once

#include <vector>

#include "grbda/model/model.hpp"
#include "graph.hpp"
#include "tape.hpp"

// Clusters that do the same, side by side in lanes.

namespace grbda::generated {

/// Clusters of limbs that are alike, one in each of 2 or 4 lanes; lanes beyond them repeat the first.
struct Group {
    std::vector<int> clusters;
};

struct Grouping {
    std::vector<Group> groups;
    Table<int> group;  ///< per cluster; −1: alone
    Table<int> limb;   ///< per cluster: the one of its limb that hangs on the trunk; −1: of the trunk
};

/// Limbs that hang on the same body or on those of a group, as far out as clusters do the same operations.
Grouping find_limbs(const Model& model, const Tape& tape, int lanes);

/// All computed once, lanes together; `outputs` get the places of the tape's outputs.
struct Woven {
    Graph graph;
    std::vector<Table<int>> outputs;
    Table<int> rconds, margins;
    Grouping grouping;
};
struct Recording;
Woven weave(const Model& model, const Recording& recording, int lanes);

}  // namespace grbda::generated
