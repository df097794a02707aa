#include <algorithm>

#include "draft.hpp"

// Where the numbers of each cluster lie in the flat arrays, and how long these are.

namespace grbda::compile {
namespace {

/// Numbers of scratch that inverting the dependent columns of K takes, and closing with the inverse: two
/// columns of K; K_d and two rows of it.
int inversion_scratch(const Cluster& c) {
    const int columns = c.dependents();
    return std::max(c.rows * c.dofs + (c.rows + std::max(columns, 2)) * padded(columns), 2 * c.rows);
}

std::size_t hash_of(const Structure& model) {
    std::size_t hash = 14695981039346656037u;
    const auto mix = [&](int number) { hash = (hash ^ static_cast<std::size_t>(number)) * 1099511628211u; };
    mix(model.nq);
    for (const Cluster& c : model.clusters)
        for (const int number :
             {c.parent_body, c.bodies.first, c.bodies.last, c.joints.last, c.angles.last, c.dofs, c.m, c.rows,
              c.loops.last, c.couplings.last, static_cast<int>(c.embedding), static_cast<int>(c.is_direct())})
            mix(number);
    return hash;
}

/// Clusters that hang on each one, and its places in y with theirs.
void find_subtrees(Structure& model) {
    const auto add = [](Range& range, const Range& part) {
        if (!part.empty()) range = range.empty() ? part : hull(range, part);
    };
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        c->after = std::max(c->after, c->index + 1);
        for (int j = c->y_begin; j < c->y_begin + c->m; ++j)
            add(c->subtree, {model.y_index[j], model.y_index[j] + 1});
        if (c->parent_cluster == world) continue;
        Cluster& parent = model.clusters[c->parent_cluster];
        add(parent.subtree, c->subtree);
        parent.after = std::max(parent.after, c->after);
    }
}

}  // namespace

void lay_out(Structure& model) {
    Sizes sizes;
    const auto take = [](int& end, int size) {
        const int begin = end;
        end += size;
        return begin;
    };
    for (Cluster& c : model.clusters) {
        c.G_begin = take(sizes.G, c.embedding == Embedding::none ? 0 : c.dofs * c.m);
        c.K_begin = take(sizes.K, c.rows * c.dofs);
        c.J_begin = take(sizes.J, c.is_direct() ? 0 : (c.bodies.size()) * c.m);
        c.e_begin = take(sizes.e, c.bodies.size() * c.m);
        c.W_begin = take(sizes.W, c.m);
        c.D_begin = take(sizes.D, c.m * c.m);
        c.inverse_begin = take(sizes.inverse, padded(c.rows) * c.dependents());
        c.basis_begin = take(sizes.basis, c.has_choice() ? c.dofs * c.dofs : 0);
        sizes.widest = std::max(sizes.widest, c.m);
        sizes.row_rates = std::max(sizes.row_rates, c.rows * c.m);
        sizes.scratch = std::max({sizes.scratch, inversion_scratch(c), c.m});
    }
    find_subtrees(model);
    model.sizes = sizes;
    model.layout = hash_of(model);
}

}  // namespace grbda::compile
