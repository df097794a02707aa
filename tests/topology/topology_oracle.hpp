#pragma once

// Minimal aggregation on random mechanisms, against oracles that share nothing with the library: no nearest
// common ancestor, no digraph, no search, only sets of bodies.
//
// A constraint relates the tree joints whose motion enters its equation:
//   loop       the joints that move one end relative to the other, those above exactly one of its ends;
//   coupling   the joints it names.
// A partition of the bodies is an aggregation if (a) the joints that a constraint relates lie in one class
// and (b) all parents that lie outside a class are one body. From (b) the classes form a tree: the outside
// parent of a class is nearer to the world than all its bodies, hence so is the outside parent of the class
// above, and no chain of classes returns to its start.
//
// Which aggregation is the finest? Let c be the outside parent of a class. The path from a body of the class
// to the world leaves the class at c and cannot come back, so all bodies between belong to the class: (a) and
// (b) force into one class the subchains, down from one body c, of all bodies that a constraint relates, with
// c at or above the common ancestor of their parents; at the least that one.
//
// Uniting just these sets, by union-find, is enough, no further closure is needed. Let A be a set of bodies
// that contains, with every body, all others below c on its path, and B the same with d, and let them share
// x. If c = d, the union has the property with c. Otherwise both lie above x, say d below c; then d is in
// A, as it lies between x and c, and the union has the property with c. By induction every class of the
// union-find has one outside parent, and each step was forced: its classes are the finest aggregation.

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "topology/cluster_tree.hpp"

namespace grbda::topology_oracle {

using topology::Cluster;
using topology::ClusterTree;
using topology::ConnectivityGraph;
using topology::LoopEdge;

using Bodies = std::vector<int>;

inline std::size_t at(int body) { return static_cast<std::size_t>(body); }
inline int count(const Bodies& bodies) { return static_cast<int>(bodies.size()); }
inline bool contains(const Bodies& bodies, int body) {
    return std::find(bodies.begin(), bodies.end(), body) != bodies.end();
}

/// Results that do not depend on the standard library, unlike its distributions.
class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    int below(int bound) { return static_cast<int>(engine_() % static_cast<unsigned>(bound)); }

private:
    std::mt19937 engine_;
};

inline Bodies path_to_world(const ConnectivityGraph& graph, int body) {
    Bodies path;
    for (; body >= 0; body = graph.parent[at(body)]) path.push_back(body);
    return path;
}

// ---- random mechanisms

/// Any other body or the world, or an ancestor, or one with a near number: in a random graph before it is
/// shuffled mostly also near in the tree, which keeps clusters small and many.
inline int random_partner(const ConnectivityGraph& graph, int body, Random& random) {
    const int choice = random.below(5);
    if (choice == 0) return random.below(count(graph.parent) + 1) - 1;
    if (choice > 1) return std::max(-1, body - random.below(4) - 1);
    Bodies above = path_to_world(graph, graph.parent[at(body)]);
    above.push_back(-1);
    return above[at(random.below(count(above)))];
}

inline ConnectivityGraph random_graph(int bodies, Random& random) {
    ConnectivityGraph graph;
    const int straightness = random.below(4);
    for (int body = 0; body < bodies; ++body) {
        const bool extend = random.below(4) < straightness;
        graph.parent.push_back(extend ? body - 1 : random.below(body + 1) - 1);
    }
    for (int loops = random.below(bodies / 6 + 2); loops > 0; --loops) {
        const int end = random.below(bodies);
        const int other = random_partner(graph, end, random);
        if (other == end) continue;
        graph.loops.push_back(random.below(2) == 0 ? LoopEdge{end, other} : LoopEdge{other, end});
    }
    for (int couplings = random.below(bodies / 12 + 2); couplings > 0; --couplings) {
        Bodies coupled{random.below(bodies)};
        for (int terms = random.below(4); terms > 0; --terms) {
            coupled.push_back(std::max(0, random_partner(graph, coupled.front(), random)));
        }
        graph.couplings.push_back(coupled);
    }
    return graph;
}

inline Bodies random_permutation(int size, Random& random) {
    Bodies permutation(at(size));
    std::iota(permutation.begin(), permutation.end(), 0);
    for (int i = size - 1; i > 0; --i) std::swap(permutation[at(i)], permutation[at(random.below(i + 1))]);
    return permutation;
}

/// The same mechanism with body b called name[b], its constraints in reverse order, its loops turned round.
inline ConnectivityGraph relabelled(const ConnectivityGraph& graph, const Bodies& name) {
    const auto renamed = [&](int body) { return body < 0 ? -1 : name[at(body)]; };
    ConnectivityGraph result;
    result.parent.resize(graph.parent.size());
    for (int body = 0; body < count(graph.parent); ++body) {
        result.parent[at(renamed(body))] = renamed(graph.parent[at(body)]);
    }
    for (const LoopEdge& loop : graph.loops) {
        result.loops.push_back({renamed(loop.successor), renamed(loop.predecessor)});
    }
    for (Bodies coupling : graph.couplings) {
        std::transform(coupling.begin(), coupling.end(), coupling.begin(), renamed);
        std::reverse(coupling.begin(), coupling.end());
        result.couplings.push_back(std::move(coupling));
    }
    std::reverse(result.loops.begin(), result.loops.end());
    return result;
}

inline ConnectivityGraph random_shuffled_graph(int bodies, Random& random) {
    const ConnectivityGraph graph = random_graph(bodies, random);
    return relabelled(graph, random_permutation(bodies, random));
}

// ---- the oracles

inline Bodies related_by_loop(const ConnectivityGraph& graph, const LoopEdge& loop) {
    Bodies related;
    const Bodies one = path_to_world(graph, loop.predecessor), other = path_to_world(graph, loop.successor);
    std::copy_if(one.begin(), one.end(), std::back_inserter(related),
                 [&](int body) { return !contains(other, body); });
    std::copy_if(other.begin(), other.end(), std::back_inserter(related),
                 [&](int body) { return !contains(one, body); });
    return related;
}

/// Everything on the paths of the coupled bodies, but for what lies strictly above all of them.
inline Bodies subchains_of_coupling(const ConnectivityGraph& graph, const Bodies& coupling) {
    Bodies chains;
    for (const int end : coupling) {
        for (const int body : path_to_world(graph, end)) {
            const bool above_all = std::all_of(coupling.begin(), coupling.end(), [&](int coupled) {
                return contains(path_to_world(graph, graph.parent[at(coupled)]), body);
            });
            if (!above_all) chains.push_back(body);
        }
    }
    return chains;
}

/// Each body's class, named by its smallest body.
class Partition {
public:
    explicit Partition(int bodies) : smallest_(at(bodies)) {
        std::iota(smallest_.begin(), smallest_.end(), 0);
    }

    void unite(const Bodies& bodies) {
        for (const int body : bodies) {
            const auto [low, high] = std::minmax({find(bodies.front()), find(body)});
            smallest_[at(high)] = low;
        }
    }
    Bodies labels() {
        Bodies result;
        for (int body = 0; body < count(smallest_); ++body) result.push_back(find(body));
        return result;
    }

private:
    int find(int body) {
        while (smallest_[at(body)] != body) body = smallest_[at(body)] = smallest_[at(smallest_[at(body)])];
        return body;
    }
    Bodies smallest_;
};

inline Bodies united_subchains(const ConnectivityGraph& graph) {
    Partition partition(count(graph.parent));
    for (const LoopEdge& loop : graph.loops) partition.unite(related_by_loop(graph, loop));
    for (const Bodies& coupling : graph.couplings) partition.unite(subchains_of_coupling(graph, coupling));
    return partition.labels();
}

inline Bodies labels_of(const ClusterTree& tree) {
    Partition partition(count(tree.cluster_of));
    for (const Cluster& cluster : tree.clusters) partition.unite(cluster.bodies);
    return partition.labels();
}

inline std::vector<Bodies> related_joints(const ConnectivityGraph& graph) {
    std::vector<Bodies> related = graph.couplings;
    for (const LoopEdge& loop : graph.loops) related.push_back(related_by_loop(graph, loop));
    return related;
}

/// (a) and (b) above, and that every class reaches the world through its outside parents.
/// Labels are below the number of bodies.
inline bool is_aggregation(const ConnectivityGraph& graph, const std::vector<Bodies>& related,
                           const Bodies& label) {
    for (const Bodies& bodies : related) {
        for (const int body : bodies) {
            if (label[at(body)] != label[at(bodies.front())]) return false;
        }
    }
    constexpr int unknown = -2;
    Bodies outside(graph.parent.size(), unknown);
    for (std::size_t body = 0; body < graph.parent.size(); ++body) {
        const int parent = graph.parent[body];
        if (parent >= 0 && label[at(parent)] == label[body]) continue;
        int& known = outside[at(label[body])];
        if (known != unknown && known != parent) return false;
        known = parent;
    }
    for (const int start : label) {
        int steps = 0;
        for (int body = outside[at(start)]; body >= 0; body = outside[at(label[at(body)])]) {
            if (++steps > count(label)) return false;
        }
    }
    return true;
}

/// Next restricted growth string: label[i] ≤ 1 + max(label[0 … i−1]). They run through all partitions.
inline bool next_partition(Bodies& label) {
    for (std::size_t i = label.size(); i-- > 1;) {
        const auto here = label.begin() + static_cast<std::ptrdiff_t>(i);
        if (*here <= *std::max_element(label.begin(), here)) {
            ++*here;
            std::fill(here + 1, label.end(), 0);
            return true;
        }
    }
    return false;
}

inline bool refines(const Bodies& fine, const Bodies& coarse) {
    for (std::size_t i = 0; i < fine.size(); ++i) {
        if (coarse[i] != coarse[at(fine[i])]) return false;
    }
    return true;
}

}  // namespace grbda::topology_oracle
