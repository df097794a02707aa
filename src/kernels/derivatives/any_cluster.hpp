#pragma once

#include "kernels/pass/kinds/any_cluster.hpp"
#include "own_changes.hpp"
#include "rods.hpp"

// Derivatives of a cluster with any joints, loops and couplings.

namespace grbda::kernels::derivatives {

/// Sets the composite inertia, B and force of a body to its own.
template <class S>
[[gnu::always_inline]] inline void begin_composites(const Model& model, Workspace<S>& data, int i) {
    const RigidInertia<S> I = inertia_of(model, data, i);
    data.I[i] = I;
    data.directions.B[i] = coriolis(I, data.v[i]);
    data.pA[i] = moving_force(I, data.v[i], data.a[i]);
}

/// Adds the composites of body i to those of the cluster's parent body.
template <class S>
[[gnu::always_inline]] inline void pass_on(Workspace<S>& data, const Cluster& c, int i) {
    if (c.parent_body == world) return;
    data.I[c.parent_body] += data.I[i];
    data.directions.B[c.parent_body] += data.directions.B[i];
    data.pA[c.parent_body] += data.pA[i];
}

/// Computes the momentum of folded rotors on the parent body, along all directions.
template <class S>
void add_folded_rotors(const Model& model, Workspace<S>& data, const Cluster& c) {
    Directions<S>& d = data.directions;
    for (int k = 0; k < c.m; ++k) {
        const Vector3<S> h = folded_momentum(model, data, c, k);
        const Vector3<S> turned = cross(data.v[c.parent_body].angular, h);
        data.W[c.W_begin + k].angular += h;
        d.Z[c.y_begin + k] += turned;
        d.force_yd[c.y_begin + k].angular += turned;
    }
}

/// Computes the effects of a rotor of a cluster that is not folded on its carrier and on its own row, along
/// all directions.
template <class S, class Add>
void add_rotor_changes(const Model& model, Workspace<S>& data, const Cluster& c, const Rotor& rotor,
                       bool turning, const Add& add) {
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
            add.y(j, k, r.w[j] * row_y + (inside ? dot(r.J[j].angular, y) : S(0)));
            add.yd(j, k, r.w[j] * row_yd + (inside ? dot(r.J[j].angular, yd) : S(0)));
            add.M(j, k, r.w[j] * row_M + (inside ? dot(r.J[j].angular, r.h) * r.w[k] : S(0)));
        }
    }
}

/// Adds the effect of wrenches on rotors, which rotate relative to their carriers.
template <class S, class Add>
void add_rotor_wrenches(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                        const S* wrenches, const Add& add) {
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        if (rotor->carrier == world) continue;
        const LoadedRotor<S> loaded = loaded_rotor(model, data, c, *rotor, q, wrenches);
        const Force<S> turned = cross(loaded.s, loaded.wrench);
        const Motion<S>* J =
            rotor->carrier_in_cluster ? jacobian_of(model, data, c, rotor->carrier) : nullptr;
        for (int k = 0; k < c.m; ++k) {
            const Force<S> change = turned * -embedding_entry(model, data, c, rotor->dof - c.dof_begin, k);
            data.directions.force_y[c.y_begin + k] += change;
            for (int j = 0; J && j < c.m; ++j) add.y(j, k, dot(J[j], change));
        }
    }
}

/// The cluster's own blocks of ∂τ/∂y, ∂τ/∂ẏ and, if requested, M [m × m], as sums.
template <class S>
class OwnBlocks {
public:
    OwnBlocks(Directions<S>& d, int size, bool with_M)
        : size_(size), y_(d.own_y.data()), yd_(d.own_yd.data()), M_(with_M ? d.own_M.data() : nullptr) {
        for (S* block : {y_, yd_, M_})
            if (block) std::fill_n(block, size * size, S(0));
    }
    void y(int j, int k, const S& value) const { y_[k * size_ + j] += value; }
    void yd(int j, int k, const S& value) const { yd_[k * size_ + j] += value; }
    void M(int j, int k, const S& value) const {
        if (M_) M_[k * size_ + j] += value;
    }

    /// Adds Jᵀ of forces to column k.
    void add_column(int k, const Motion<S>* J, const Force<S>& y, const Force<S>& yd,
                    const Force<S>& M) const {
        S *const to_y = y_ + k * size_, *const to_yd = yd_ + k * size_;
        for (int j = 0; j < size_; ++j) {
            to_y[j] += dot(J[j], y);
            to_yd[j] += dot(J[j], yd);
        }
        for (int j = 0; M_ && j < size_; ++j) M_[k * size_ + j] += dot(J[j], M);
    }

    /// Writes the blocks to the caller's matrices, at rows and columns `index`.
    void store(const int* index, const InverseTargets<S>& out) const {
        for (int k = 0; k < size_; ++k)
            for (int j = 0; j < size_; ++j) {
                out.y(index[j], index[k]) = y_[k * size_ + j];
                out.yd(index[j], index[k]) = yd_[k * size_ + j];
                if (M_) out.M(index[j], index[k]) = M_[k * size_ + j];
            }
    }

private:
    int size_;
    S *y_, *yd_, *M_;
};

struct AnyCluster {
    /// Computes positions and velocities.
    template <class S>
    static void motion_forward(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                               const S* yd) {
        cluster_positions(model, data, c, c.index, q);
        cluster_velocities(model, data, c, q, yd);
    }

    /// Computes accelerations, including those of massless bodies, and changes of the motions along the
    /// directions.
    template <class S>
    static void variation_forward(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                                  const S* ydd) {
        accelerate_cluster(model, data, c, ydd, base_acceleration(model, data, c));
        for (const int i : c.bodies) begin_composites(model, data, i);
        if (!c.rods.empty()) add_pair_forces(model, data, c, base_acceleration(model, data, c), data.a);
        vary_cluster(model, data, c, q);
    }

    /// Computes W, Z, the changes of the force through the cluster, and its own blocks; wrenches may be null.
    template <class S>
    static void variation_backward(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                                   const S* wrenches, const InverseTargets<S>& out) {
        const OwnBlocks<S> own(data.directions, c.m, out.M.entries != nullptr);
        clear_changes(data, c);
        cut_forces(model, data, c);
        const auto add_y = [&own](int j, int k, const S& value) { own.y(j, k, value); };
        if (has_rate_changes(c)) add_constraint_changes(model, data, c, q, add_y);
        with_embedding(model, data, c, [&](const auto& G) {
            for (const int i : c.bodies) add_joint_turning(model, data, c, i, G, add_y);
        });
        for (const int i : c.bodies) {
            add_body(model, data, c, i, own);
            pass_on(data, c, i);
        }
        if (!c.rods.empty()) add_rod_changes(model, data, c, own);
        add_constants(model, data, c, own);
        if (wrenches) add_rotor_wrenches(model, data, c, q, wrenches, own);
        own.store(model.y_index.data() + c.y_begin, out);
    }

    /// Computes the blocks of cluster d with cluster c, which is attached to body b of d. Returns the parent
    /// body of d.
    template <class S>
    static int variation_block(const Model& model, const Workspace<S>& data, const Cluster& d, int b,
                               const Cluster& c, const InverseTargets<S>& out) {
        const Directions<S>& directions = data.directions;
        const int *x = model.y_index.data() + d.y_begin, *y = model.y_index.data() + c.y_begin;
        const Motion<S>*const J = jacobian_of(model, data, d, b), *const e = of_body(directions.e, d, b),
                              *const eta = of_body(directions.eta, d, b),
                              *const eta_rate = of_body(directions.eta_rate, d, b);
        for (int k = 0; k < c.m; ++k) {
            const Force<S>&W = data.W[c.W_begin + k], &force_y = directions.force_y[c.y_begin + k],
                  &force_yd = directions.force_yd[c.y_begin + k];
            const Vector3<S>& Z = directions.Z[c.y_begin + k];
            for (int j = 0; j < d.m; ++j) {
                out.y(x[j], y[k]) = dot(J[j], force_y);
                out.yd(x[j], y[k]) = dot(J[j], force_yd);
                out.y(y[k], x[j]) = dot(eta[j], W) + dot(e[j].angular, Z);
                out.yd(y[k], x[j]) = dot(eta_rate[j], W) + dot(J[j].angular, Z);
                if (out.M.entries) out.M(x[j], y[k]) = out.M(y[k], x[j]) = dot(J[j], W);
            }
        }
        return d.parent_body;
    }

protected:
    template <class S>
    static void clear_changes(Workspace<S>& data, const Cluster& c) {
        Directions<S>& d = data.directions;
        for (int k = 0; k < c.m; ++k) {
            data.W[c.W_begin + k] = d.force_y[c.y_begin + k] = d.force_yd[c.y_begin + k] = Force<S>{};
            d.Z[c.y_begin + k] = Vector3<S>{};
        }
    }

private:
    /// Adds a body with all its descendants.
    template <class S>
    static void add_body(const Model& model, Workspace<S>& data, const Cluster& c, int i,
                         const OwnBlocks<S>& own) {
        Directions<S>& d = data.directions;
        const Motion<S>*const J = jacobian_of(model, data, c, i), *const e = of_body(d.e, c, i),
                              *const eta = of_body(d.eta, c, i), *const eta_rate = of_body(d.eta_rate, c, i);
        const RigidInertia<S> I = data.I[i];
        const Coriolis<S> B = d.B[i];
        const Force<S> F = data.pA[i];
        for (int k = 0; k < c.m; ++k) {
            const Force<S> momentum = I * J[k], y = cross(J[k], F) + I * eta[k] + B * e[k],
                           yd = I * eta_rate[k] + B * J[k];
            data.W[c.W_begin + k] += momentum;
            d.Z[c.y_begin + k] += transpose_times(B, J[k]);
            d.force_y[c.y_begin + k] += y;
            d.force_yd[c.y_begin + k] += yd;
            own.add_column(k, J, y, yd, momentum);
        }
    }

    /// Adds rotors and armatures.
    template <class S>
    static void add_constants(const Model& model, Workspace<S>& data, const Cluster& c,
                              const OwnBlocks<S>& own) {
        if (c.turning_armature) add_turning_changes(model, data, c, own);
        if (c.rotor_kind != RotorKind::moving) {
            if (c.is_spinning()) add_folded_rotors(model, data, c);
            for (int k = 0; k < c.m; ++k)
                for (int j = 0; j < c.m; ++j)
                    own.M(j, k, constant_inertia<S>(model, c, std::max(j, k), std::min(j, k)));
            return;
        }
        const bool turning = has_turning_joint(model, c);
        for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor)
            add_rotor_changes(model, data, c, *rotor, turning, own);
        if (c.armature) add_armature_changes(model, data, c, turning, own);
    }
};

}  // namespace grbda::kernels::derivatives
