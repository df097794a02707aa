// Strongly connected components: Tarjan, "Depth-first search and linear graph algorithms" (1972), with the
// recursion replaced by an explicit stack of (node, next successor to look at).

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <vector>

#include "cluster_tree.hpp"
#include "index.hpp"

namespace grbda::topology {
namespace {

class Tarjan {
public:
    explicit Tarjan(const Digraph& digraph)
        : successors_(digraph.successors),
          number_(successors_.size(), unvisited),
          low_link_(successors_.size(), 0),
          component_(successors_.size(), unvisited) {}

    std::vector<int> components() {
        for (std::size_t node = 0; node < successors_.size(); ++node) {
            if (number_[node] == unvisited) search_from(static_cast<int>(node));
        }
        // Components are completed sinks first; the result needs the condensation sources first.
        for (int& component : component_) component = component_count_ - 1 - component;
        return component_;
    }

private:
    struct Visit {
        int node;
        std::size_t next_successor;
    };

    static constexpr int unvisited = -1;

    void search_from(int root) {
        enter(root);
        while (!visits_.empty()) {
            Visit& visit = visits_.back();
            const std::vector<int>& successors = successors_[index(visit.node)];
            if (visit.next_successor == successors.size()) {
                leave(visit.node);
                continue;
            }
            const int successor = successors[visit.next_successor++];
            assert(successor >= 0 && index(successor) < successors_.size());
            if (number_[index(successor)] == unvisited) {
                enter(successor);
            } else if (component_[index(successor)] == unvisited) {
                lower(visit.node, number_[index(successor)]);
            }
        }
    }

    void enter(int node) {
        number_[index(node)] = low_link_[index(node)] = next_number_++;
        open_.push_back(node);
        visits_.push_back({node, 0});
    }

    void leave(int node) {
        visits_.pop_back();
        if (!visits_.empty()) lower(visits_.back().node, low_link_[index(node)]);
        if (low_link_[index(node)] != number_[index(node)]) return;
        int member = unvisited;
        do {
            member = open_.back();
            open_.pop_back();
            component_[index(member)] = component_count_;
        } while (member != node);
        ++component_count_;
    }

    void lower(int node, int reached) { low_link_[index(node)] = std::min(low_link_[index(node)], reached); }

    const std::vector<std::vector<int>>& successors_;
    std::vector<int> number_;    // order of discovery
    std::vector<int> low_link_;  // smallest number known to be reachable within the open nodes
    std::vector<int> component_;
    std::vector<int> open_;      // discovered nodes whose component is not complete
    std::vector<Visit> visits_;  // path from the root of the search
    int next_number_ = 0;
    int component_count_ = 0;
};

}  // namespace

std::vector<int> strongly_connected_components(const Digraph& digraph) {
    return Tarjan(digraph).components();
}

}  // namespace grbda::topology
