#include <algorithm>

#include "draft.hpp"
#include "grbda/kernels/coordinates.hpp"

// Numbering of the independent velocities, their places in y, and the order of the dependent ones.

namespace grbda::compile {

namespace {

/// Of the independent velocities, places in the order of q̇; entries of `coordinates` exchange theirs.
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

/// Rows of K that a velocity occurs in, counted from the cluster's first.
Range rows_of(const Structure& model, const Cluster& c, int dof) {
    Range rows{c.rows, 0};
    const auto add = [&](int begin, int end) { rows = hull(rows, {begin - c.row_begin, end - c.row_begin}); };
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        for (const int t : loop.terms)
            if (model.loop_terms[t].dof == dof) add(loop.row, loop.row + loop.rows);
    }
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        for (const int t : coupling.terms)
            if (model.coupling_terms[t].dof == dof) add(coupling.row, coupling.row + 1);
    }
    return rows;
}

void order_dependents(Structure& model) {
    model.dof_rows.resize(model.v_index.size());
    model.dependent_rows.resize(model.dependent.size());
    for (const Cluster& c : model.clusters) {
        if (c.dependents() == 0) continue;
        for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
            model.dof_rows[dof] = rows_of(model, c, dof);
        kernels::order_dependents(model, c, model.dependent.data() + c.dependent_begin,
                                  model.dependent_rows.data() + c.dependent_begin);
    }
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
    order_dependents(model);
    model.nv = static_cast<int>(model.independent.size());
    const Table<int> place = places_in_y(draft, model);
    for (const int dof : model.independent) model.y_index.push_back(place[model.v_index[dof]]);
}

}  // namespace grbda::compile
