// Mechanisms of 100,000 bodies: every step is free of recursion and linear, or nearly so, in the number of
// bodies and constraints. A quadratic step would take minutes here.

#include <catch2/catch.hpp>

#include <cstddef>
#include <numeric>
#include <vector>

#include "topology/cluster_tree.hpp"

using grbda::topology::Cluster;
using grbda::topology::ClusterTree;
using grbda::topology::ConnectivityGraph;
using grbda::topology::make_cluster_tree;

namespace {

constexpr int bodies = 100000;
constexpr int loop_length = 10;

ConnectivityGraph chain() {
    ConnectivityGraph graph;
    for (int body = 0; body < bodies; ++body) graph.parent.push_back(body - 1);
    return graph;
}

/// Loops from bodies 10 k − 1 to 10 k + 9, so that each decade of bodies is a cluster.
ConnectivityGraph looped_chain() {
    ConnectivityGraph graph = chain();
    for (int last = loop_length - 1; last < bodies; last += loop_length) {
        graph.loops.push_back({last - loop_length, last});
    }
    return graph;
}

std::vector<int> all_bodies() {
    std::vector<int> result(bodies);
    std::iota(result.begin(), result.end(), 0);
    return result;
}

}  // namespace

TEST_CASE("a chain of 100,000 bodies with a loop every ten is a chain of clusters of ten") {
    const ClusterTree tree = make_cluster_tree(looped_chain());
    REQUIRE(tree.clusters.size() == bodies / loop_length);
    REQUIRE(tree.order == all_bodies());
    bool regular = true;
    for (std::size_t k = 0; k < tree.clusters.size(); ++k) {
        const Cluster& cluster = tree.clusters[k];
        regular = regular && cluster.bodies.size() == loop_length;
        regular = regular && cluster.parent_cluster == static_cast<int>(k) - 1;
        regular = regular && cluster.parent_body == cluster.bodies.front() - 1;
    }
    CHECK(regular);
}

TEST_CASE("a coupling from end to end makes a chain of 100,000 bodies one cluster") {
    ConnectivityGraph graph = looped_chain();
    graph.couplings.push_back({0, bodies - 1});
    const ClusterTree tree = make_cluster_tree(graph);
    REQUIRE(tree.clusters.size() == 1);
    CHECK(tree.order == all_bodies());
}

TEST_CASE("a chain numbered from its tip is put in order from its base") {
    ConnectivityGraph graph;
    for (int body = 0; body < bodies; ++body) graph.parent.push_back(body + 1 < bodies ? body + 1 : -1);
    graph.loops.push_back({-1, 0});
    const ClusterTree tree = make_cluster_tree(graph);
    REQUIRE(tree.clusters.size() == 1);
    const std::vector<int> ascending = all_bodies();
    CHECK(tree.order == std::vector<int>(ascending.rbegin(), ascending.rend()));
}

TEST_CASE("a coupling of all 100,000 joints of a chain, and a loop from each body to the world") {
    ConnectivityGraph graph = chain();
    graph.couplings.push_back(all_bodies());
    for (int body = 0; body < bodies; ++body) graph.loops.push_back({-1, body});
    CHECK(make_cluster_tree(graph).clusters.size() == 1);
}

TEST_CASE("100,000 bodies on the world in coupled pairs") {
    ConnectivityGraph graph;
    graph.parent.assign(bodies, -1);
    for (int body = 0; body < bodies; body += 2) graph.couplings.push_back({body, body + 1});
    const ClusterTree tree = make_cluster_tree(graph);
    REQUIRE(tree.clusters.size() == bodies / 2);
    CHECK(tree.order == all_bodies());
}
