#pragma once

#include "grbda/kernels/crba.hpp"
#include "grbda/kernels/wrenches.hpp"

// C-ABA (Chignoli et al. 2023, Sec. IV; Featherstone 2008, Table 7.1). The
// articulated inertia of a cluster is block diagonal by body, since each child
// cluster hangs on one body, so 6n × 6n matrices are never formed.

namespace grbda::kernels {

/// I and the bias force v ×* I v of every body.
template <class S>
void inertias_and_bias(const Model& model, Data<S>& data) {
    for (int i = 0; i < model.body_count(); ++i) {
        if (model.bodies[static_cast<std::size_t>(i)].rotor) continue;
        const auto at = static_cast<std::size_t>(i);
        const RigidInertia<S> I = inertia_of(model, data, i);
        data.IA[at] = articulated(I);
        data.pA[at] = cross(data.v[at], I * data.v[at]);
    }
}

/// Rotors of the cluster into D, W, u and the bias forces of their carriers.
template <int M, class S>
void articulate_rotors(const Model& model, Data<S>& data, const Cluster& c, S* D, Force<S>* W, S* u) {
    const int m = M > 0 ? M : c.m;
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        const Gyrostat<S> r = gyrostat(model, data, c, *rotor);
        const S g = data.g[static_cast<std::size_t>(rotor->dof)];
        S row = r.inertia * g - data.rotor_moment[static_cast<std::size_t>(rotor - model.rotors.data())];
        if (rotor->carrier != world) {
            const auto p = static_cast<std::size_t>(rotor->carrier);
            data.pA[p] += gyroscopic_force(data, *rotor, r);
            data.pA[p].angular += r.h * g;
            if (r.J) row += dot(r.h, data.b[p].angular);
        }
        for (int j = 0; j < m; ++j) {
            W[j].angular += r.h * r.w[j];
            u[j] -= r.w[j] * row;
            for (int k = 0; k <= j; ++k) {
                D[j * m + k] += r.inertia * r.w[j] * r.w[k];
                if (r.J) D[j * m + k] += dot(r.J[j].angular, r.h) * r.w[k] + dot(r.J[k].angular, r.h) * r.w[j];
            }
        }
    }
}

/// Bias of the reflected inertias, j Gᵀ g, into u.
template <class S>
void armature_bias(const Model& model, const Data<S>& data, const Cluster& c, S* u) {
    if (!c.armature || c.embedding != Embedding::implicit) return;
    for (int i = 0; i < c.dofs; ++i) {
        const auto dof = static_cast<std::size_t>(c.dof_begin + i);
        const S force = S(model.armature[dof]) * data.g[dof];
        for (int j = 0; j < c.m; ++j) u[j] -= data.G[static_cast<std::size_t>(c.G_begin + i * c.m + j)] * force;
    }
}

/// Backward over one cluster, from its bodies' IA and pA to those of the body that it hangs on.
template <int M, class S>
void articulate(const Model& model, Data<S>& data, const Cluster& c, int cluster, const S* tau) {
    const int m = M > 0 ? M : c.m;
    S* D = data.D.data() + c.D_begin;
    S* u = data.u.data() + c.y_begin;
    Force<S>* W = data.W.data() + c.W_begin;
    Force<S>* U = data.U.data();
    for (int j = 0; j < m * m; ++j) D[j] = S(0);
    for (int j = 0; j < m; ++j) {
        W[j] = Force<S>{};
        u[j] = tau[model.y_index[static_cast<std::size_t>(c.y_begin + j)]];
    }
    articulate_rotors<M>(model, data, c, D, W, u);
    armature_bias(model, data, c, u);
    add_armature(model, data, c, D);

    const bool rooted = c.parent_body == world;
    const auto parent = static_cast<std::size_t>(c.parent_body);
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Motion<S>* J = jacobian_of(model, data, c, i);
        const ArticulatedInertia<S>& IA = data.IA[at];
        const Force<S> pA = data.pA[at] + IA * data.b[at];
        for (int j = 0; j < m; ++j) {
            U[j] = IA * J[j];
            for (int k = 0; k <= j; ++k) D[j * m + k] += dot(J[k], U[j]);
            u[j] -= dot(J[j], pA);
            W[j] += U[j];
        }
        if (rooted) continue;
        data.IA[parent] += IA;
        data.pA[parent] += pA;
    }

    data.margin[static_cast<std::size_t>(cluster)] =
        factor_symmetric<M>(D, m, model.inertia_floor.data() + c.y_begin);
    solve_lower<M>(D, m, u);
    solve_lower<M>(D, m, W);
    if (rooted) return;
    for (int j = 0; j < m; ++j) {  // IA_λ −= W D⁻¹ Wᵀ, pA_λ += W D⁻¹ u
        const S inverse = D[j * m + j];
        data.IA[parent].subtract_outer(W[j], inverse);
        data.pA[parent] += W[j] * S(inverse * u[j]);
    }
}

/// Forward over one cluster: ÿ = D⁻¹ (u − Wᵀ a_λ), a_i = a_λ + J_i ÿ + b_i.
template <int M, class S>
void accelerate(const Model& model, Data<S>& data, const Cluster& c, S* ydd) {
    const int m = M > 0 ? M : c.m;
    const S* D = data.D.data() + c.D_begin;
    const S* u = data.u.data() + c.y_begin;
    const Force<S>* W = data.W.data() + c.W_begin;
    S* y = data.y_acceleration.data() + c.y_begin;
    const Motion<S> a_base = base_acceleration(model, data, c);
    for (int j = 0; j < m; ++j) y[j] = (u[j] - dot(a_base, W[j])) * D[j * m + j];
    solve_upper<M>(D, m, y);
    for (int j = 0; j < m; ++j) ydd[model.y_index[static_cast<std::size_t>(c.y_begin + j)]] = y[j];
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const auto at = static_cast<std::size_t>(i);
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S>& a = data.a[at];
        a = a_base + data.b[at];
        for (int j = 0; j < m; ++j) a += J[j] * y[j];
    }
}

/// ÿ [nv]; wrenches null: none.
template <class S>
void aba(const Model& model, Data<S>& data, const S* q, const S* yd, const S* tau, const S* wrenches, S* ydd) {
    positions(model, data, q);
    velocities(model, data, q, yd);
    inertias_and_bias(model, data);
    apply_wrenches(model, data, q, wrenches);
    for (int i = model.cluster_count() - 1; i >= 0; --i) {
        const Cluster& c = model.clusters[static_cast<std::size_t>(i)];
        with_size(c.m, [&](auto m) { articulate<m()>(model, data, c, i, tau); });
    }
    for (const Cluster& c : model.clusters)
        with_size(c.m, [&](auto m) { accelerate<m()>(model, data, c, ydd); });
}

}  // namespace grbda::kernels
