// Cluster trees of small mechanisms, by hand. In the pictures w is the world, a line is a tree joint, and
// a loop joint is written (predecessor, successor).

#include <catch2/catch.hpp>

#include <vector>

#include "topology/cluster_tree.hpp"

using grbda::topology::Cluster;
using grbda::topology::ClusterTree;
using grbda::topology::ConnectivityGraph;
using grbda::topology::constraint_dependency_digraph;
using grbda::topology::Digraph;
using grbda::topology::make_cluster_tree;
using grbda::topology::strongly_connected_components;

namespace {

using Lists = std::vector<std::vector<int>>;

Lists clusters(const ConnectivityGraph& graph) {
    Lists result;
    for (const Cluster& cluster : make_cluster_tree(graph).clusters) result.push_back(cluster.bodies);
    return result;
}

std::vector<int> parent_bodies(const ConnectivityGraph& graph) {
    std::vector<int> result;
    for (const Cluster& cluster : make_cluster_tree(graph).clusters) result.push_back(cluster.parent_body);
    return result;
}

}  // namespace

TEST_CASE("without constraints every body is its own cluster") {
    CHECK(clusters({{}, {}, {}}).empty());
    CHECK(clusters({{-1, 0, 0, -1}, {}, {}}) == Lists{{0}, {1}, {2}, {3}});
    CHECK(parent_bodies({{-1, 0, 0, -1}, {}, {}}) == std::vector<int>{-1, 0, 0, -1});
}

TEST_CASE("a loop joins its two path subchains and leaves their common ancestor outside") {
    //  w─0─1─2─3
    //      └─4─5─6     (3, 5)
    const std::vector<int> parent{-1, 0, 1, 2, 1, 4, 5};
    CHECK(clusters({parent, {{3, 5}}, {}}) == Lists{{0}, {1}, {2, 3, 4, 5}, {6}});
    CHECK(clusters({parent, {{5, 3}}, {}}) == Lists{{0}, {1}, {2, 3, 4, 5}, {6}});
    CHECK(parent_bodies({parent, {{3, 5}}, {}}) == std::vector<int>{-1, 0, 1, 5});
}

TEST_CASE("the digraph has the tree edges and one edge from each end to the top of the other subchain") {
    //  w─0─1─2
    //    └─3─4     (2, 4)
    const Digraph digraph = constraint_dependency_digraph({{-1, 0, 1, 0, 3}, {{2, 4}}, {}});
    CHECK(digraph.successors == Lists{{1, 3}, {2}, {3}, {4}, {1}});
}

TEST_CASE("a loop end that is an ancestor of the other stays outside the cluster") {
    //  w─0─1─2─3
    const std::vector<int> parent{-1, 0, 1, 2};
    CHECK(clusters({parent, {{0, 3}}, {}}) == Lists{{0}, {1, 2, 3}});
    CHECK(clusters({parent, {{3, 0}}, {}}) == Lists{{0}, {1, 2, 3}});
    CHECK(parent_bodies({parent, {{0, 3}}, {}}) == std::vector<int>{-1, 0});
    CHECK(clusters({parent, {{1, 2}}, {}}) == Lists{{0}, {1}, {2}, {3}});
}

TEST_CASE("a loop to the base joins the whole path to the world") {
    //  w─0─1─2─3
    //  └─4
    const std::vector<int> parent{-1, 0, 1, 2, -1};
    CHECK(clusters({parent, {{-1, 2}}, {}}) == Lists{{0, 1, 2}, {3}, {4}});
    CHECK(clusters({parent, {{2, -1}}, {}}) == Lists{{0, 1, 2}, {3}, {4}});
    CHECK(clusters({parent, {{1, 4}}, {}}) == Lists{{0, 1, 4}, {2}, {3}});
    CHECK(parent_bodies({parent, {{-1, 2}}, {}}) == std::vector<int>{-1, 2, -1});
}

TEST_CASE("nested loops: a loop inside the path of another joins its cluster") {
    //  w─0─1─2─3─4
    //    │ └─7
    //    └─5─6         outer (4, 6), inner (3, 7)
    const std::vector<int> parent{-1, 0, 1, 2, 3, 0, 5, 1};
    CHECK(clusters({parent, {{4, 6}}, {}}) == Lists{{0}, {1, 2, 3, 4, 5, 6}, {7}});
    CHECK(clusters({parent, {{3, 7}}, {}}) == Lists{{0}, {1}, {2, 3, 7}, {4}, {5}, {6}});
    CHECK(clusters({parent, {{4, 6}, {3, 7}}, {}}) == Lists{{0}, {1, 2, 3, 4, 5, 6, 7}});
    CHECK(parent_bodies({parent, {{3, 7}, {4, 6}}, {}}) == std::vector<int>{-1, 0});
}

TEST_CASE("nested loops: an inner loop on a part of the same path changes nothing") {
    //  w─0─1─2─3─4
    //    └─5─6         outer (4, 6), inner (1, 3)
    const std::vector<int> parent{-1, 0, 1, 2, 3, 0, 5};
    CHECK(clusters({parent, {{4, 6}, {1, 3}}, {}}) == Lists{{0}, {1, 2, 3, 4, 5, 6}});
}

TEST_CASE("a loop among side branches of a cluster is a cluster of its own") {
    //  w─0─1─2
    //    │ ├─4
    //    │ └─5
    //    └─3           (2, 3) and (4, 5)
    const std::vector<int> parent{-1, 0, 1, 0, 1, 1};
    CHECK(clusters({parent, {{2, 3}, {4, 5}}, {}}) == Lists{{0}, {1, 2, 3}, {4, 5}});
    CHECK(parent_bodies({parent, {{2, 3}, {4, 5}}, {}}) == std::vector<int>{-1, 0, 1});
}

TEST_CASE("overlapping loops: two loops that share a part of a path are one cluster") {
    //  w─0─1─2
    //    ├─3─4─5
    //    └─6─7         (2, 4) and (5, 7) share 3 and 4
    const std::vector<int> parent{-1, 0, 1, 0, 3, 4, 0, 6};
    CHECK(clusters({parent, {{2, 4}}, {}}) == Lists{{0}, {1, 2, 3, 4}, {5}, {6}, {7}});
    CHECK(clusters({parent, {{5, 7}}, {}}) == Lists{{0}, {1}, {2}, {3, 4, 5, 6, 7}});
    CHECK(clusters({parent, {{2, 4}, {5, 7}}, {}}) == Lists{{0}, {1, 2, 3, 4, 5, 6, 7}});
}

TEST_CASE("overlapping loops with different ancestors hang on the upper one") {
    //  w─0─1─2─3       (0, 2) and (1, 3) share 2
    const std::vector<int> parent{-1, 0, 1, 2};
    CHECK(clusters({parent, {{0, 2}, {1, 3}}, {}}) == Lists{{0}, {1, 2, 3}});
    CHECK(parent_bodies({parent, {{0, 2}, {1, 3}}, {}}) == std::vector<int>{-1, 0});
}

TEST_CASE("loops that meet end to end stay separate clusters") {
    //  w─0─1─2─3─4     (0, 2) and (2, 4)
    CHECK(clusters({{-1, 0, 1, 2, 3}, {{0, 2}, {2, 4}}, {}}) == Lists{{0}, {1, 2}, {3, 4}});
}

TEST_CASE("a coupling joins each coupled body up to the common ancestor of their parents") {
    //  w─0─1─2─3
    //    └─4           4 a rotor on 0
    const std::vector<int> parent{-1, 0, 1, 2, 0};
    CHECK(clusters({parent, {}, {{1, 4}}}) == Lists{{0}, {1, 4}, {2}, {3}});
    CHECK(clusters({parent, {}, {{4, 3}}}) == Lists{{0}, {1, 2, 3, 4}});
    CHECK(clusters({parent, {}, {{2, 3}}}) == Lists{{0}, {1}, {2, 3}, {4}});
    CHECK(clusters({parent, {}, {{0, 4}}}) == Lists{{0, 4}, {1}, {2}, {3}});
    CHECK(clusters({parent, {}, {{3}}}) == Lists{{0}, {1}, {2}, {3}, {4}});
    CHECK(parent_bodies({parent, {}, {{4, 3}}}) == std::vector<int>{-1, 0});
}

TEST_CASE("a coupling pulls in the bodies between a joint and the rotor that drives it") {
    //  w─0─1─2─3       3 a rotor mounted on 2, geared to joint 1
    CHECK(clusters({{-1, 0, 1, 2}, {}, {{1, 3}}}) == Lists{{0}, {1, 2, 3}});
}

TEST_CASE("couplings of several joints and several branches are one cluster") {
    //  w─0─1─2
    //    ├─3─4
    //    └─5─6         2, 4 and 5 coupled
    const std::vector<int> parent{-1, 0, 1, 0, 3, 0, 5};
    CHECK(clusters({parent, {}, {{2, 4, 5}}}) == Lists{{0}, {1, 2, 3, 4, 5}, {6}});
    CHECK(clusters({parent, {}, {{2, 4, 2, 5}}}) == Lists{{0}, {1, 2, 3, 4, 5}, {6}});
    CHECK(clusters({parent, {}, {{1, 3}, {4, 6}}}) == Lists{{0}, {1, 3, 4, 5, 6}, {2}});
}

TEST_CASE("a parallel belt and a loop that share a body are one cluster") {
    //  w─0─1─2         thigh, shank, foot
    //    ├─3           motor for the shank, geared to 1
    //    └─4           motor for the foot, geared to 1 and 2
    const std::vector<int> parent{-1, 0, 1, 0, 0};
    CHECK(clusters({parent, {}, {{1, 3}}}) == Lists{{0}, {1, 3}, {2}, {4}});
    CHECK(clusters({parent, {}, {{1, 3}, {1, 2, 4}}}) == Lists{{0}, {1, 2, 3, 4}});
    CHECK(clusters({parent, {{2, 4}}, {{1, 3}}}) == Lists{{0}, {1, 2, 3, 4}});
}

TEST_CASE("bodies are numbered depth first, clusters contiguous, parents before children") {
    //  w─3─0─5
    //  │   └─4     (5, 4)
    //  └─1─2       the parents come in no particular order
    const ClusterTree tree = make_cluster_tree({{3, -1, 1, -1, 0, 0}, {{5, 4}}, {}});
    CHECK(tree.order == std::vector<int>{1, 2, 3, 0, 4, 5});
    CHECK(tree.position == std::vector<int>{3, 0, 1, 2, 4, 5});
    CHECK(tree.cluster_of == std::vector<int>{3, 0, 1, 2, 4, 4});
    const Cluster& last = tree.clusters.back();
    CHECK(last.parent_body == 0);
    CHECK(last.parent_cluster == 3);
    CHECK(last.first_position == 4);
}

TEST_CASE("within a cluster a body waits for its parent and otherwise goes by number") {
    //  w─2─0
    //  └─1─3       (0, 3)
    CHECK(clusters({{2, -1, -1, 1}, {{0, 3}}, {}}) == Lists{{1, 2, 0, 3}});
}

TEST_CASE("strongly connected components come sources first") {
    const Digraph digraph{{{1}, {2}, {0, 3}, {4}, {3}, {4, 5}, {}}};
    const std::vector<int> component = strongly_connected_components(digraph);
    REQUIRE(component.size() == 7);
    CHECK(component[0] == component[1]);
    CHECK(component[1] == component[2]);
    CHECK(component[3] == component[4]);
    CHECK(component[0] < component[3]);
    CHECK(component[5] < component[3]);
    CHECK(component[5] != component[0]);
    CHECK(component[6] != component[5]);
    CHECK(strongly_connected_components({}).empty());
}
