// Constraint dependency digraph: Chignoli, Slotine, Wensing, Kim, "URDF+: An Enhanced URDF for Robots
// with Kinematic Loops" (2024), Alg. 3.
//
// The subchain of body b below its ancestor c is the tree path from the child of c (its top) to b. A
// constraint owns one subchain per coupled body, all below one common ancestor c; its edges run from the
// end of each subchain to the top of the next. With the tree edges down the subchains they form a cycle
// through every body that the constraint relates, and through no other.
//
// Ancestors are found with jump pointers (Myers, "An applicative random-access stack", 1983): each body
// also stores one far ancestor, whose depth depends on the depth of the body alone. A search takes at most
// as many steps as the path has bodies, and only logarithmically many on a long one, so a constraint that
// couples every body of a long chain does not cost the square of its length.

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include "cluster_tree.hpp"
#include "index.hpp"

namespace grbda::topology {
namespace {

class Ancestors {
public:
    explicit Ancestors(const std::vector<int>& parents)
        : parent_(parents), depth_(parents.size(), unknown), jump_(parents.size(), -1) {
        std::vector<int> path;
        for (std::size_t start = 0; start < parent_.size(); ++start) {
            for (int body = static_cast<int>(start); depth(body) == unknown; body = parent(body)) {
                path.push_back(body);
                assert(path.size() <= parent_.size() && "the parents form a cycle");
            }
            for (; !path.empty(); path.pop_back()) place_below_parent(path.back());
        }
    }

    int parent(int body) const { return parent_[index(body)]; }

    /// Number of joints between the world and the body; 0 is the world itself.
    int depth(int body) const { return body < 0 ? 0 : depth_[index(body)]; }

    int at_depth(int body, int wanted) const {
        assert(wanted <= depth(body));
        while (depth(body) > wanted) body = depth(jump(body)) >= wanted ? jump(body) : parent(body);
        return body;
    }

    int nearest_common(int a, int b) const {
        const int shallower = std::min(depth(a), depth(b));
        a = at_depth(a, shallower);
        b = at_depth(b, shallower);
        while (a != b) {
            const bool meet_at_or_below_jump = jump(a) == jump(b);
            a = meet_at_or_below_jump ? parent(a) : jump(a);
            b = meet_at_or_below_jump ? parent(b) : jump(b);
        }
        return a;
    }

private:
    static constexpr int unknown = -1;

    int jump(int body) const { return body < 0 ? -1 : jump_[index(body)]; }

    void place_below_parent(int body) {
        const int up = parent(body);
        const int far = jump(up);
        const bool equal_strides = depth(up) - depth(far) == depth(far) - depth(jump(far));
        depth_[index(body)] = depth(up) + 1;
        jump_[index(body)] = equal_strides ? jump(far) : up;
    }

    const std::vector<int>& parent_;
    std::vector<int> depth_;
    std::vector<int> jump_;
};

[[maybe_unused]] bool is_body(int body, const ConnectivityGraph& graph) {
    return body >= 0 && index(body) < graph.parent.size();
}

[[maybe_unused]] bool is_body_or_world(int body, const ConnectivityGraph& graph) {
    return body == -1 || is_body(body, graph);
}

/// Closes the subchains from `ends` up to `ancestor` (without it) into one cycle.
void add_cycle(const std::vector<int>& ends, int ancestor, const Ancestors& ancestors, Digraph& digraph) {
    const int top_depth = ancestors.depth(ancestor) + 1;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        const int next_end = ends[(i + 1) % ends.size()];
        digraph.successors[index(ends[i])].push_back(ancestors.at_depth(next_end, top_depth));
    }
}

/// An end that is itself the nearest common ancestor has no subchain and is
/// left out: the loop then constrains the other subchain relative to it.
void add_loop(const LoopEdge& loop, const Ancestors& ancestors, Digraph& digraph) {
    assert(loop.predecessor != loop.successor && "a loop joint needs two bodies");
    const int common = ancestors.nearest_common(loop.predecessor, loop.successor);
    std::vector<int> ends;
    if (loop.predecessor != common) ends.push_back(loop.predecessor);
    if (loop.successor != common) ends.push_back(loop.successor);
    add_cycle(ends, common, ancestors, digraph);
}

/// A joint couples a body to its parent, so the subchains hang below the nearest common ancestor of the
/// parents of the coupled bodies.
void add_coupling(const std::vector<int>& bodies, const Ancestors& ancestors, Digraph& digraph) {
    if (bodies.empty()) return;
    int common = ancestors.parent(bodies.front());
    for (const int body : bodies) common = ancestors.nearest_common(common, ancestors.parent(body));
    add_cycle(bodies, common, ancestors, digraph);
}

}  // namespace

Digraph constraint_dependency_digraph(const ConnectivityGraph& graph) {
    assert(std::all_of(graph.parent.begin(), graph.parent.end(),
                       [&](int parent) { return is_body_or_world(parent, graph); }));
    const Ancestors ancestors(graph.parent);
    Digraph digraph{std::vector<std::vector<int>>(graph.parent.size())};
    for (std::size_t body = 0; body < graph.parent.size(); ++body) {
        const int parent = graph.parent[body];
        if (parent >= 0) digraph.successors[index(parent)].push_back(static_cast<int>(body));
    }
    for (const LoopEdge& loop : graph.loops) {
        assert(is_body_or_world(loop.predecessor, graph));
        assert(is_body_or_world(loop.successor, graph));
        add_loop(loop, ancestors, digraph);
    }
    for (const std::vector<int>& coupling : graph.couplings) {
        assert(std::all_of(coupling.begin(), coupling.end(), [&](int body) { return is_body(body, graph); }));
        add_coupling(coupling, ancestors, digraph);
    }
    return digraph;
}

}  // namespace grbda::topology
