#include "limbs.hpp"
#include "search/search.hpp"

#include <algorithm>
#include <map>

namespace grbda::generated {
namespace {

/// Returns a number for each cluster; equal numbers mean equal operations.
Table<int> alike(const Model& model, const Tape& tape) {
    std::vector<std::vector<int>> done(model.clusters.size());
    for (const Unit& unit : tape.units) {
        if (unit.cluster < 0) continue;
        std::vector<int>& operations = done[at(unit.cluster)];
        operations.push_back(-1);
        for (int i = unit.first; i < unit.last; ++i) {
            const Op op = tape.steps[i].op;  // all numbers, of the model or of the input, are equal here
            operations.push_back(static_cast<int>(op == Op::input ? Op::constant : op));
        }
    }
    std::map<std::vector<int>, int> kinds;
    Table<int> result;
    for (const std::vector<int>& operations : done)
        result.push_back(kinds.emplace(operations, static_cast<int>(kinds.size())).first->second);
    return result;
}

class Search {
public:
    Search(const Model& model, const Tape& tape, int lanes)
        : lanes_(lanes), kind_(alike(model, tape)), children_(model.clusters.size() + 1) {
        result_.group.resize(model.clusters.size(), -1);
        result_.limb.resize(model.clusters.size(), -1);
        shape_.resize(model.clusters.size());
        for (int k = model.cluster_count() - 1; k >= 0; --k) {
            children_[model.clusters[k].parent_cluster + 1].insert(
                children_[model.clusters[k].parent_cluster + 1].begin(), k);
            shape_[k] = shape(k);
        }
    }

    Grouping run() {
        branch(world);
        return std::move(result_);
    }

private:
    using Shape = std::vector<int>;

    /// Returns the shape of a cluster and all clusters on it.
    Shape shape(int k) const {
        Shape result{kind_[k]};
        for (const int child : children_[k + 1]) {
            result.insert(result.end(), shape_[child].begin(), shape_[child].end());
            result.push_back(-1);
        }
        return result;
    }

    /// Groups the clusters on one cluster; limbs of the same shape become neighbours.
    void branch(int cluster) {
        std::map<int, std::vector<int>> kinds;
        for (const int child : children_[cluster + 1]) kinds[kind_[child]].push_back(child);
        for (auto& [kind, clusters] : kinds) {
            std::stable_sort(clusters.begin(), clusters.end(),
                             [&](int a, int b) { return shape_[a] > shape_[b]; });
            for (std::size_t first = 0; first < clusters.size();) {
                const std::size_t count = std::min(clusters.size() - first, at(lanes_));
                if (count == 1) {
                    branch(clusters[first]);
                } else {
                    const std::vector<int> lanes(&clusters[first], &clusters[first] + count);
                    for (const int k : lanes) mark_limb(k, k);
                    follow(lanes);
                }
                first += count;
            }
        }
    }

    void mark_limb(int k, int limb) {
        result_.limb[k] = limb;
        for (const int child : children_[k + 1]) mark_limb(child, limb);
    }

    /// Makes a group, and groups of the clusters on its clusters.
    void follow(const std::vector<int>& clusters) {
        for (const int k : clusters) result_.group[k] = static_cast<int>(result_.groups.size());
        result_.groups.push_back({clusters});
        std::vector<std::vector<int>> left;
        for (const int k : clusters) left.push_back(children_[k + 1]);
        for (std::size_t lane = 0; lane < left.size(); ++lane)
            while (!left[lane].empty()) {
                const int kind = kind_[left[lane].front()];
                std::vector<int> lanes;
                for (std::size_t other = lane; other < left.size(); ++other) {
                    const auto found = std::find_if(left[other].begin(), left[other].end(),
                                                    [&](int k) { return kind_[k] == kind; });
                    if (found == left[other].end()) continue;
                    lanes.push_back(*found);
                    left[other].erase(found);
                }
                if (lanes.size() > 1) follow(lanes);
            }
    }

    int lanes_;
    Table<int> kind_;
    Table<std::vector<int>> children_;  ///< per cluster, the world first
    Table<Shape> shape_;
    Grouping result_;
};

}  // namespace

Grouping find_limbs(const Model& model, const Tape& tape, int lanes) {
    return Search(model, tape, lanes).run();
}

}  // namespace grbda::generated
