#pragma once

#include "grbda/kernels/kinds/visit.hpp"
#include "grbda/kernels/own_changes.hpp"
#include "grbda/kernels/wrenches.hpp"

// Derivatives of inverse dynamics along the closed manifold, and M, by composites: of inertia, of B and of
// force (IDSVA: Singh, Russell & Wensing 2022; with clusters whose G moves). With W = Σ I J, Z = Σ Bᵀ J and
// the changes F_y, F_ẏ of the force through cluster c, its blocks with cluster d, met at its body b, are
//   ∂τ_d/∂y_c = J_bᵀ F_y    ∂τ_c/∂y_d = Wᵀ η_b + Zᵀ e_b    ∂τ_d/∂ẏ_c = J_bᵀ F_ẏ    ∂τ_c/∂ẏ_d = Wᵀ η'_b + Zᵀ
//   J_b

namespace grbda::kernels {

/// Acceleration of a body of a cluster whose relative accelerations are known, for light bodies too.
template <class S>
void accelerate_cluster(const Model& model, Data<S>& data, const Cluster& c, const S* ydd) {
    S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < c.m; ++j) y[j] = ydd[model.y_index[c.y_begin + j]];
    const Motion<S> base = base_acceleration(model, data, c);
    for (const int i : c.bodies) {
        const Motion<S>* J = jacobian_of(model, data, c, i);
        Motion<S> a = base + data.b[i];
        for (int j = 0; j < c.m; ++j) a += J[j] * y[j];
        data.a[i] = a;
    }
    for (int dof = c.dof_begin; dof < c.dof_begin + c.dofs; ++dof)
        data.directions.qdd[dof] = joint_acceleration(model, data, c, dof);
}

/// Composite inertia, B and force of a body, to begin with its own.
template <class S>
[[gnu::always_inline]] inline void begin_composites(const Model& model, Data<S>& data, int i) {
    const RigidInertia<S> I = inertia_of(model, data, i);
    data.I[i] = I;
    data.directions.B[i] = coriolis(I, data.v[i]);
    data.pA[i] = moving_force(I, data.v[i], data.a[i]);
}

/// Forward over one cluster: motions, and how they change along its directions.
template <class S>
void vary(const Model& model, Data<S>& data, const Cluster& c, int cluster, const S* q, const S* yd,
          const S* ydd) {
    cluster_positions(model, data, c, cluster, q);
    cluster_velocities(model, data, c, q, yd);
    accelerate_cluster(model, data, c, ydd);
    for (const int i : c.bodies) begin_composites(model, data, i);
    vary_cluster(model, data, c, q);
}

/// The same of one revolute joint.
template <class S>
void vary_joint(const Model& model, Data<S>& data, const Cluster& c, const S* yd, const S* ydd) {
    const int i = c.bodies.first;
    const JointPlace<S> x(model, data, i);
    const int y = model.y_index[c.y_begin];
    const Motion<S>&v = data.v[x.body.parent], &a = data.a[x.body.parent];
    const Motion<S> e = cross(v, x.s);
    const Motion<S> eta = cross(a, x.s) + cross(v, e);
    x.store(data, i);
    data.y_rate[c.y_begin] = yd[y];
    data.y_acceleration[c.y_begin] = ydd[y];
    data.v[i] = v + x.s * yd[y];
    data.a[i] = a + (x.s * ydd[y] + e * yd[y]);
    Directions<S>& d = data.directions;
    d.e[c.e_begin] = e;
    d.eta[c.e_begin] = eta;
    d.eta_rate[c.e_begin] = e * S(2);
    begin_composites(model, data, i);
}

// What rotors add, once for all directions.

/// Spin and its force on the carrier, and the force of the rotor's own row.
template <class S>
void spin_rotors(const Model& model, Data<S>& data, const Cluster& c) {
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

/// The same of a folded cluster.
template <class S>
void spin_folded_rotors(const Model& model, Data<S>& data, const Cluster& c) {
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

template <class S>
void load_rotors(const Model& model, Data<S>& data, const S* q, const S* wrenches) {
    for (const Cluster& c : model.clusters)
        for (const int r : c.rotor_kind == RotorKind::moving ? c.rotors : Range{}) {
            const LoadedRotor<S> loaded = loaded_rotor(model, data, c, model.rotors[r], q, wrenches);
            data.directions.force[model.rotors[r].dof] -= dot(loaded.s, loaded.wrench);
        }
}

// Backward: what goes through a cluster.

/// Adds composites of body i to those of the body that its cluster hangs on.
template <class S>
[[gnu::always_inline]] inline void pass_on(Data<S>& data, const Cluster& c, int i) {
    if (c.parent_body == world) return;
    data.I[c.parent_body] += data.I[i];
    data.directions.B[c.parent_body] += data.directions.B[i];
    data.pA[c.parent_body] += data.pA[i];
}

/// Momentum that folded rotors give to the body before, along all directions.
template <class S>
void add_folded_rotors(const Model& model, Data<S>& data, const Cluster& c) {
    Directions<S>& d = data.directions;
    for (int k = 0; k < c.m; ++k) {
        const Vector3<S> h = folded_momentum(model, data, c, k);
        const Vector3<S> turned = cross(data.v[c.parent_body].angular, h);
        data.W[c.W_begin + k].angular += h;
        d.Z[c.y_begin + k] += turned;
        d.force_yd[c.y_begin + k].angular += turned;
    }
}

/// The moment of a wrench on a rotor turns with it.
template <class S>
Force<S> turned_wrench(const LoadedRotor<S>& rotor, const S& rate) {
    return cross(rotor.s * rate, rotor.wrench) * S(-1);
}

/// What a rotor of a cluster that is not folded does to its carrier and in its own row, along all directions.
template <class S, class Add>
void add_rotor_changes(const Model& model, Data<S>& data, const Cluster& c, const Rotor& rotor, bool turning,
                       const Add& add_y, const Add& add_yd, const Add& add_M) {
    Directions<S>& d = data.directions;
    const Gyrostat<S> r = gyrostat(model, data, c, rotor);
    const int row = rotor.dof - c.dof_begin;
    const bool inside = r.J != nullptr, carried = rotor.carrier != world;
    const Vector3<S> none{S(0), S(0), S(0)};
    const Vector3<S> turned = carried ? cross(data.v[rotor.carrier].angular, r.h) : none;
    const Motion<S>*const e = inside ? of_body(d.e, c, rotor.carrier) : nullptr,
                          *const eta = inside ? of_body(d.eta, c, rotor.carrier) : nullptr,
                          *const eta_rate = inside ? of_body(d.eta_rate, c, rotor.carrier) : nullptr;
    for (int k = 0; k < c.m; ++k) {
        const RateChanges<S> change = rate_changes(data, c, k);
        const S rate = change.rate ? change.rate[row] : S(0);
        const S acceleration = change.rate ? change.acceleration[row] : S(0);
        const S with_rate = acceleration_change(model, data, c, row, k, turning);
        const Vector3<S> y = r.h * acceleration + turned * rate, yd = r.h * with_rate + turned * r.w[k];
        S row_y = r.inertia * acceleration, row_yd = r.inertia * with_rate, row_M = r.inertia * r.w[k];
        if (inside) {
            row_y += dot(r.h, eta[k].angular) + dot(turned, e[k].angular);
            row_yd += dot(r.h, eta_rate[k].angular) + dot(turned, r.J[k].angular);
            row_M += dot(r.h, r.J[k].angular);
        }
        if (carried) {
            data.W[c.W_begin + k].angular += r.h * r.w[k];
            d.Z[c.y_begin + k] += turned * r.w[k];
            d.force_y[c.y_begin + k].angular += y;
            d.force_yd[c.y_begin + k].angular += yd;
        }
        for (int j = 0; j < c.m; ++j) {
            add_y(j, k, r.w[j] * row_y + (inside ? dot(r.J[j].angular, y) : S(0)));
            add_yd(j, k, r.w[j] * row_yd + (inside ? dot(r.J[j].angular, yd) : S(0)));
            add_M(j, k, r.w[j] * row_M + (inside ? dot(r.J[j].angular, r.h) * r.w[k] : S(0)));
        }
    }
}

/// Wrenches on rotors turn against their carriers.
template <class S, class Add>
void add_rotor_wrenches(const Model& model, Data<S>& data, const Cluster& c, const S* q, const S* wrenches,
                        const Add& add_y) {
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        if (rotor->carrier == world) continue;
        const LoadedRotor<S> loaded = loaded_rotor(model, data, c, *rotor, q, wrenches);
        const Motion<S>* J =
            rotor->carrier_in_cluster ? jacobian_of(model, data, c, rotor->carrier) : nullptr;
        for (int k = 0; k < c.m; ++k) {
            const S rate = embedding_entry(model, data, c, rotor->dof - c.dof_begin, k);
            const Force<S> change = turned_wrench(loaded, rate);
            data.directions.force_y[c.y_begin + k] += change;
            for (int j = 0; J && j < c.m; ++j) add_y(j, k, dot(J[j], change));
        }
    }
}

/// Backward over one cluster: W, Z, the changes of its force, and its own blocks.
template <class S>
void change_cluster(const Model& model, Data<S>& data, const Cluster& c, const S* q, const S* wrenches,
                    const InverseTargets<S>& out) {
    Directions<S>& d = data.directions;
    const int* index = model.y_index.data() + c.y_begin;
    struct Add {
        const int* index;
        const Target<S>& target;
        void operator()(int j, int k, const S& value) const {
            if (target.entries) target(index[j], index[k]) += value;
        }
    };
    const Add add_y{index, out.y}, add_yd{index, out.yd}, add_M{index, out.M};
    Force<S>*const W = data.W.data() + c.W_begin, *const force_y = d.force_y.data() + c.y_begin,
                   *const force_yd = d.force_yd.data() + c.y_begin;
    Vector3<S>* const Z = d.Z.data() + c.y_begin;
    for (int k = 0; k < c.m; ++k) {
        W[k] = force_y[k] = force_yd[k] = Force<S>{};
        Z[k] = Vector3<S>{};
    }
    const bool turning = has_turning_joint(model, c);
    cut_forces(model, data, c);
    if (has_rate_changes(c)) add_constraint_changes(model, data, c, q, add_y);
    for (const int i : c.bodies) {
        const Motion<S>*const J = jacobian_of(model, data, c, i), *const e = of_body(d.e, c, i),
                              *const eta = of_body(d.eta, c, i), *const eta_rate = of_body(d.eta_rate, c, i);
        for (int k = 0; k < c.m; ++k) {
            const Force<S> momentum = data.I[i] * J[k];
            const Force<S> y = cross(J[k], data.pA[i]) + data.I[i] * eta[k] + d.B[i] * e[k];
            const Force<S> yd = data.I[i] * eta_rate[k] + d.B[i] * J[k];
            W[k] += momentum;
            Z[k] += transpose_times(d.B[i], J[k]);
            force_y[k] += y;
            force_yd[k] += yd;
            for (int j = 0; j < c.m; ++j) {
                add_y(j, k, dot(J[j], y));
                add_yd(j, k, dot(J[j], yd));
                add_M(j, k, dot(J[j], momentum));
            }
        }
        add_joint_turning(model, data, c, i, add_y);
        pass_on(data, c, i);
    }
    if (c.turning_armature) add_turning_changes(model, data, c, add_y, add_yd);
    if (c.rotor_kind == RotorKind::moving) {
        for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor)
            add_rotor_changes(model, data, c, *rotor, turning, add_y, add_yd, add_M);
        if (c.armature) add_armature_changes(model, data, c, turning, add_y, add_yd);
    }
    if (c.is_spinning()) add_folded_rotors(model, data, c);
    if (wrenches) add_rotor_wrenches(model, data, c, q, wrenches, add_y);
    if (!out.M.entries) return;
    for (int k = 0; k < c.m; ++k)
        for (int j = 0; j < c.m; ++j) {
            if (c.rotor_kind != RotorKind::moving)
                add_M(j, k, constant_inertia<S>(model, c, std::max(j, k), std::min(j, k)));
            else if (c.armature)
                for (int row = 0; row < c.dofs; ++row)
                    add_M(j, k,
                          S(model.armature[c.dof_begin + row]) * embedding_entry(model, data, c, row, j) *
                              embedding_entry(model, data, c, row, k));
        }
}

/// Blocks with all clusters before: what goes through the cluster acts on them, their motions take it along.
template <class S>
void change_ancestors(const Model& model, const Data<S>& data, const Cluster& c,
                      const InverseTargets<S>& out) {
    const Directions<S>& directions = data.directions;
    const int* y = model.y_index.data() + c.y_begin;
    const Force<S>*const W = data.W.data() + c.W_begin,
                         *const force_y = directions.force_y.data() + c.y_begin,
                         *const force_yd = directions.force_yd.data() + c.y_begin;
    const Vector3<S>* const Z = directions.Z.data() + c.y_begin;
    for (int b = c.parent_body; b != world;) {
        const Cluster& d = model.clusters[model.bodies[b].cluster];
        const int* x = model.y_index.data() + d.y_begin;
        const Motion<S>*const J = jacobian_of(model, data, d, b), *const e = of_body(directions.e, d, b),
                              *const eta = of_body(directions.eta, d, b),
                              *const eta_rate = of_body(directions.eta_rate, d, b);
        for (int k = 0; k < c.m; ++k)
            for (int j = 0; j < d.m; ++j) {
                out.y(x[j], y[k]) = dot(J[j], force_y[k]);
                out.yd(x[j], y[k]) = dot(J[j], force_yd[k]);
                out.y(y[k], x[j]) = dot(eta[j], W[k]) + dot(e[j].angular, Z[k]);
                out.yd(y[k], x[j]) = dot(eta_rate[j], W[k]) + dot(J[j].angular, Z[k]);
                if (out.M.entries) out.M(x[j], y[k]) = out.M(y[k], x[j]) = dot(J[j], W[k]);
            }
        b = d.parent_body;
    }
}

template <class S>
void clear_target(const Target<S>& target, int n) {
    for (int j = 0; target.entries && j < n; ++j) std::fill_n(target.entries + j * target.stride, n, S(0));
}

/// ∂τ/∂y, ∂τ/∂ẏ and, if wanted, M; wrenches null: none.
template <class S>
void rnea_derivatives(const Model& model, Data<S>& data, const S* q, const S* yd, const S* ydd,
                      const S* wrenches, const InverseTargets<S>& out) {
    turn_joints(model, data, q);
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        if (c.kind == ClusterKind::joint)
            vary_joint(model, data, c, yd, ydd);
        else
            vary(model, data, c, k, q, yd, ydd);
        if (c.rotor_kind == RotorKind::moving)
            spin_rotors(model, data, c);
        else if (c.is_spinning())
            spin_folded_rotors(model, data, c);
    }
    if (wrenches) {
        for (S& u : data.u) u = S(0);
        apply_wrenches(model, data, q, wrenches, -1);
        load_rotors(model, data, q, wrenches);
    }
    for (const Target<S>& target : {out.y, out.yd, out.M}) clear_target(target, model.nv);
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        change_cluster(model, data, *c, q, wrenches, out);
        if (c->parent_body != world) change_ancestors(model, data, *c, out);
    }
}

}  // namespace grbda::kernels
