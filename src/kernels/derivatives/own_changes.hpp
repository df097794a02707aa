#pragma once

#include "kernels/pass/constraint_forces.hpp"
#include "row_rates.hpp"

// The change of τ = Gᵀ (f − …) with a displacement of a cluster's own joints, where f are the forces of the
// joints of the spanning tree with loops cut. The change of G acts through the multipliers: δτ = Gᵀ (δf −
// (δK)ᵀ λ), K_dᵀ λ = f_d.

namespace grbda::kernels::derivatives {

/// A matrix [nv × nv] of the caller, by columns, in the user's order; null if it is not requested.
template <class S>
struct Target {
    S* entries = nullptr;
    int stride = 0;
    S& operator()(int i, int j) const { return entries[i + j * stride]; }
};

template <class S>
void clear(const Target<S>& target, int n) {
    for (int j = 0; target.entries && j < n; ++j) std::fill_n(target.entries + j * target.stride, n, S{});
}

/// Outputs of the derivatives of inverse dynamics.
template <class S>
struct InverseTargets {
    Target<S> y, yd, M;
};

/// The rotor's motion per unit of its rate, and the wrench on it; null if there is no wrench.
template <class S>
struct LoadedRotor {
    Motion<S> s;
    Force<S> wrench;
};

template <class S>
LoadedRotor<S> loaded_rotor(const Model& model, const Workspace<S>& data, const Cluster& c,
                            const Rotor& rotor, const S* q, const S* wrenches) {
    const Body& body = model.bodies[rotor.body];
    const Placement<S> carrier = placement_of(data, c, rotor.carrier);
    const Matrix3<S> R = joint_rotation(body, carrier.R, turned_by(body, q + body.q), q + body.q);
    const Vector3<S> p = carrier.p + carrier.R * body.position.cast<S>();
    const S* w = wrenches + 6 * rotor.body;
    const Vector3<S> force = R * Vector3<S>{w[0], w[1], w[2]};
    return {rotation_about(carrier.R * rotor.axis.cast<S>(), p),
            {force, R * Vector3<S>{w[3], w[4], w[5]} + cross(p, force)}};
}

/// Computes the forces through the joints of the cluster from composite forces, in directions.cut, and their
/// components along its velocities, in directions.force. Rows of its rotors are already there.
template <class S>
void cut_forces(const Model& model, Workspace<S>& data, const Cluster& c) {
    Directions<S>& d = data.directions;
    for (const int i : c.bodies) d.cut[i] = data.pA[i];
    for (int i = c.bodies.last - 1; i >= c.bodies.first; --i)
        if (const int parent = model.bodies[i].parent; parent != c.parent_body) d.cut[parent] += d.cut[i];
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        for (int l = 0; l < velocity_size(body.joint); ++l)
            d.force[body.dof + l] = dot(data.s[body.dof + l], d.cut[i]);
    }
    if (!c.armature) return;
    for (const int i : c.joints) {
        const Body& body = model.bodies[i];
        add_armature_forces(model, data, c, body, &d.force[body.dof]);
    }
}

/// Returns the change of the wrench of loop l along a direction that displaces P by x and Q by R relative to
/// P.
template <class S>
Force<S> wrench_change(const Model& model, const Workspace<S>& data, int l, const Force<S>& wrench,
                       const Motion<S>& x, const Motion<S>& R) {
    const Loop& loop = model.loops[l];
    const LoopFrames<S>& f = data.loop_frames[l];
    const S* lambda = data.directions.multiplier.data() + loop.row;
    const LoopRow* kept = model.loop_rows.data() + loop.rows_begin;
    const Vector3<S> u = point_velocity(R, f.r);
    Force<S> change = cross(x, wrench);
    change.angular += cross(u, wrench.linear);
    for (int r = 0; r < loop.rows; ++r) {
        if (kept[r].kind == RowKind::distance) {
            const Vector3<S> force = u * S(lambda[r] * S(1 / loop.constant));
            change += Force<S>{force, cross(f.r, force)};
        }
        if (kept[r].kind == RowKind::length) {
            const Vector3<S>& e = data.Psi[loop.row + r].linear;
            const Vector3<S> force = (u - e * dot(u, e)) * S(lambda[r] / dot(f.r - f.p, e));
            change += Force<S>{force, cross(f.r, force)};
        }
        if (kept[r].kind == RowKind::angle)
            change.angular += cross(cross(R.angular, f.Q.x), f.P.x) * lambda[r];
    }
    return change;
}

/// Computes λ of the cluster. Subtracts the loops' wrenches from the joints, and their changes from ∂τ/∂y.
template <class S, class Add>
void add_constraint_changes(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                            const Add& add) {
    Directions<S>& d = data.directions;
    cluster_multipliers(model, data, c, d.force, d.multiplier.data());
    const Motion<S>* const J = jacobian_of(model, data, c, c.bodies.first);
    for (const int l : c.loops) {
        const Loop& loop = model.loops[l];
        if (loop.rows == 0) continue;
        const Force<S> wrench = loop_wrench(data, loop, d.multiplier.data());
        for (const int t : loop.terms) {
            const LoopTerm& term = model.loop_terms[t];
            const int body = model.dof_body[term.dof];
            if (model.bodies[body].dof == term.dof) d.cut[body] -= wrench * S(term.sign);
        }
        for (int k = 0; k < c.m; ++k) d.between[k] = loop_displacement(model, data, c, loop, k);
        for (int k = 0; k < c.m; ++k) {
            const Motion<S> x = part_of(J, c, loop.predecessor.body, k);
            const Force<S> change = wrench_change(model, data, l, wrench, x, d.between[k]);
            for (int j = 0; j < c.m; ++j) add(j, k, -dot(d.between[j], change));
        }
    }
    for (const int l : c.couplings) {
        const Coupling& coupling = model.couplings[l];
        if (coupling.linear()) continue;
        const CouplingCurvature<S> p = coupling_curvature(model, data, c, coupling, q);
        const S factor = d.multiplier[coupling.row] * p.second;
        const S* G = data.G.data() + c.G_begin + p.leader * c.m;
        for (int k = 0; k < c.m; ++k)
            for (int j = 0; j < c.m; ++j) add(j, k, factor * G[j] * G[k]);
    }
}

/// Adds the effect of the force through a joint when its columns are displaced: Σ G_αj (s_α ×* F)·x_α, where
/// x_α is the displacement after column α.
template <class S, class G, class Add>
void add_joint_turning(const Model& model, const Workspace<S>& data, const Cluster& c, int i,
                       const G& embedding, const Add& add) {
    const Body& body = model.bodies[i];
    const Motion<S>* const J = jacobian_of(model, data, c, i);
    const Motion<S>* const before =
        body.parent == c.parent_body ? nullptr : jacobian_of(model, data, c, body.parent);
    const int size = velocity_size(body.joint), row = body.dof - c.dof_begin;
    const bool whole = size == 1 || has_quaternion(body.joint);
    for (int l = 0; l < size; ++l) {
        const Force<S> turned = cross(data.s[body.dof + l], data.directions.cut[i]);
        for (int k = 0; k < c.m; ++k) {
            Motion<S> x = whole ? J[k] : before ? before[k] : Motion<S>{};
            for (int a = 0; !whole && a <= l; ++a) x += data.s[body.dof + a] * embedding(row + a, k);
            const S force = dot(x, turned);
            for (int j = 0; j < c.m; ++j) add(j, k, embedding(row + l, j) * force);
        }
    }
}

/// Adds the terms of armatures of the cluster's joints to ∂τ/∂y and ∂τ/∂ẏ, if their rates change.
template <class S, class Add>
void add_armature_changes(const Model& model, const Workspace<S>& data, const Cluster& c, bool turning,
                          const Add& add) {
    for (int row = 0; row < c.dofs; ++row) {
        const S armature = S(model.armature[c.dof_begin + row]);
        if (model.armature[c.dof_begin + row] == 0) continue;
        for (int k = 0; k < c.m; ++k) {
            const RateChanges<S> change = rate_changes(data, c, k);
            const S y = change.rate ? armature * change.acceleration[row] : S(0);
            const S yd = armature * acceleration_change(model, data, c, row, k, turning);
            for (int j = 0; j < c.m; ++j) {
                const S G = embedding_entry(model, data, c, row, j);
                add.y(j, k, G * y);
                add.yd(j, k, G * yd);
                add.M(j, k, G * armature * embedding_entry(model, data, c, row, k));
            }
        }
    }
}

/// Adds the terms of the forces ω × j v of floating joints (kernels/cluster/rotors.hpp).
template <class S, class Add>
void add_turning_changes(const Model& model, const Workspace<S>& data, const Cluster& c, const Add& add) {
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        if (body.joint != JointType::floating || model.armature[body.dof] == 0) continue;
        const S armature = S(model.armature[body.dof]);
        const int first = body.dof - c.dof_begin;
        const S* rate = &data.rate[body.dof];
        const Vector3<S> v{rate[0], rate[1], rate[2]}, omega{rate[3], rate[4], rate[5]};
        const auto change_of = [&](const auto& x) {
            return (cross(omega, Vector3<S>{x(0), x(1), x(2)}) + cross(Vector3<S>{x(3), x(4), x(5)}, v)) *
                   armature;
        };
        const auto G = [&](int l, int j) { return embedding_entry(model, data, c, first + l, j); };
        const auto along = [&](int j, const Vector3<S>& f) {
            return G(0, j) * f.x + G(1, j) * f.y + G(2, j) * f.z;
        };
        for (int k = 0; k < c.m; ++k) {
            const RateChanges<S> change = rate_changes(data, c, k);
            const Vector3<S> y =
                change.rate ? change_of([&](int l) { return change.rate[first + l]; }) : Vector3<S>{};
            const Vector3<S> yd = change_of([&](int l) { return G(l, k); });
            for (int j = 0; j < c.m; ++j) {
                add.y(j, k, along(j, y));
                add.yd(j, k, along(j, yd));
            }
        }
    }
}

}  // namespace grbda::kernels::derivatives
