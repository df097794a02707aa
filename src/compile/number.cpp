#include <algorithm>

#include "draft.hpp"
#include "kernels/constraint/elimination.hpp"

// Numbering of the independent velocities, their indices in
// y, and the order in which dependent ones are computed.

namespace grbda::compile {

namespace {

/// Indices in y of the independent velocities: in the order of q̇, but joints in `coordinates` are permuted.
/// Velocities of one joint stay together.
Table<int> places_in_y(const Draft& draft, const Structure& model) {
    constexpr int dependent = -1;
    Table<int> place(model.v_index.size(), dependent);
    Table<char> moves(model.bodies.size(), 0), is_listed(model.bodies.size(), 0);
    for (const int dof : model.independent) {
        place[model.v_index[dof]] = 0;
        moves[model.dof_body[dof]] = 1;
    }
    Table<int> order, listed;
    for (const int body : draft.body_of)
        if (moves[body]) order.push_back(body);
    for (const int source : draft.mechanism.coordinates) {
        const int body = draft.body(source);
        is_listed[body] = 1;
        if (moves[body]) listed.push_back(body);
    }
    auto next_listed = listed.begin();
    for (int& body : order)
        if (is_listed[body]) body = *next_listed++;
    int next = 0;
    for (const int body : order)
        for (int v = model.bodies[body].v; v < model.bodies[body].v + velocity_size(model.bodies[body].joint);
             ++v)
            if (place[v] != dependent) place[v] = next++;
    return place;
}

/// Returns the cluster's part of a table that grows by `size`.
template <class T>
Range extend(Table<T>& table, int size) {
    const int first = static_cast<int>(table.size());
    table.resize(at(first + size));
    return {first, first + size};
}

/// Finds the blocks of a cluster, with storage for those of other
/// coordinates: twice as many and as large, where coordinates can change.
void find_blocks(Structure& model, Cluster& c) {
    model.block_count.push_back(0);
    if (c.rows == 0 || c.dependents() == 0) return;
    const int most = kernels::most_blocks(c), largest = kernels::largest_block_list(c);
    Table<EliminationBlock> blocks(at(most));
    Table<int> lists(at(largest)), scratch(at(kernels::planning_size(c)));
    const int count = kernels::find_blocks(model, c, model.dependent.data() + c.dependent_begin,
                                           {blocks.data(), most, lists.data(), largest}, scratch.data());
    const EliminationBlock& last = blocks[count - 1];
    const int used = last.list + last.rows + padded(last.columns.size() + last.met) + last.met;
    model.block_count.back() = count;
    c.blocks = extend(model.blocks, std::min(most, 2 * count));
    c.block_lists = extend(model.block_lists, std::min(largest, 2 * used + c.rows + padded(c.dependents())));
    std::copy_n(blocks.begin(), count, model.blocks.begin() + c.blocks.first);
    std::copy_n(lists.begin(), used, model.block_lists.begin() + c.block_lists.first);
}

}  // namespace

void number_independents(const Draft& draft, Structure& model) {
    Table<char> taken(model.v_index.size(), 0);
    for (int k = 0; k < model.cluster_count(); ++k) {
        Cluster& c = model.clusters[k];
        c.m = static_cast<int>(draft.independents[k].size());
        c.y_begin = static_cast<int>(model.independent.size());
        c.dependent_begin = static_cast<int>(model.dependent.size());
        for (const int j : draft.independents[k]) {
            taken[c.dof_begin + j] = 1;
            model.independent.push_back(c.dof_begin + j);
        }
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
            if (!taken[dof]) model.dependent.push_back(dof);
    }
    for (Cluster& c : model.clusters) find_blocks(model, c);
    model.nv = static_cast<int>(model.independent.size());
    const Table<int> place = places_in_y(draft, model);
    for (const int dof : model.independent) model.y_index.push_back(place[model.v_index[dof]]);
}

}  // namespace grbda::compile
