#include <algorithm>

#include "draft.hpp"
#include "kernels/constraint/elimination.hpp"

// Offsets of each cluster's numbers in the flat arrays, and lengths of these arrays.

namespace grbda::compile {
namespace {

/// Scratch size for inverting the dependent columns of K, and for closing with the inverse:
/// a column of K in whole blocks, another one and a row; K_d, two rows of it and normals.
int inversion_scratch(const Cluster& c) {
    const int columns = std::min(c.dependents(), c.rows);  // larger before independents are chosen
    return std::max(c.rows * c.dofs + (c.rows + std::max(columns, 2)) * padded(columns) + c.rows,
                    padded(c.rows) + c.rows + c.dofs);
}

std::size_t hash_of(const Structure& model) {
    std::size_t hash = 14695981039346656037u;
    const auto mix = [&](int number) { hash = (hash ^ static_cast<std::size_t>(number)) * 1099511628211u; };
    mix(model.nq);
    mix(model.sizes.passing);
    mix(model.sizes.row_factors);
    mix(static_cast<int>(model.rods.size()));
    mix(static_cast<int>(model.struts.size()));
    for (const Cluster& c : model.clusters)
        for (const int number :
             {c.parent_body, c.bodies.first, c.bodies.last, c.joints.last, c.angles.last, c.dofs, c.m, c.rows,
              c.loops.last, c.couplings.last, c.blocks.last, c.block_lists.last,
              static_cast<int>(c.embedding), static_cast<int>(c.is_direct()), c.slots.size()})
            mix(number);
    return hash;
}

/// Finds the clusters carried by each one, and its indices in y with theirs.
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

namespace {

int take(int& end, int size) {
    const int begin = end;
    end += size;
    return begin;
}

/// Lays out the arrays that grow with the square of a cluster.
void lay_out_embedding(Cluster& c, Sizes& sizes) {
    c.G_begin = take(sizes.G, c.embedding == Embedding::none ? 0 : c.dofs * c.m);
    c.J_begin = take(sizes.J, c.is_direct() ? 0 : c.bodies.size() * c.m);
    c.e_begin = take(sizes.e, c.bodies.size() * c.m);
    c.D_begin = take(sizes.D, c.m * c.m);
    c.basis_begin = take(sizes.basis, c.has_choice() ? c.dofs * c.dofs : 0);
    sizes.row_rates = std::max(sizes.row_rates, c.rows * c.m);
    const bool chosen = c.m > 0 || c.rows >= c.dofs;  // otherwise no pass visits it yet
    if (c.has_cut_tree() && chosen) sizes.scratch = std::max(sizes.scratch, c.dofs * c.dofs + c.m);
}

void lay_out_rest(Structure& model, Cluster& c, Sizes& sizes) {
    c.K_begin = take(sizes.K, c.rows * c.dofs);
    c.W_begin = take(sizes.W, c.m);
    c.inverse_begin = take(sizes.inverse, padded(c.rows) * c.dependents());
    sizes.widest = std::max(sizes.widest, c.m);
    sizes.scratch = std::max({sizes.scratch, inversion_scratch(c), c.m});
    if (c.has_choice()) sizes.planning = std::max(sizes.planning, kernels::planning_size(c));
    if (c.kind != ClusterKind::rows) return;
    const auto lay_out_passage = [&](int velocities, PassedRows& way) {
        const int ended = way.ended.size(), carried = way.carried.size();
        way.e_begin = take(sizes.passing, velocities * carried);
        way.factor_begin = take(sizes.row_factors, ended * (ended + carried));
    };
    c.Q_begin = take(sizes.Q, c.rows * c.rows);
    for (const int i : c.joints) lay_out_passage(velocity_size(model.bodies[i].joint), model.passed_rows[i]);
    lay_out_passage(0, c.base);
}

}  // namespace

void lay_out(Structure& model) {
    Sizes sizes;
    const auto is_long = [](const Cluster& c) { return c.kind == ClusterKind::rows && c.dofs > long_loop; };
    for (Cluster& c : model.clusters) {
        lay_out_rest(model, c, sizes);
        if (!is_long(c)) lay_out_embedding(c, sizes);
    }
    model.swept = sizes;
    for (Cluster& c : model.clusters)
        if (is_long(c)) lay_out_embedding(c, sizes);
    // couplings alone have a constant G, from which their rates are computed
    if (std::any_of(model.clusters.begin(), model.clusters.end(),
                    [&](const Cluster& c) { return is_long(c) && c.embedding == Embedding::constant; }))
        model.swept.G = sizes.G;
    find_subtrees(model);
    model.sizes = sizes;
    model.layout = hash_of(model);
}

}  // namespace grbda::compile
