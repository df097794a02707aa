// Cluster tree: the condensation of the constraint dependency digraph.
//
// Why it is a tree: all subchains of a constraint hang below one body c. If two constraints with different
// such bodies c and d share a body, then c and d both lie on its path to the world, so one of them, say d,
// lies on a subchain of the other, and the union of the two again hangs below one body, c. By induction
// every cluster hangs below a single body, an ancestor of all its bodies.

#include <cassert>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

#include "cluster_tree.hpp"
#include "index.hpp"

namespace grbda::topology {
namespace {

using Lists = std::vector<std::vector<int>>;

Lists children_of_bodies(const std::vector<int>& parent) {
    Lists children(parent.size());
    for (std::size_t body = 0; body < parent.size(); ++body) {
        if (parent[body] >= 0) children[index(parent[body])].push_back(static_cast<int>(body));
    }
    return children;
}

Lists members_of_components(const std::vector<int>& component) {
    Lists members;
    for (std::size_t body = 0; body < component.size(); ++body) {
        if (index(component[body]) >= members.size()) members.resize(index(component[body]) + 1);
        members[index(component[body])].push_back(static_cast<int>(body));
    }
    return members;
}

/// The body outside the component to which its topmost bodies are attached.
std::vector<int> outside_parents(const std::vector<int>& parent, const std::vector<int>& component,
                                 std::size_t component_count) {
    constexpr int unknown = -2;
    std::vector<int> outside(component_count, unknown);
    for (std::size_t body = 0; body < parent.size(); ++body) {
        const int up = parent[body];
        if (up >= 0 && component[index(up)] == component[body]) continue;
        int& known = outside[index(component[body])];
        assert((known == unknown || known == up) && "a cluster hangs on one body");
        known = up;
    }
    return outside;
}

/// Depth-first order of the components; siblings, and the roots, by their smallest body.
std::vector<int> depth_first(const Lists& members, const std::vector<int>& component,
                             const std::vector<int>& outside) {
    std::vector<int> roots;
    Lists children(members.size());
    // Backwards over the bodies, so that the sibling with the smallest body ends on top of the stack.
    for (std::size_t body = component.size(); body-- > 0;) {
        const int own = component[body];
        if (index(members[index(own)].front()) != body) continue;
        const int up = outside[index(own)];
        (up < 0 ? roots : children[index(component[index(up)])]).push_back(own);
    }
    std::vector<int> order;
    std::vector<int>& stack = roots;
    while (!stack.empty()) {
        const int next = stack.back();
        stack.pop_back();
        order.push_back(next);
        stack.insert(stack.end(), children[index(next)].begin(), children[index(next)].end());
    }
    return order;
}

/// Always takes the smallest body whose parent is already placed: an order by number
/// is unchanged if every parent already has a smaller number than its children.
std::vector<int> parents_first(const std::vector<int>& members, const std::vector<int>& parent,
                               const Lists& children, const std::vector<int>& component) {
    const int own = component[index(members.front())];
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (const int body : members) {
        const int up = parent[index(body)];
        if (up < 0 || component[index(up)] != own) ready.push(body);
    }
    std::vector<int> order;
    while (!ready.empty()) {
        order.push_back(ready.top());
        ready.pop();
        for (const int child : children[index(order.back())]) {
            if (component[index(child)] == own) ready.push(child);
        }
    }
    assert(order.size() == members.size());
    return order;
}

}  // namespace

ClusterTree make_cluster_tree(const ConnectivityGraph& graph) {
    const std::vector<int> component = strongly_connected_components(constraint_dependency_digraph(graph));
    const Lists members = members_of_components(component);
    const Lists children = children_of_bodies(graph.parent);
    const std::vector<int> outside = outside_parents(graph.parent, component, members.size());

    ClusterTree tree;
    tree.cluster_of.resize(graph.parent.size());
    tree.position.resize(graph.parent.size());
    for (const int next : depth_first(members, component, outside)) {
        Cluster cluster;
        cluster.bodies = parents_first(members[index(next)], graph.parent, children, component);
        cluster.parent_body = outside[index(next)];
        if (cluster.parent_body >= 0) cluster.parent_cluster = tree.cluster_of[index(cluster.parent_body)];
        cluster.first_position = static_cast<int>(tree.order.size());
        for (const int body : cluster.bodies) {
            tree.cluster_of[index(body)] = static_cast<int>(tree.clusters.size());
            tree.position[index(body)] = static_cast<int>(tree.order.size());
            tree.order.push_back(body);
        }
        tree.clusters.push_back(std::move(cluster));
    }
    return tree;
}

}  // namespace grbda::topology
