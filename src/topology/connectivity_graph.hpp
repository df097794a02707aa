#pragma once

#include <vector>

// Connectivity of a mechanism as integers alone: bodies 0 … n−1 with their
// spanning-tree parents, loop joints, and couplings between tree joints.
// −1 is the world. The joint that moves body i is joint i.

namespace grbda::topology {

struct LoopEdge {
    int predecessor = -1;
    int successor = -1;
};

struct ConnectivityGraph {
    std::vector<int> parent;  ///< any order of bodies; −1 for the world
    std::vector<LoopEdge> loops;
    std::vector<std::vector<int>> couplings;  ///< bodies whose tree joints one equation relates
};

}  // namespace grbda::topology
