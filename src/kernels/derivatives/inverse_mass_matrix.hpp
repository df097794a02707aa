#pragma once

#include <algorithm>

#include "kernels/pass/half_inverse.hpp"
#include "kernels/pass/inverse_mass.hpp"
#include "kernels/derivatives/own_changes.hpp"
#include "simd/quad.hpp"

// Computes M⁻¹ = Tᵀ D⁻¹ T from the factors of C-ABA. Tᵀ is stored where M⁻¹ is written: from the last cluster
// on, only a cluster itself reads its columns.

namespace grbda::kernels {

using derivatives::Target;

/// Computes Tᵀ.
template <class S>
void reduce_units(const Model& model, Workspace<S>& data, const Target<S>& T) {
    clear(T, model.nv);
    ScratchScope scope(data.scratch);
    S* f = scope.take(model.sizes.widest);
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            const int row = model.y_index[c.y_begin + j];
            Force<S> p{};
            unit_force(data, c, j, f);
            reduce_force(data, c, f, p);
            for (int i = 0; i < c.m; ++i) T(row, model.y_index[c.y_begin + i]) = f[i];
            for (int b = c.parent_body; b != world;) {
                const Cluster& d = model.clusters[model.bodies[b].cluster];
                own_force(model, data, d, b, p, f);
                reduce_force(data, d, f, p);
                for (int i = 0; i < d.m; ++i) T(row, model.y_index[d.y_begin + i]) = f[i];
                b = d.parent_body;
            }
        }
}

/// Returns the ancestor on the world of a cluster. M⁻¹ has no entries for two different branches.
inline const Cluster& branch_of(const Model& model, const Cluster& c) {
    const Cluster* root = &c;
    while (root->parent_cluster != world) root = &model.clusters[root->parent_cluster];
    return *root;
}

/// Computes row y of Tᵀ D⁻¹ for a velocity of cluster c in directions.entries_y, with its columns in
/// directions.path. Returns their number.
template <class S>
int weigh_row(const Model& model, Workspace<S>& data, const Cluster& c, int y, const Target<S>& T) {
    Directions<S>& d = data.directions;
    int n = 0;
    for (int k = c.index; k != world; k = model.clusters[k].parent_cluster) {
        const Cluster& before = model.clusters[k];
        for (int i = 0; i < before.m; ++i) {
            const int column = model.y_index[before.y_begin + i];
            d.path[n] = column;
            d.entries_y[n++] = T(y, column) * data.D[before.D_begin + i * (before.m + 1)];
        }
    }
    return n;
}

/// Computes M⁻¹ column by column, because a cluster with passed rows has no factor of its own.
template <class S>
void inverse_mass_columns(const Model& model, Workspace<S>& data, const Target<S>& inverse) {
    for (int j = 0; j < model.nv; ++j) {
        S* const column = &inverse(0, j);
        for (int i = 0; i < model.nv; ++i) column[i] = S(i == j ? 1 : 0);
        inverse_mass_times(model, data, column, column);
    }
}

/// Computes M⁻¹ from the factors of aba().
template <class S>
void inverse_mass_matrix(const Model& model, Workspace<S>& data, const Target<S>& inverse) {
    if (!model.slot_row.empty()) return inverse_mass_columns(model, data, inverse);
    complete_jacobians<Bodies::carrying>(model, data);
    Directions<S>& d = data.directions;
    reduce_units(model, data, inverse);
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        const int* y = model.y_index.data() + c->y_begin;
        const Range rows = branch_of(model, *c).subtree;
        for (int j = 0; j < c->m; ++j) {
            const int n = weigh_row(model, data, *c, y[j], inverse);
            S* const column = d.columns.data() + j * model.nv;
            each_block_of_rows<S>(rows, [&](auto sum, int row) {
                for (int i = 0; i < n; ++i) sum.add(&inverse(row, d.path[i]), d.entries_y[i]);
                sum.store(column + row);
            });
        }
        for (int j = 0; j < c->m; ++j)
            std::copy_n(d.columns.data() + j * model.nv + rows.first, rows.size(),
                        &inverse(rows.first, y[j]));
    }
}

}  // namespace grbda::kernels
