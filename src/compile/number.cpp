#include <algorithm>
#include <tuple>
#include <utility>

#include "compile.hpp"

// Numbering of the independent velocities, their places in y, and the order of the dependent ones.

namespace grbda::compile {

namespace {

/// Clusters whose one body with kinematics moves as ẏ says: free joints, and those that only drive rotors.
void find_direct_clusters(Model& model) {
    for (Cluster& c : model.clusters) {
        if (c.rotor_begin - c.body_begin != 1 || c.embedding == Embedding::implicit) continue;
        const Body& body = model.bodies[at(c.body_begin)];
        bool direct = c.m == velocity_size(body.joint);
        for (int j = 0; j < c.m; ++j) direct = direct && model.independent[at(c.y_begin + j)] == body.dof + j;
        if (!direct) continue;
        const bool base =
            c.embedding == Embedding::none && body.joint == JointType::floating && c.parent_body == world;
        c.kind = base ? ClusterKind::floating_base : ClusterKind::direct;
    }
}

/// Of the independent velocities, places in the order of q̇; entries of `coordinates` exchange theirs.
std::vector<int> places_in_y(const Model& model, const std::vector<int>& coordinates,
                             const Numbering& numbering) {
    constexpr int dependent = -1;
    std::vector<int> place(model.v_index.size(), dependent);
    for (const int dof : model.independent) place[at(model.v_index[at(dof)])] = 0;
    int next = 0;
    for (int& p : place)
        if (p != dependent) p = next++;
    std::vector<int> named, free;
    for (const int source : coordinates) {
        const Body& body = model.bodies[at(numbering.body_of[at(source)])];
        for (int v = body.v; v < body.v + velocity_size(body.joint); ++v)
            if (place[at(v)] != dependent) named.push_back(v);
    }
    for (const int v : named) free.push_back(place[at(v)]);
    std::sort(free.begin(), free.end());
    for (std::size_t i = 0; i < named.size(); ++i) place[at(named[i])] = free[i];
    return place;
}

RowRange hull(const RowRange& a, const RowRange& b) {
    return {std::min(a.begin, b.begin), std::max(a.end, b.end)};
}

/// Rows of K that a velocity occurs in, counted from the cluster's first.
RowRange rows_of(const Model& model, const Cluster& c, int dof) {
    RowRange rows{c.rows, 0};
    const auto add = [&](int begin, int end) { rows = hull(rows, {begin - c.row_begin, end - c.row_begin}); };
    for (int l = c.loops_begin; l < c.loops_end; ++l) {
        const Loop& loop = model.loops[at(l)];
        for (int t = loop.terms_begin; t < loop.terms_end; ++t)
            if (model.loop_terms[at(t)].dof == dof) add(loop.row, loop.row + loop.rows);
    }
    for (int l = c.couplings_begin; l < c.couplings_end; ++l) {
        const Coupling& coupling = model.couplings[at(l)];
        for (int t = coupling.terms_begin; t < coupling.terms_end; ++t)
            if (model.coupling_terms[at(t)].dof == dof) add(coupling.row, coupling.row + 1);
    }
    return rows;
}

/// Dependents of one loop before those that several share: then they fill less of K_d by becoming orthogonal.
void order_dependents(Model& model) {
    model.dependent_rows.resize(model.dependent.size());
    for (const Cluster& c : model.clusters) {
        using Column = std::pair<RowRange, int>;
        std::vector<Column> columns;
        for (int d = 0; d < c.dependents(); ++d) {
            const int dof = model.dependent[at(c.dependent_begin + d)];
            columns.emplace_back(rows_of(model, c, dof), dof);
        }
        const auto length = [](const Column& column) { return column.first.end - column.first.begin; };
        std::stable_sort(columns.begin(), columns.end(),
                         [&](const Column& a, const Column& b) { return length(a) < length(b); });
        RowRange* rows = model.dependent_rows.data() + c.dependent_begin;
        for (int d = 0; d < c.dependents(); ++d)
            std::tie(rows[d], model.dependent[at(c.dependent_begin + d)]) = columns[at(d)];
        for (int d = 0; d < c.dependents(); ++d)
            for (int later = d + 1; later < c.dependents(); ++later)
                if (rows[later].begin < rows[d].end && rows[d].begin < rows[later].end)
                    rows[later] = hull(rows[later], rows[d]);
    }
}

}  // namespace

void number_independents(Model& model, const std::vector<std::vector<int>>& independents,
                         const std::vector<int>& coordinates, const Numbering& numbering) {
    for (std::size_t k = 0; k < model.clusters.size(); ++k) {
        Cluster& c = model.clusters[k];
        c.m = static_cast<int>(independents[k].size());
        std::vector<char> taken(at(c.dofs), 0);
        for (const int j : independents[k]) {
            taken[at(j)] = 1;
            model.independent.push_back(c.dof_begin + j);
        }
        for (int j = 0; j < c.dofs; ++j)
            if (!taken[at(j)]) model.dependent.push_back(c.dof_begin + j);
    }
    lay_out(model);
    order_dependents(model);
    find_direct_clusters(model);
    model.nv = static_cast<int>(model.independent.size());
    const std::vector<int> place = places_in_y(model, coordinates, numbering);
    for (const int dof : model.independent) model.y_index.push_back(place[at(model.v_index[at(dof)])]);
    lay_out(model);
}

}  // namespace grbda::compile
