#pragma once

#include <vector>

#include "connectivity_graph.hpp"
#include "grbda/export.hpp"

namespace grbda::topology {

/// Adjacency lists: node → nodes that depend on it.
struct Digraph {
    std::vector<std::vector<int>> successors;
};

/// Constraint dependency digraph (URDF+ paper, Alg. 3), with tree edges parent → child, and for every
/// loop and coupling the edges that close its path subchains into cycles. Bodies only: the world is no node.
/// cost    O(bodies + total length of the path subchains)
GRBDA_EXPORT Digraph constraint_dependency_digraph(const ConnectivityGraph& graph);

/// Component of each node, numbered in topological order of the condensation (sources first).
/// Tarjan 1972, without recursion.
/// cost    O(nodes + edges)
GRBDA_EXPORT std::vector<int> strongly_connected_components(const Digraph& digraph);

struct Cluster {
    std::vector<int> bodies;  ///< parents before children; then by number
    int parent_body = -1;     ///< the only body outside that is a parent of its bodies; −1 world
    int parent_cluster = -1;
    int first_position = 0;  ///< of the cluster's bodies in `order`
};

/// Clusters with parents before children. Concatenating their bodies gives `order`.
struct ClusterTree {
    std::vector<Cluster> clusters;
    std::vector<int> cluster_of;  ///< body → cluster
    std::vector<int> order;       ///< regular numbering: position → body; clusters contiguous
    std::vector<int> position;    ///< body → position
};

/// Minimal aggregation: the clusters are the strongly connected components.
/// Among siblings the cluster with the smallest body comes first, depth-first.
GRBDA_EXPORT ClusterTree make_cluster_tree(const ConnectivityGraph& graph);

}  // namespace grbda::topology
