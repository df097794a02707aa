#pragma once

#include <algorithm>

#include "joint_row.hpp"

// M⁻¹ = Tᵀ D⁻¹ T by halves, D being the pivots that C-ABA leaves: T f is what forces f are after its backward
// pass, zero except for the clusters on the path to the world. So J M⁻¹ Jᵀ = Zᵀ D⁻¹ Z with Z = T Jᵀ,
// positive semidefinite whatever the rounding, and J is formed for no body. The same from wrenches on bodies:
// Wensing, Featherstone & Orin 2012; Sathya & Carpentier 2024.

namespace grbda::kernels {

/// Unit force j on a cluster, into f; of a floating base in the axes of the common frame, as its D.
template <class S>
void unit_force(const Workspace<S>& data, const Cluster& c, int j, S* f) {
    if (c.kind == ClusterKind::floating_base) {
        const Vector3<S>& axis = column(data.R[c.bodies.first], j % 3);
        const S own[3] = {axis.x, axis.y, axis.z};
        for (int i = 0; i < 6; ++i) f[i] = i / 3 == j / 3 ? own[i % 3] : S(0);
        return;
    }
    for (int i = 0; i < c.m; ++i) f[i] = S(i == j ? 1 : 0);
}

/// −Jᵀ p of a force p through body b of a cluster, into f; likewise.
template <class S>
void own_force(const Model& model, const Workspace<S>& data, const Cluster& c, int b, const Force<S>& p,
               S* f) {
    if (c.kind == ClusterKind::floating_base) {
        const S own[6] = {-p.linear.x, -p.linear.y, -p.linear.z, -p.angular.x, -p.angular.y, -p.angular.z};
        std::copy_n(own, 6, f);
        return;
    }
    const Motion<S>* J = jacobian_of(model, data, c, b);
    for (int j = 0; j < c.m; ++j) f[j] = -dot(J[j], p);
}

/// Computes L⁻¹ f of a cluster's own forces, and adds to p what they pass to the parent body.
template <class S>
void reduce_force(const Workspace<S>& data, const Cluster& c, S* f, Force<S>& p) {
    const S* D = data.D.data() + c.D_begin;
    solve_lower<0>(D, c.m, f);
    if (c.parent_body == world) return;
    const Force<S>* W = data.W.data() + c.W_begin;
    for (int j = 0; j < c.m; ++j) p += W[j] * S(D[j * c.m + j] * f[j]);
}

/// J of clusters that C-ABA handles without.
template <Bodies wanted, class S>
void complete_jacobians(const Model& model, Workspace<S>& data) {
    for (const Cluster& c : model.clusters)
        if (c.kind == ClusterKind::tree && !is_on_tangent(data, c)) cluster_jacobians<wanted>(model, data, c);
}

/// N wrenches side by side on a body, during the inward pass: linear x y z, angular x y z of all.
template <int N, class S>
struct Inward {
    int body = world;
    S f[6][N] = {};

    int cluster(const Model& model) const { return body == world ? world : model.bodies[body].cluster; }
    void set(int k, const Force<S>& force) {
        const S numbers[6] = {force.linear.x,  force.linear.y,  force.linear.z,
                              force.angular.x, force.angular.y, force.angular.z};
        for (int i = 0; i < 6; ++i) f[i][k] = numbers[i];
    }
};

/// y += a x of N numbers.
template <int N, class S>
[[gnu::always_inline]] inline void add_times(S* y, const S* x, const S& a) {
    S sum[N];
    for (int k = 0; k < N; ++k) sum[k] = y[k] + x[k] * a;
    for (int k = 0; k < N; ++k) y[k] = sum[k];
}

/// N columns of Z, row by row with so many numbers between two rows.
template <class S>
struct Columns {
    S* first;
    int stride;
    S* row(int y) const { return first + y * stride; }
};

/// z = Jᵀ f of a cluster for wrenches on one of its bodies, or added to z.
template <int N, class S>
void take_in(const Model& model, const Workspace<S>& data, const Cluster& c, const Inward<N, S>& x, bool add,
             const Columns<S>& Z) {
    const bool is_base = c.kind == ClusterKind::floating_base;  // its J is 1
    const Motion<S>* J = is_base ? nullptr : jacobian_of(model, data, c, x.body);
    for (int j = 0; j < c.m; ++j) {
        S* const z = Z.row(c.y_begin + j);
        if (!add) std::fill_n(z, N, S(0));
        if (is_base) {
            add_times<N>(z, x.f[j], S(1));
            continue;
        }
        const S along[6] = {J[j].linear.x,  J[j].linear.y,  J[j].linear.z,
                            J[j].angular.x, J[j].angular.y, J[j].angular.z};
        for (int i = 0; i < 6; ++i) add_times<N>(z, x.f[i], along[i]);
    }
}

/// z ← L⁻¹ z of a cluster, and f −= W D⁻¹ z of what goes on to the body before.
template <int N, class S>
void pass_on(const Workspace<S>& data, const Cluster& c, Inward<N, S>& x, const Columns<S>& Z) {
    const S* D = data.D.data() + c.D_begin;
    for (int j = 1; j < c.m; ++j)
        for (int i = 0; i < j; ++i) add_times<N>(Z.row(c.y_begin + j), Z.row(c.y_begin + i), -D[j * c.m + i]);
    x.body = c.parent_body;
    if (c.parent_body == world) return;
    const Force<S>* W = data.W.data() + c.W_begin;
    for (int j = 0; j < c.m; ++j) {
        const S inverse = -D[j * (c.m + 1)];
        const S passed[6] = {W[j].linear.x,  W[j].linear.y,  W[j].linear.z,
                             W[j].angular.x, W[j].angular.y, W[j].angular.z};
        for (int i = 0; i < 6; ++i) add_times<N>(x.f[i], Z.row(c.y_begin + j), passed[i] * inverse);
    }
}

/// Z of wrenches on two bodies, each of which may be the world, cluster by cluster as far as they reach;
/// `visit` is called with each cluster. The rest of Z is unchanged.
template <int N, class S, class Visit>
void half_inverse(const Model& model, const Workspace<S>& data, Inward<N, S> x, Inward<N, S> other,
                  const Columns<S>& Z, const Visit& visit) {
    for (;;) {
        int k = x.cluster(model), l = other.cluster(model);
        if (l > k) {  // inner clusters come first
            std::swap(x, other);
            std::swap(k, l);
        }
        if (k == world) return;
        const Cluster& c = model.clusters[k];
        take_in(model, data, c, x, false, Z);
        if (k == l) {
            take_in(model, data, c, other, true, Z);
            for (int i = 0; i < 6; ++i) add_times<N>(x.f[i], other.f[i], S(1));
            other.body = world;
        }
        visit(c);
        pass_on(data, c, x, Z);
    }
}

/// The same of a unit force on velocities of a cluster, dependent ones or a rotor's too.
template <class S, class Visit>
void half_inverse_of_joint(const Model& model, const Workspace<S>& data, const JointRow<S>& row,
                           const Columns<S>& Z, const Visit& visit) {
    const Cluster& c = model.clusters[model.bodies[model.dof_body[row.first]].cluster];
    Inward<1, S> x;
    for (int j = 0; j < c.m; ++j) Z.row(c.y_begin + j)[0] = S(0);
    for (int i = 0; i < row.count; ++i) {
        const int k = row.first + i - c.dof_begin;
        if (c.kind == ClusterKind::floating_base) {
            S f[6];
            unit_force(data, c, k, f);
            for (int j = 0; j < c.m; ++j) Z.row(c.y_begin + j)[0] += row.weight[i] * f[j];
        } else {
            for (int j = 0; j < c.m; ++j)
                Z.row(c.y_begin + j)[0] += row.weight[i] * embedding_entry(model, data, c, k, j);
        }
    }
    visit(c);
    pass_on(data, c, x, Z);
    half_inverse(model, data, x, {}, Z, visit);
}

/// ÿ of forces −pA on bodies alone, and of a unit force on velocities of a joint, if any; by both passes,
/// also through clusters that pass rows on and have no factor of their own.
template <class S>
void respond(const Model& model, Workspace<S>& data, const JointRow<S>& row, S* ydd) {
    std::fill(data.u.begin(), data.u.end(), S(0));
    for (auto k = model.clusters.rbegin(); k != model.clusters.rend(); ++k) {
        const Cluster& c = *k;
        const bool driven = c.dof_begin <= row.first && row.first < c.dof_begin + c.dofs;
        if (c.kind == ClusterKind::rows) {
            std::fill_n(data.force.begin() + c.dof_begin, c.dofs, S(0));
            for (int i = 0; i < row.count && driven; ++i) data.force[row.first + i] = row.weight[i];
            RowCluster::reduce_forces(model, data, c);
            continue;
        }
        for (int i = 0; i < row.count && driven; ++i)
            for (int j = 0; j < c.m; ++j)
                data.u[c.y_begin + j] +=
                    row.weight[i] * embedding_entry(model, data, c, row.first + i - c.dof_begin, j);
        if (c.kind == ClusterKind::planar)  // with forces on its bodies
            AnyCluster::aba_solve_backward(model, data, c, ydd);
        else
            visit(c, [&](auto kind) { kind.aba_solve_backward(model, data, c, ydd); });
    }
    accelerate_clusters(model, data, ydd);
}

/// ÿ = Tᵀ D⁻¹ z, z [nv] in pass order: the forward pass alone.
template <class S>
void accelerate_from_half(const Model& model, Workspace<S>& data, const S* z, S* ydd) {
    std::copy_n(z, model.nv, data.u.data());
    for (const Cluster& c : model.clusters) {
        if (c.kind == ClusterKind::floating_base)
            FloatingBase::accelerate_from_half(model, data, c, ydd);
        else
            visit(c, [&](auto kind) { kind.aba_accelerate(model, data, c, ydd); });
    }
}

}  // namespace grbda::kernels
