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

/// Column x of the cluster, of forces, becomes −M⁻¹ x.
template <class S>
void accelerate_column(const Model& model, Data<S>& data, const Cluster& c, const Target<S>& inverse, S* x) {
    S* sum = data.u.data();
    std::fill_n(sum, model.nv, S(0));
    const auto add = [&](int row) {
        const S force = x[row];
        const S* column = &inverse(0, row);
        for (int i = 0; i < model.nv; ++i) sum[i] -= column[i] * force;
    };
    for (int row = c.subtree.first; row < c.subtree.last; ++row) add(row);
    for (int k = c.parent_cluster; k != world; k = model.clusters[k].parent_cluster) {
        const Cluster& d = model.clusters[k];
        for (int j = d.y_begin; j < d.y_begin + d.m; ++j)
            if (const int row = model.y_index[j]; row < c.subtree.first || row >= c.subtree.last) add(row);
    }
    std::copy_n(sum, model.nv, x);
}

/// ÿ, ∂ÿ/∂y, ∂ÿ/∂ẏ and ∂ÿ/∂τ; wrenches null: none.
template <class S>
void aba_derivatives(const Model& model, Data<S>& data, const S* q, const S* yd, const S* tau,
                     const S* wrenches, S* ydd, const ForwardTargets<S>& out) {
    aba(model, data, q, yd, tau, wrenches, ydd);
    inverse_mass_matrix(model, data, out.y, out.tau);
    rnea_derivatives(model, data, q, yd, ydd, wrenches, InverseTargets<S>{out.y, out.yd, {}});
    for (const Cluster& c : model.clusters)
        for (int j = c.y_begin; j < c.y_begin + c.m; ++j)
            for (const Target<S>& target : {out.y, out.yd})
                accelerate_column(model, data, c, out.tau, &target(0, model.y_index[j]));
}

}  // namespace grbda::kernels
