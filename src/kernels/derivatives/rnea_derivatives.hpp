#pragma once

#include "kernels/derivatives/visit.hpp"
#include "kernels/cluster/wrenches.hpp"

// Derivatives of inverse dynamics along the closed manifold, and M, by composites of inertia, of B and of
// force (IDSVA: Singh, Russell & Wensing 2022; extended to clusters with variable G). With W = Σ I J, Z = Σ
// Bᵀ J and the changes F_y, F_ẏ of the force through cluster c, its blocks with an ancestor d, to whose body
// b its branch is attached, are
//   ∂τ_d/∂y_c = J_bᵀ F_y    ∂τ_c/∂y_d = Wᵀ η_b + Zᵀ e_b
//   ∂τ_d/∂ẏ_c = J_bᵀ F_ẏ    ∂τ_c/∂ẏ_d = Wᵀ η'_b + Zᵀ J_b

namespace grbda::kernels {

/// Computes the spin of rotors, its force on their carriers, and the force of the rotors' own rows.
template <class S>
void spin_rotors(const Model& model, Workspace<S>& data, const Cluster& c) {
    Directions<S>& d = data.directions;
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        const Gyrostat<S> r = gyrostat(model, data, c, *rotor);
        const S& acceleration = d.qdd[rotor->dof];
        S row = r.inertia * acceleration;
        if (const int p = rotor->carrier; p != world) {
            const Vector3<S> momentum = r.h * data.rate[rotor->dof];
            row += dot(r.h, data.a[p].angular);
            data.pA[p].angular += r.h * acceleration + cross(data.v[p].angular, momentum);
            d.B[p].gamma -= skew(momentum);
        }
        d.force[rotor->dof] = row;
    }
}

/// Computes the spin of the rotors of a folded cluster, whose rows are constant, and its force.
template <class S>
void spin_folded_rotors(const Model& model, Workspace<S>& data, const Cluster& c) {
    const int p = c.parent_body;
    Vector3<S> momentum{S(0), S(0), S(0)}, rate = momentum;
    for (int j = 0; j < c.m; ++j) {
        const Vector3<S> h = folded_momentum(model, data, c, j);
        momentum += h * data.y_rate[c.y_begin + j];
        rate += h * data.y_acceleration[c.y_begin + j];
    }
    data.pA[p].angular += rate + cross(data.v[p].angular, momentum);
    data.directions.B[p].gamma -= skew(momentum);
}

/// Adds wrenches on rotors to their rows.
template <class S>
void load_rotors(const Model& model, Workspace<S>& data, const S* q, const S* wrenches) {
    for (const Cluster& c : model.clusters) {
        if (c.rotor_kind != RotorKind::moving) continue;
        for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
            const auto loaded = derivatives::loaded_rotor(model, data, c, *rotor, q, wrenches);
            data.directions.force[rotor->dof] -= dot(loaded.s, loaded.wrench);
        }
    }
}

/// Computes the derivatives at positions and velocities that are already in data.
template <class S>
void inverse_derivatives(const Model& model, Workspace<S>& data, const S* q, const S* ydd, const S* wrenches,
                         const derivatives::InverseTargets<S>& out) {
    using derivatives::by_kind;
    for (const Cluster& c : model.clusters) {
        enter_cluster<S>(c.index);
        by_kind(c, [&](auto kind) { kind.variation_forward(model, data, c, q, ydd); });
        if (c.is_spinning()) spin_folded_rotors(model, data, c);
        if (c.rotor_kind == RotorKind::moving) spin_rotors(model, data, c);
    }
    enter_cluster<S>(world);
    if (wrenches) {
        apply_wrenches(model, data, q, wrenches, [](const Cluster&, const Rotor&, const S&) {});
        load_rotors(model, data, q, wrenches);
    }
    for (const derivatives::Target<S>& target : {out.y, out.yd, out.M}) clear(target, model.nv);
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        enter_cluster<S>(c->index);
        by_kind(*c, [&](auto kind) { kind.variation_backward(model, data, *c, q, wrenches, out); });
        for (int b = c->parent_body; b != world;) {
            const Cluster& d = model.clusters[model.bodies[b].cluster];
            b = by_kind(d, [&](auto kind) { return kind.variation_block(model, data, d, b, *c, out); });
        }
    }
    enter_cluster<S>(world);
}

/// Computes ∂τ/∂y, ∂τ/∂ẏ and, if requested, M; wrenches may be null.
template <class S>
void rnea_derivatives(const Model& model, Workspace<S>& data, const S* q, const S* yd, const S* ydd,
                      const S* wrenches, const derivatives::InverseTargets<S>& out) {
    ensure_directions(model, data);
    turn_joints(model, data, q);
    for (const Cluster& c : model.clusters)
        derivatives::by_kind(c, [&](auto kind) { kind.motion_forward(model, data, c, q, yd); });
    inverse_derivatives(model, data, q, ydd, wrenches, out);
}

}  // namespace grbda::kernels
