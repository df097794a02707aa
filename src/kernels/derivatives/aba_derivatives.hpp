#pragma once

#include "inverse_mass_matrix.hpp"
#include "rnea_derivatives.hpp"

// Derivatives of forward dynamics: ∂ÿ = −M⁻¹ ∂τ at the ÿ caused by τ, with M⁻¹ from the factors of C-ABA. A
// column of ∂τ has nonzero entries only for the ancestors and descendants of its own cluster.

namespace grbda::kernels {

/// Outputs of the derivatives of forward dynamics; `tau` is M⁻¹.
template <class S>
struct ForwardTargets {
    Target<S> y, yd, tau;
};

/// Writes the indices in y of the clusters with nonzero entries in a column of cluster c to directions.path.
/// Returns their number.
template <class S>
int path_of(const Model& model, Workspace<S>& data, const Cluster& c) {
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

/// Replaces columns y and ẏ of velocity k of ∂τ by those of −M⁻¹ ∂τ, for the n entries in directions.path.
template <class S>
void accelerate_column(Workspace<S>& data, int n, const Range& rows, int k, const ForwardTargets<S>& out) {
    Directions<S>& d = data.directions;
    S *const y = &out.y(0, k), *const yd = &out.yd(0, k);
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

/// Computes the columns of a floating base. A rotation of the base rotates gravity in its axes; a translation
/// changes the inertial frame. The joints are not affected.
template <class S>
void accelerate_base(const Model& model, Workspace<S>& data, const Cluster& c, const ForwardTargets<S>& out) {
    const int i = c.bodies.first;
    const int* y = model.y_index.data() + c.y_begin;
    const Matrix3<S> turned = skew(transpose_times(data.R[i], model.gravity.cast<S>())),
                     carried = skew(transpose_times(data.R[i], data.v[i].angular));
    for (int k = 0; k < 3; ++k) {
        S *const pushed = &out.yd(0, y[k]), *const turn = &out.y(0, y[k + 3]);
        for (S* column : {&out.y(0, y[k]), turn, pushed})
            for (int row = c.subtree.first; row < c.subtree.last; ++row) column[row] = S(0);
        const Vector3<S>&gravity = column(turned, k), &velocity = column(carried, k);
        const S entries[2][3] = {{gravity.x, gravity.y, gravity.z}, {velocity.x, velocity.y, velocity.z}};
        for (int j = 0; j < 3; ++j) {
            turn[y[j]] = entries[0][j];
            pushed[y[j]] = -entries[1][j];
        }
    }
}

/// Returns whether accelerate_base() computes the first six columns.
inline bool is_free_base(const Cluster& c) {
    return c.kind == ClusterKind::floating_base && !c.turning_armature;
}

/// Computes all columns of a cluster.
template <class S>
void accelerate_columns(const Model& model, Workspace<S>& data, const Cluster& c,
                        const ForwardTargets<S>& out) {
    const int n = path_of(model, data, c);
    const bool base = is_free_base(c);
    for (int j = base ? 3 : 0; j < c.m; ++j)
        accelerate_column(data, n, branch_of(model, c).subtree, model.y_index[c.y_begin + j], out);
    if (base) accelerate_base(model, data, c, out);
}

/// Computes G, g, J and b of a cluster for which forward dynamics did not need them.
template <class S>
void embed_bodies(const Model& model, Workspace<S>& data, const Cluster& c) {
    embed(model, data, c);
    if (c.embedding == Embedding::implicit) embedding_bias(model, data, c);
    cluster_jacobians(model, data, c);
    if (c.embedding == Embedding::implicit) relative_accelerations(model, data, c);
}

/// Computes ÿ, ∂ÿ/∂y, ∂ÿ/∂ẏ and ∂ÿ/∂τ; wrenches may be null.
template <class S>
void aba_derivatives(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* tau,
                     const S* wrenches, S* ydd, const ForwardTargets<S>& out) {
    ensure_directions(model, data);
    aba(model, data, q, yd, tau, wrenches, ydd, true);
    for (const Cluster& c : model.clusters)
        if (c.kind == ClusterKind::tree || c.kind == ClusterKind::rows) embed_bodies(model, data, c);
    inverse_mass_matrix(model, data, out.tau);
    inverse_derivatives(model, data, q, ydd, wrenches, derivatives::InverseTargets<S>{out.y, out.yd, {}});
    for (const Cluster& c : model.clusters) accelerate_columns(model, data, c, out);
}

}  // namespace grbda::kernels
