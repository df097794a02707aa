#pragma once

#include <algorithm>

#include "grbda/kernels/aba.hpp"
#include "grbda/kernels/own_changes.hpp"

// M⁻¹ from the factors that C-ABA leaves. What a unit force on one velocity is after the backward sweep is a
// column of T, zero but for the clusters that its own hangs on; M⁻¹ = Tᵀ D⁻¹ T, with D the pivots.

namespace grbda::kernels {

/// L⁻¹ f of the cluster's own forces, f = −Jᵀ p of what goes through its body b; p takes on what they pass
/// on.
template <class S>
void reduce_force(const Model& model, const Data<S>& data, const Cluster& c, int b, Force<S>& p, S* f) {
    const S* D = data.D.data() + c.D_begin;
    if (c.kind == ClusterKind::floating_base) {  // its D is that of the axes of the common frame
        const S own[6] = {-p.linear.x, -p.linear.y, -p.linear.z, -p.angular.x, -p.angular.y, -p.angular.z};
        std::copy_n(own, 6, f);
        solve_lower<6>(D, 6, f);
        return;
    }
    const Motion<S>* J = jacobian_of(model, data, c, b);
    for (int j = 0; j < c.m; ++j) f[j] = -dot(J[j], p);
    solve_lower<0>(D, c.m, f);
    if (c.parent_body == world) return;
    const Force<S>* W = data.W.data() + c.W_begin;
    for (int j = 0; j < c.m; ++j) p += W[j] * S(D[j * c.m + j] * f[j]);
}

/// Unit force j on a cluster, reduced, into f; returns what it passes on.
template <class S>
Force<S> reduce_unit(const Model&, const Data<S>& data, const Cluster& c, int j, S* f) {
    const S* D = data.D.data() + c.D_begin;
    Force<S> p{};
    if (c.kind == ClusterKind::floating_base) {
        const Matrix3<S>& R = data.R[c.bodies.first];
        const Vector3<S>& axis = column(R, j % 3);
        const Vector3<S> none{S(0), S(0), S(0)}, linear = j < 3 ? axis : none, angular = j < 3 ? none : axis;
        const S own[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
        std::copy_n(own, 6, f);
        solve_lower<6>(D, 6, f);
        return p;
    }
    for (int i = 0; i < c.m; ++i) f[i] = S(i == j ? 1 : 0);
    solve_lower<0>(D, c.m, f);
    if (c.parent_body == world) return p;
    const Force<S>* W = data.W.data() + c.W_begin;
    for (int i = 0; i < c.m; ++i) p += W[i] * S(D[i * c.m + i] * f[i]);
    return p;
}

/// Tᵀ: rows in the user's order, columns in that of the sweeps.
template <class S>
void reduce_units(const Model& model, Data<S>& data, const Target<S>& T) {
    clear_target(T, model.nv);
    S* f = data.scratch.data();
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            const int row = model.y_index[c.y_begin + j];
            Force<S> p = reduce_unit(model, data, c, j, f);
            for (int i = 0; i < c.m; ++i) T(row, c.y_begin + i) = f[i];
            for (int b = c.parent_body; b != world;) {
                const Cluster& d = model.clusters[model.bodies[b].cluster];
                reduce_force(model, data, d, b, p, f);
                for (int i = 0; i < d.m; ++i) T(row, d.y_begin + i) = f[i];
                b = d.parent_body;
            }
        }
}

/// M⁻¹, of factors that aba() left. T: scratch [nv × nv].
template <class S>
void inverse_mass_matrix(const Model& model, Data<S>& data, const Target<S>& T, const Target<S>& inverse) {
    reduce_units(model, data, T);
    clear_target(inverse, model.nv);
    for (const Cluster& c : model.clusters)
        for (int j = 0; j < c.m; ++j) {
            const int y = model.y_index[c.y_begin + j];
            S* column = &inverse(0, y);
            for (int k = c.index; k != world; k = model.clusters[k].parent_cluster) {
                const Cluster& d = model.clusters[k];
                const S* D = data.D.data() + d.D_begin;
                for (int i = 0; i < d.m; ++i) {
                    const S factor = T(y, d.y_begin + i) * D[i * d.m + i];
                    const S* row = &T(0, d.y_begin + i);
                    for (int r = d.subtree.first; r < d.subtree.last; ++r) column[r] += row[r] * factor;
                }
            }
        }
}

}  // namespace grbda::kernels
