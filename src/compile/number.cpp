#include <algorithm>

#include "draft.hpp"
#include "grbda/kernels/elimination.hpp"

// Numbering of the independent velocities, their indices in
// y, and the order in which dependent ones are computed.

namespace grbda::compile {

namespace {

/// Indices in y of the independent velocities: in the order of q̇, but entries of `coordinates` are permuted.
Table<int> places_in_y(const Draft& draft, const Structure& model) {
    constexpr int dependent = -1;
    Table<int> place(model.v_index.size(), dependent);
    for (const int dof : model.independent) place[model.v_index[dof]] = 0;
    int next = 0;
    for (int& p : place)
        if (p != dependent) p = next++;
    Table<int> named, free;
    for (const int source : draft.mechanism.coordinates) {
        const Body& body = model.bodies[draft.body(source)];
        for (int v = body.v; v < body.v + velocity_size(body.joint); ++v)
            if (place[v] != dependent) named.push_back(v);
    }
    for (const int v : named) free.push_back(place[v]);
    std::sort(free.begin(), free.end());
    for (std::size_t i = 0; i < named.size(); ++i) place[named[i]] = free[i];
    return place;
}

/// Returns the cluster's part of a table that grows by `size`.
template <class T>
Range extend(Table<T>& table, int size) {
    const int first = static_cast<int>(table.size());
    table.resize(at(first + size));
    return {first, first + size};
}

/// Finds the fronts of a cluster, with storage for those of other
/// coordinates: twice as many and as large, where coordinates can change.
void find_fronts(Structure& model, Cluster& c) {
    model.front_count.push_back(0);
    if (c.rows == 0 || c.dependents() == 0) return;
    const int most = kernels::most_fronts(c), largest = kernels::largest_front_list(c);
    Table<Front> fronts(at(most));
    Table<int> lists(at(largest)), scratch(at(kernels::planning_size(c)));
    const int count = kernels::find_fronts(model, c, model.dependent.data() + c.dependent_begin,
                                           {fronts.data(), most, lists.data(), largest}, scratch.data());
    const Front& last = fronts[count - 1];
    const int used = last.list + last.rows + padded(last.columns.size() + last.met) + last.met;
    model.front_count.back() = count;
    c.fronts = extend(model.fronts, std::min(most, 2 * count));
    c.front_lists = extend(model.front_lists, std::min(largest, 2 * used + c.rows + padded(c.dependents())));
    std::copy_n(fronts.begin(), count, model.fronts.begin() + c.fronts.first);
    std::copy_n(lists.begin(), used, model.front_lists.begin() + c.front_lists.first);
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
    for (Cluster& c : model.clusters) find_fronts(model, c);
    model.nv = static_cast<int>(model.independent.size());
    const Table<int> place = places_in_y(draft, model);
    for (const int dof : model.independent) model.y_index.push_back(place[model.v_index[dof]]);
}

}  // namespace grbda::compile
