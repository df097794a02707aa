#pragma once

#include "kernels/constraint/motion.hpp"

// Rotors reduced to gyrostats. The mass is merged into the carrier at build. The remaining freedom is the
// spin θ̇ = w ẏ about an axis fixed in the carrier, with the couple h = [0; J a]. The kinetic energy of the
// remainder is J (a·ω_p) θ̇ + ½ J θ̇².

namespace grbda::kernels {

/// One rotor at the current state.
template <class S>
struct Gyrostat {
    S inertia;           ///< J
    Vector3<S> h;        ///< J a, the angular part of the couple
    const S* w;          ///< row of G
    const Motion<S>* J;  ///< Jacobian of the carrier; null if it is outside the cluster
};

/// Returns the angular part of the couple of a rotor on its carrier, per unit of spin.
template <class S>
[[gnu::always_inline]] inline Vector3<S> couple_of(const Workspace<S>& data, const Rotor& rotor) {
    const Vector3<S> axis = rotor.axis.cast<S>();
    return (rotor.carrier == world ? axis : data.R[rotor.carrier] * axis) * S(rotor.axial_inertia);
}

template <class S>
[[gnu::always_inline]] inline Gyrostat<S> gyrostat(const Model& model, const Workspace<S>& data,
                                                   const Cluster& c, const Rotor& rotor) {
    return {S(rotor.axial_inertia), couple_of(data, rotor),
            data.G.data() + c.G_begin + (rotor.dof - c.dof_begin) * c.m,
            rotor.carrier_in_cluster ? jacobian_of(model, data, c, rotor.carrier) : nullptr};
}

/// Adds the rotor's part of the lower triangle of D [m × m] and of the forces F [m].
template <class S>
[[gnu::always_inline]] inline void add_rotor(const Gyrostat<S>& r, int m, S* D, Force<S>* F) {
    for (int j = 0; j < m; ++j) {
        F[j].angular += r.h * r.w[j];
        for (int k = 0; k <= j; ++k) {
            D[j * m + k] += r.inertia * r.w[j] * r.w[k];
            if (r.J) D[j * m + k] += dot(r.J[j].angular, r.h) * r.w[k] + dot(r.J[k].angular, r.h) * r.w[j];
        }
    }
}

/// Returns [0; ω_p × J a θ̇], the wrench that the carrier needs to turn the spinning rotor.
template <class S>
Force<S> gyroscopic_force(const Workspace<S>& data, const Rotor& rotor, const Vector3<S>& h) {
    const Vector3<S> omega = velocity_of(data, rotor.carrier).angular;
    return {{S(0), S(0), S(0)}, cross(omega, h) * data.rate[rotor.dof]};
}

/// Computes h_j = Σ J w_j a over the rotors of a folded cluster, all on its parent body.
template <class S>
[[gnu::always_inline]] inline Vector3<S> folded_momentum(const Model& model, const Workspace<S>& data,
                                                         const Cluster& c, int j) {
    if (c.rotor_kind == RotorKind::coaxial) return data.s[c.dof_begin].angular * S(c.momentum);
    return data.R[c.parent_body] * model.momentum[c.y_begin + j].cast<S>();
}

/// Adds D0, the constant part of D, to the lower triangle.
template <class S>
S constant_inertia(const Model& model, const Cluster& c, int j, int k) {
    return c.rotor_kind != RotorKind::moving ? S(model.D0[c.D_begin + j * c.m + k]) : S(0);
}

/// The rotors of a cluster as a range.
inline const Rotor* rotors_begin(const Model& model, const Cluster& c) {
    return model.rotors.data() + c.rotors.first;
}

inline const Rotor* rotors_end(const Model& model, const Cluster& c) {
    return model.rotors.data() + c.rotors.last;
}

// ABA

/// Adds the rotors of a cluster that is not folded to D, W, u and the forces of their carriers.
template <int M, class S>
void articulate_rotors(const Model& model, Workspace<S>& data, const Cluster& c, S* D, Force<S>* W, S* u) {
    const int m = M > 0 ? M : c.m;
    for (const Rotor* rotor = rotors_begin(model, c); rotor != rotors_end(model, c); ++rotor) {
        const Gyrostat<S> r = gyrostat(model, data, c, *rotor);
        const S g = bias_of(data, c, rotor->dof);
        S row = r.inertia * g;
        if (rotor->carrier != world) {
            const auto p = static_cast<std::size_t>(rotor->carrier);
            data.pA[p] += gyroscopic_force(data, *rotor, r.h);
            data.pA[p].angular += r.h * g;
            row += dot(r.h, data.a0[p].angular);
        }
        for (int j = 0; j < m; ++j) u[j] -= r.w[j] * row;
        add_rotor(r, m, D, W);
    }
}

/// Adds the rotors of a folded cluster: the parent body carries all rotors that are not in the world.
template <int M, class S>
[[gnu::always_inline]] inline void articulate_folded_rotors(const Model& model, Workspace<S>& data,
                                                            const Cluster& c, Force<S>* W, S* u) {
    const int m = M > 0 ? M : c.m;
    const auto parent = static_cast<std::size_t>(c.parent_body);
    Vector3<S> momentum{S(0), S(0), S(0)};
    for (int j = 0; j < m; ++j) {
        const Vector3<S> h = folded_momentum(model, data, c, j);
        W[j].angular = h;
        u[j] -= dot(h, data.a0[parent].angular);
        momentum += h * data.y_rate[c.y_begin + j];
    }
    data.pA[parent].angular += cross(data.v[parent].angular, momentum);
}

/// Adds the bias of the reflected inertias, j Gᵀ g, to u.
template <class S>
void armature_bias(const Model& model, const Workspace<S>& data, const Cluster& c, S* u) {
    if (!c.armature || c.embedding != Embedding::implicit) return;
    for (int i = 0; i < c.dofs; ++i) {
        const auto dof = static_cast<std::size_t>(c.dof_begin + i);
        const S force = S(model.armature[dof]) * data.g[dof];
        for (int j = 0; j < c.m; ++j) u[j] -= data.G[c.G_begin + i * c.m + j] * force;
    }
}

// RNEA

/// Returns θ̈ for a row of G.
template <class S>
S row_acceleration(const Workspace<S>& data, const Cluster& c, int dof) {
    const S* w = data.G.data() + c.G_begin + (dof - c.dof_begin) * c.m;
    S acceleration = bias_of(data, c, dof);
    for (int j = 0; j < c.m; ++j) acceleration += w[j] * data.y_acceleration[c.y_begin + j];
    return acceleration;
}

/// Adds the rotors and reflected inertias of a folded cluster: D0 ÿ to u, the rest to the force of the parent
/// body.
template <int M, class S>
void folded_forces(const Model& model, Workspace<S>& data, const Cluster& c, S* u) {
    const int m = M > 0 ? M : c.m;
    const S* y = data.y_acceleration.data() + c.y_begin;
    for (int j = 0; j < m; ++j)
        for (int k = 0; k <= j; ++k) {
            const S D = S(model.D0[c.D_begin + j * m + k]);
            u[j] += D * y[k];
            if (k != j) u[k] += D * y[j];
        }
    if (!c.is_spinning()) return;
    const auto parent = static_cast<std::size_t>(c.parent_body);
    Vector3<S> momentum{S(0), S(0), S(0)}, rate = momentum;
    for (int j = 0; j < m; ++j) {
        const Vector3<S> h = folded_momentum(model, data, c, j);
        u[j] += dot(h, data.a[parent].angular);
        momentum += h * data.y_rate[c.y_begin + j];
        rate += h * y[j];
    }
    data.pA[parent].angular += rate + cross(data.v[parent].angular, momentum);
}

/// Computes the force on a rotor's carrier, from its acceleration a and that of the spin, and the force of
/// the rotor's own joint, J (a·α_p + θ̈).
template <class S>
[[gnu::always_inline]] inline S load_carrier(Workspace<S>& data, const Rotor& rotor,
                                             const Table<Motion<S>>& a, const S& spin) {
    const S own = spin * S(rotor.axial_inertia);
    if (rotor.carrier == world) return own;
    const Vector3<S> h = couple_of(data, rotor);
    Force<S>& carrier = data.pA[rotor.carrier];
    carrier += gyroscopic_force(data, rotor, h);
    carrier.angular += h * spin;
    return own + dot(h, a[rotor.carrier].angular);
}

// CRBA

/// Adds j Gᵀ G of the reflected inertias of a cluster that is not folded to the lower triangle of D.
template <class S>
void add_armature(const Model& model, const Workspace<S>& data, const Cluster& c, S* D) {
    if (!c.armature) return;
    for (int i = 0; i < c.dofs; ++i) {
        const S inertia = S(model.armature[c.dof_begin + i]);
        const S* w = data.G.data() + c.G_begin + i * c.m;
        for (int j = 0; j < c.m; ++j)
            for (int k = 0; k <= j; ++k) D[j * c.m + k] += inertia * w[j] * w[k];
    }
}

// The armature j of a floating joint is an apparent mass at the body's origin and an apparent moment of
// inertia, equal about all axes, with the kinetic energy ½ j (|v|² + |ω|²) of the motion relative to the
// parent. If v is in the body's axes, its momentum j v rotates with them, which requires the force ω × j v; ω
// × j ω is zero.

/// Calls put(velocity, force) with ω × j v of the floating joints of a cluster. It is not valid for a base on
/// the world, whose rates are not in data.rate.
template <class S, class Put>
[[gnu::cold, gnu::noinline]] void turning_forces(const Model& model, const Workspace<S>& data,
                                                 const Cluster& c, const Put& put) {
    for (const int i : c.bodies) {
        const Body& body = model.bodies[i];
        if (body.joint != JointType::floating) continue;
        const S* rate = &data.rate[body.dof];
        const Vector3<S> v{rate[0], rate[1], rate[2]}, omega{rate[3], rate[4], rate[5]};
        const Vector3<S> turning = cross(omega, v) * S(model.armature[body.dof]);
        put(body.dof, turning.x);
        put(body.dof + 1, turning.y);
        put(body.dof + 2, turning.z);
    }
}

/// Returns the same force for a floating base on the world, in the world's axes.
template <class S>
[[gnu::cold, gnu::noinline]] Vector3<S> turning_force(const Model& model, const Workspace<S>& data,
                                                      const Cluster& c) {
    const Motion<S>& v = data.v[c.bodies.first];
    return cross(v.angular, v.linear) * S(model.armature[c.dof_begin]);
}

/// u += sign Gᵀ of these forces, u [m].
template <class S>
void add_turning_forces(const Model& model, const Workspace<S>& data, const Cluster& c, const S& sign, S* u) {
    turning_forces(model, data, c, [&](int dof, const S& force) {
        for (int j = 0; j < c.m; ++j)
            u[j] += embedding_entry(model, data, c, dof - c.dof_begin, j) * force * sign;
    });
}

// ABA, start of step 2

/// Starts D, u and W of a cluster: with its rotors and armatures, or else with D = 0, u = τ and W = 0.
template <int M, class S>
[[gnu::always_inline]] inline void start_with_rotors(const Model& model, Workspace<S>& data,
                                                     const Cluster& c) {
    const int m = M > 0 ? M : c.m;
    S* D = data.D.data() + c.D_begin;
    S* u = data.u.data() + c.y_begin;
    Force<S>* W = data.W.data() + c.W_begin;
    for (int j = 0; j < m; ++j) {
        W[j] = Force<S>{};
        for (int k = 0; k <= j; ++k) D[j * m + k] = constant_inertia<S>(model, c, j, k);
    }
    if (c.is_spinning()) articulate_folded_rotors<M>(model, data, c, W, u);
    if (c.rotor_kind == RotorKind::moving) {
        articulate_rotors<M>(model, data, c, D, W, u);
        armature_bias(model, data, c, u);
        add_armature(model, data, c, D);
    }
    if (c.turning_armature) add_turning_forces(model, data, c, S(-1), u);
}

}  // namespace grbda::kernels
