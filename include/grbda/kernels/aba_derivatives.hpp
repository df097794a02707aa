#pragma once

#include "grbda/kernels/inverse_mass_matrix.hpp"
#include "grbda/kernels/rnea_derivatives.hpp"

// Derivatives of forward dynamics: ∂ÿ = −M⁻¹ ∂τ at the ÿ that τ makes, M⁻¹ from the factors of C-ABA. A
// column of ∂τ has entries for the clusters that its own hangs on, and for those that hang on it.

namespace grbda::kernels {

/// What derivatives of forward dynamics go to; `tau` is M⁻¹.
template <class S>
struct ForwardTargets {
    Target<S> y, yd, tau;
};

/// Clusters whose entries of a column of cluster c are not zero, into directions.path: places in y. Their
/// number.
template <class S>
int path_of(const Model& model, Data<S>& data, const Cluster& c) {
    int* const path = data.directions.path.data();
    int n = 0;
    for (int row = c.subtree.first; row < c.subtree.last; ++row) path[n++] = row;
    for (int k = c.parent_cluster; k != world; k = model.clusters[k].parent_cluster) {
        const Cluster& d = model.clusters[k];
        for (int j = d.y_begin; j < d.y_begin + d.m; ++j)
            if (const int row = model.y_index[j]; row < c.subtree.first || row >= c.subtree.last)
                path[n++] = row;
    }
    return n;
}

/// Columns x of ∂τ become −M⁻¹ x, where the cluster's branch has rows.
template <class S>
void accelerate_columns(const Model& model, Data<S>& data, const Cluster& c, const Range& rows,
                        const ForwardTargets<S>& out) {
    Directions<S>& d = data.directions;
    const int n = path_of(model, data, c);
    for (int j = c.y_begin; j < c.y_begin + c.m; ++j) {
        S *const y = &out.y(0, model.y_index[j]), *const yd = &out.yd(0, model.y_index[j]);
        for (int i = 0; i < n; ++i) {
            d.entries_y[i] = -y[d.path[i]];
            d.entries_yd[i] = -yd[d.path[i]];
        }
        each_block_of_rows<S>(rows, [&](auto sum_y, int row) {
            auto sum_yd = sum_y;
            for (int i = 0; i < n; ++i) {
                const S* column = &out.tau(row, d.path[i]);
                sum_y.add(column, d.entries_y[i]);
                sum_yd.add(column, d.entries_yd[i]);
            }
            sum_y.store(y + row);
            sum_yd.store(yd + row);
        });
    }
}

/// ÿ, ∂ÿ/∂y, ∂ÿ/∂ẏ and ∂ÿ/∂τ; wrenches null: none.
template <class S>
void aba_derivatives(const Model& model, Data<S>& data, const S* q, const S* yd, const S* tau,
                     const S* wrenches, S* ydd, const ForwardTargets<S>& out) {
    aba(model, data, q, yd, tau, wrenches, ydd);
    inverse_mass_matrix(model, data, out.y, out.tau);
    inverse_derivatives(model, data, q, ydd, wrenches, derivatives::InverseTargets<S>{out.y, out.yd, {}});
    for (const Cluster& c : model.clusters)
        accelerate_columns(model, data, c, branch_of(model, c).subtree, out);
}

}  // namespace grbda::kernels
