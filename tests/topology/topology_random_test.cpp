// Laws of the cluster tree on random mechanisms. The top of topology_oracle.hpp defines a minimal aggregation
// and proves that the oracle finds it.

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "topology/cluster_tree.hpp"
#include "topology/topology_oracle.hpp"

using grbda::topology::Digraph;
using grbda::topology::make_cluster_tree;
using grbda::topology::strongly_connected_components;
using namespace grbda::topology_oracle;

namespace {

// The laws of the numbering, each as the first fault found.

std::string fault_in_bookkeeping(const ConnectivityGraph& graph, const ClusterTree& tree) {
    Bodies concatenated;
    for (std::size_t k = 0; k < tree.clusters.size(); ++k) {
        const Cluster& cluster = tree.clusters[k];
        if (cluster.bodies.empty()) return "empty cluster";
        if (cluster.first_position != count(concatenated)) return "clusters not contiguous";
        for (const int body : cluster.bodies) {
            if (tree.cluster_of[at(body)] != static_cast<int>(k)) return "cluster_of";
            const int parent = graph.parent[at(body)];
            const bool inside = parent >= 0 && tree.cluster_of[at(parent)] == static_cast<int>(k);
            if (!inside && parent != cluster.parent_body) return "two outside parents";
            concatenated.push_back(body);
        }
        const int above = cluster.parent_body < 0 ? -1 : tree.cluster_of[at(cluster.parent_body)];
        if (cluster.parent_cluster != above) return "parent cluster";
    }
    if (concatenated != tree.order) return "order is not the concatenation";
    if (tree.order.size() != graph.parent.size()) return "size of order";
    if (tree.position.size() != graph.parent.size()) return "size of position";
    for (std::size_t i = 0; i < tree.order.size(); ++i) {
        if (tree.position[at(tree.order[i])] != static_cast<int>(i)) return "position is not the inverse";
        const int parent = graph.parent[at(tree.order[i])];
        if (parent >= 0 && tree.position[at(parent)] >= static_cast<int>(i)) return "child before parent";
    }
    return "";
}

std::string fault_in_depth_first_order(const ClusterTree& tree) {
    Bodies open;                                        // the clusters from a root to the previous one
    Bodies last_sibling(tree.clusters.size() + 1, -1);  // smallest body of the last child; world first
    for (std::size_t k = 0; k < tree.clusters.size(); ++k) {
        const Cluster& cluster = tree.clusters[k];
        while (!open.empty() && open.back() != cluster.parent_cluster) open.pop_back();
        if (open.empty() && cluster.parent_cluster != -1) return "not depth first";
        open.push_back(static_cast<int>(k));
        const int smallest = *std::min_element(cluster.bodies.begin(), cluster.bodies.end());
        int& last = last_sibling[at(cluster.parent_cluster + 1)];
        if (smallest <= last) return "siblings not by smallest body";
        last = smallest;
    }
    return "";
}

std::string fault_within_clusters(const ConnectivityGraph& graph, const ClusterTree& tree) {
    for (const Cluster& cluster : tree.clusters) {
        for (auto chosen = cluster.bodies.begin(); chosen != cluster.bodies.end(); ++chosen) {
            for (auto later = chosen + 1; later != cluster.bodies.end(); ++later) {
                const int parent = graph.parent[at(*later)];
                const bool ready = std::find(chosen, cluster.bodies.end(), parent) == cluster.bodies.end();
                if (*later < *chosen && ready) return "a smaller body was ready";
            }
        }
    }
    return "";
}

/// The clusters with the bodies that the bits choose taken out of one of them; its last body always stays.
Bodies split_labels(const ClusterTree& tree, const Cluster& cluster, unsigned leaving) {
    Bodies label = tree.cluster_of;
    const int fresh = static_cast<int>(tree.clusters.size());
    for (std::size_t i = 0; i + 1 < cluster.bodies.size(); ++i) {
        if ((leaving >> i & 1u) != 0) label[at(cluster.bodies[i])] = fresh;
    }
    return label;
}

constexpr int mechanisms = 4000;
constexpr int most_bodies = 40;

}  // namespace

TEST_CASE("clusters equal a union-find over path subchains") {
    Random random(1);
    for (int mechanism = 0; mechanism < mechanisms; ++mechanism) {
        CAPTURE(mechanism);
        const ConnectivityGraph graph = random_shuffled_graph(1 + random.below(most_bodies), random);
        REQUIRE(labels_of(make_cluster_tree(graph)) == united_subchains(graph));
    }
}

TEST_CASE("the random mechanisms have nested, overlapping, ancestor and base loops and couplings") {
    Random random(1);
    int nested = 0, overlapping = 0, ancestor = 0, base = 0, coupled_branches = 0, filled_couplings = 0;
    for (int mechanism = 0; mechanism < mechanisms; ++mechanism) {
        const ConnectivityGraph graph = random_shuffled_graph(1 + random.below(most_bodies), random);
        std::vector<Bodies> related;
        for (const LoopEdge& loop : graph.loops) {
            related.push_back(related_by_loop(graph, loop));
            const bool to_base = loop.predecessor < 0 || loop.successor < 0;
            base += to_base;
            ancestor += !to_base && (contains(path_to_world(graph, loop.predecessor), loop.successor) ||
                                     contains(path_to_world(graph, loop.successor), loop.predecessor));
        }
        for (const Bodies& one : related) {
            for (const Bodies& other : related) {
                const auto shared =
                    std::count_if(one.begin(), one.end(), [&](int body) { return contains(other, body); });
                nested += shared == count(one) && count(one) < count(other);
                overlapping += shared > 0 && shared < count(one) && shared < count(other);
            }
        }
        for (const Bodies& coupling : graph.couplings) {
            const Bodies chains = subchains_of_coupling(graph, coupling);
            filled_couplings += std::any_of(chains.begin(), chains.end(),
                                            [&](int body) { return !contains(coupling, body); });
            coupled_branches += coupling.size() > 2;
        }
    }
    constexpr int thousand = 1000;
    CHECK(nested > thousand);
    CHECK(overlapping > thousand);
    CHECK(ancestor > thousand);
    CHECK(base > thousand);
    CHECK(coupled_branches > thousand);
    CHECK(filled_couplings > thousand);
}

TEST_CASE("clusters are the finest of all partitions that are aggregations") {
    constexpr int most_for_all_partitions = 7;  // 877 partitions
    Random random(2);
    for (int mechanism = 0; mechanism < mechanisms; ++mechanism) {
        CAPTURE(mechanism);
        const int bodies = 1 + random.below(most_for_all_partitions);
        const ConnectivityGraph graph = random_shuffled_graph(bodies, random);
        const Bodies clusters = labels_of(make_cluster_tree(graph));
        const std::vector<Bodies> related = related_joints(graph);
        REQUIRE(is_aggregation(graph, related, clusters));
        bool finest = true;
        Bodies label(at(bodies), 0);
        do {
            if (is_aggregation(graph, related, label)) finest = finest && refines(clusters, label);
        } while (next_partition(label));
        REQUIRE(finest);
    }
}

TEST_CASE("no cluster can be split in two") {
    constexpr std::size_t most_for_all_splits = 8;
    Random random(3);
    int splits = 0;
    for (int mechanism = 0; mechanism < mechanisms / 2; ++mechanism) {
        CAPTURE(mechanism);
        const ConnectivityGraph graph = random_shuffled_graph(1 + random.below(most_bodies), random);
        const ClusterTree tree = make_cluster_tree(graph);
        const std::vector<Bodies> related = related_joints(graph);
        REQUIRE(is_aggregation(graph, related, tree.cluster_of));
        for (const Cluster& cluster : tree.clusters) {
            const std::size_t size = cluster.bodies.size();
            if (size > most_for_all_splits) continue;
            for (unsigned leaving = 1; leaving < 1u << (size - 1); ++leaving, ++splits) {
                REQUIRE_FALSE(is_aggregation(graph, related, split_labels(tree, cluster, leaving)));
            }
        }
    }
    CHECK(splits > mechanisms);
}

TEST_CASE("all outside parents of a cluster are one, and the numbering is regular") {
    Random random(4);
    for (int mechanism = 0; mechanism < mechanisms; ++mechanism) {
        CAPTURE(mechanism);
        const ConnectivityGraph graph = random_shuffled_graph(1 + random.below(most_bodies), random);
        const ClusterTree tree = make_cluster_tree(graph);
        REQUIRE(fault_in_bookkeeping(graph, tree) == "");
        REQUIRE(fault_in_depth_first_order(tree) == "");
        REQUIRE(fault_within_clusters(graph, tree) == "");
    }
}

TEST_CASE("the clusters do not depend on the numbering of the bodies or the order of the constraints") {
    Random random(5);
    for (int mechanism = 0; mechanism < mechanisms; ++mechanism) {
        CAPTURE(mechanism);
        const int bodies = 1 + random.below(most_bodies);
        const ConnectivityGraph graph = random_graph(bodies, random);
        const Bodies name = random_permutation(bodies, random);
        const ClusterTree tree = make_cluster_tree(graph);
        Partition renamed(bodies);
        for (const Cluster& cluster : tree.clusters) {
            Bodies names;
            for (const int body : cluster.bodies) names.push_back(name[at(body)]);
            renamed.unite(names);
        }
        REQUIRE(labels_of(make_cluster_tree(relabelled(graph, name))) == renamed.labels());
    }
}

TEST_CASE("a regular numbering does not change") {
    Random random(6);
    for (int mechanism = 0; mechanism < mechanisms; ++mechanism) {
        CAPTURE(mechanism);
        const int bodies = 1 + random.below(most_bodies);
        const ConnectivityGraph graph = random_graph(bodies, random);
        const ConnectivityGraph regular = relabelled(graph, make_cluster_tree(graph).position);
        Bodies identity(at(bodies));
        std::iota(identity.begin(), identity.end(), 0);
        REQUIRE(make_cluster_tree(regular).order == identity);
    }
}

TEST_CASE("strongly connected components agree with mutual reachability") {
    Random random(7);
    for (int trial = 0; trial < mechanisms; ++trial) {
        CAPTURE(trial);
        const std::size_t nodes = at(1 + random.below(12));
        Digraph digraph{std::vector<Bodies>(nodes)};
        std::vector<std::vector<bool>> reaches(nodes, std::vector<bool>(nodes, false));
        for (int edges = random.below(2 * static_cast<int>(nodes)); edges > 0; --edges) {
            const int from = random.below(static_cast<int>(nodes));
            const int to = random.below(static_cast<int>(nodes));
            digraph.successors[at(from)].push_back(to);
            reaches[at(from)][at(to)] = true;
        }
        for (std::size_t via = 0; via < nodes; ++via) {
            reaches[via][via] = true;
            for (std::size_t i = 0; i < nodes; ++i) {
                for (std::size_t j = 0; j < nodes; ++j) {
                    if (reaches[i][via] && reaches[via][j]) reaches[i][j] = true;
                }
            }
        }
        const Bodies component = strongly_connected_components(digraph);
        bool agrees = component.size() == nodes;
        for (std::size_t i = 0; i < nodes && agrees; ++i) {
            for (std::size_t j = 0; j < nodes; ++j) {
                agrees = agrees && (component[i] == component[j]) == (reaches[i][j] && reaches[j][i]);
                agrees = agrees && (!reaches[i][j] || component[i] <= component[j]);
            }
        }
        REQUIRE(agrees);
    }
}
