#pragma once

#include <algorithm>

#include "grbda/kernels/gyrostat.hpp"
#include "grbda/kernels/sizes.hpp"

// C-CRBA: composite rigid inertias by body, blocks M_dc = J_bᵀ F for every
// ancestor cluster d met at its body b (Featherstone 2008, Table 6.2; URDF+
// paper, Sec. IV).

namespace grbda::kernels {

/// j Gᵀ G of the reflected inertias of a cluster that is not folded, into the lower triangle of D.
template <class S>
void add_armature(const Model& model, const Data<S>& data, const Cluster& c, S* D) {
    if (!c.armature) return;
    for (int i = 0; i < c.dofs; ++i) {
        const S inertia = S(model.armature[static_cast<std::size_t>(c.dof_begin + i)]);
        const S* w = data.G.data() + c.G_begin + i * c.m;
        for (int j = 0; j < c.m; ++j)
            for (int k = 0; k <= j; ++k) D[j * c.m + k] += inertia * w[j] * w[k];
    }
}

/// M_cc in data.D, F in data.W; adds the composite inertia to the parent body.
template <int M, class S>
void composite(const Model& model, Data<S>& data, const Cluster& c) {
    const int m = M > 0 ? M : c.m;
    S* D = data.D.data() + c.D_begin;
    Force<S>* F = data.W.data() + c.W_begin;
    for (int j = 0; j < m; ++j) {
        F[j] = Force<S>{};
        if (c.spinning) F[j].angular = folded_momentum(model, data, c, j);
        for (int k = 0; k <= j; ++k) D[j * m + k] = constant_inertia<S>(model, c, j, k);
    }
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        if (model.bodies[static_cast<std::size_t>(i)].light) continue;
        const RigidInertia<S>& I = data.I[static_cast<std::size_t>(i)];
        const Motion<S>* J = jacobian_of(model, data, c, i);
        for (int j = 0; j < m; ++j) {
            const Force<S> f = I * J[j];
            F[j] += f;
            for (int k = 0; k <= j; ++k) D[j * m + k] += dot(J[k], f);
        }
        if (c.parent_body != world) data.I[static_cast<std::size_t>(c.parent_body)] += I;
    }
    if (c.folded) return;
    add_armature(model, data, c, D);
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor)
        add_rotor(gyrostat(model, data, c, *rotor), m, D, F);
}

/// A joint cluster: F, M_cc and the inertias before it body by body, then what its rotors add.
template <class S>
void composite_joints(const Model& model, Data<S>& data, const Cluster& c) {
    S* D = data.D.data() + c.D_begin;
    for (int j = 0; j < c.m; ++j)
        for (int k = 0; k <= j; ++k) D[j * c.m + k] = constant_inertia<S>(model, c, j, k);
    for (int i = c.rotor_begin - 1; i >= c.body_begin; --i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        const RigidInertia<S>& I = data.I[static_cast<std::size_t>(i)];
        const Force<S> F = I * data.s[static_cast<std::size_t>(body.dof)];
        const int j = body.y - c.y_begin;
        for (int b = i; b != c.parent_body; b = model.bodies[static_cast<std::size_t>(b)].parent) {
            const Body& before = model.bodies[static_cast<std::size_t>(b)];
            const int k = before.y - c.y_begin;
            D[std::max(j, k) * c.m + std::min(j, k)] += dot(data.s[static_cast<std::size_t>(before.dof)], F);
        }
        data.W[static_cast<std::size_t>(c.W_begin + j)] = F;
        data.I[static_cast<std::size_t>(body.parent)] += I;
    }
    if (!c.spinning) return;
    for (int j = 0; j < c.m; ++j)
        data.W[static_cast<std::size_t>(c.W_begin + j)].angular += folded_momentum(model, data, c, j);
}

/// M_cc of a floating base: its columns of S are the body's axes, at the origin of the common frame.
template <class S>
void composite_floating_base(const Model& model, Data<S>& data, const Cluster& c) {
    const auto at = static_cast<std::size_t>(c.body_begin);
    const RigidInertia<S>& I = data.I[at];
    const Vector3<S> h = transpose_times(data.R[at], I.h);
    const Symmetric3<S> J = rotate(transpose(data.R[at]), I.angular);
    const S zero(0);
    const S lower[6][6] = {{I.mass},
                           {zero, I.mass},
                           {zero, zero, I.mass},
                           {zero, -h.z, h.y, J.xx},
                           {h.z, zero, -h.x, J.xy, J.yy},
                           {-h.y, h.x, zero, J.xz, J.yz, J.zz}};
    S* D = data.D.data() + c.D_begin;
    for (int j = 0; j < 6; ++j)
        for (int k = 0; k <= j; ++k) D[j * 6 + k] = lower[j][k] + constant_inertia<S>(model, c, j, k);
}

/// Blocks M_dc = J_bᵀ F of a cluster with all its ancestors.
template <class S, class Set>
void ancestor_blocks(const Model& model, const Data<S>& data, const Cluster& c, const Set& set) {
    const int* y = model.y_index.data() + c.y_begin;
    const Force<S>* F = data.W.data() + c.W_begin;
    for (int b = c.parent_body; b != world;) {
        const Body& body = model.bodies[static_cast<std::size_t>(b)];
        const Cluster& d = model.clusters[static_cast<std::size_t>(body.cluster)];
        if (d.joint_cluster) {
            const Motion<S>& s = data.s[static_cast<std::size_t>(body.dof)];
            const int x = model.y_index[static_cast<std::size_t>(body.y)];
            for (int j = 0; j < c.m; ++j) set(x, y[j], dot(s, F[j]));
            b = body.parent;
            continue;
        }
        const int* x = model.y_index.data() + d.y_begin;
        if (d.floating) {
            const Matrix3<S>& R = data.R[static_cast<std::size_t>(b)];
            for (int j = 0; j < c.m; ++j) {
                const Vector3<S> force = transpose_times(R, F[j].linear),
                                 moment = transpose_times(R, F[j].angular);
                const S block[6] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
                for (int k = 0; k < 6; ++k) set(x[k], y[j], block[k]);
            }
            return;
        }
        const Motion<S>* J = jacobian_of(model, data, d, b);
        for (int j = 0; j < c.m; ++j)
            for (int k = 0; k < d.m; ++k) set(x[k], y[j], dot(J[k], F[j]));
        b = d.parent_body;
    }
}

/// R, p and s of one body of a joint cluster and its rigid inertia.
template <class S>
void place_joint_inertia(const Model& model, Data<S>& data, int i) {
    const JointPlace<S> x(model, data, i);
    const RigidInertia<S> I = inertia_of(x.body, x.R, x.p);
    x.store(data, i);
    data.I[static_cast<std::size_t>(i)] = I;
}

/// The same of the bodies of a cluster.
template <class S>
void place_inertias(const Model& model, Data<S>& data, const Cluster& c, int cluster, const S* q) {
    if (c.joint_cluster) {
        for (int i = c.body_begin; i < c.rotor_begin; ++i) place_joint_inertia(model, data, i);
        return;
    }
    if (c.floating)
        place_floating_base(model, data, c, q);
    else
        cluster_positions(model, data, c, cluster, q);
    for (int i = c.body_begin; i < c.rotor_begin; ++i)
        if (!model.bodies[static_cast<std::size_t>(i)].light)
            data.I[static_cast<std::size_t>(i)] = inertia_of(model, data, i);
}

/// The full symmetric mass matrix [nv × nv] with column stride `stride`.
template <class S>
void crba(const Model& model, Data<S>& data, const S* q, S* M, int stride) {
    turn_joints(model, data, q);
    for (int k = 0; k < model.cluster_count(); ++k)
        place_inertias(model, data, model.clusters[static_cast<std::size_t>(k)], k, q);
    if (stride == model.nv)
        std::fill_n(M, model.nv * model.nv, S(0));
    else
        for (int j = 0; j < model.nv; ++j) std::fill_n(M + j * stride, model.nv, S(0));
    const auto set = [&](int i, int j, const S& value) {
        M[j * stride + i] = value;
        M[i * stride + j] = value;
    };
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        if (c->joint_cluster)
            composite_joints(model, data, *c);
        else if (c->floating)
            composite_floating_base(model, data, *c);
        else
            with_size(c->m, [&](auto m) { composite<m()>(model, data, *c); });
        const S* D = data.D.data() + c->D_begin;
        const int* y = model.y_index.data() + c->y_begin;
        for (int j = 0; j < c->m; ++j)
            for (int k = 0; k <= j; ++k) set(y[j], y[k], D[j * c->m + k]);
        ancestor_blocks(model, data, *c, set);
    }
}

}  // namespace grbda::kernels
