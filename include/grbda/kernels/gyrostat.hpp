#pragma once

#include "grbda/kernels/kinematics.hpp"

// Rotors reduced to gyrostats: the mass is merged into the carrier at build,
// what remains is the spin θ̇ = w ẏ about a carrier-fixed axis, with the couple
// h = [0; J a]. Kinetic energy of the remainder: J (a·ω_p) θ̇ + ½ J θ̇².

namespace grbda::kernels {

/// One rotor at the current state.
template <class S>
struct Gyrostat {
    S inertia;           ///< J
    Vector3<S> h;        ///< J a, the angular part of the couple
    const S* w;          ///< row of G
    const Motion<S>* J;  ///< Jacobian of the carrier; null if it is outside the cluster
};

template <class S>
[[gnu::always_inline]] inline Gyrostat<S> gyrostat(const Model& model, const Data<S>& data, const Cluster& c,
                                                   const Rotor& rotor) {
    const Vector3<S> axis = rotor.axis.cast<S>();
    const Vector3<S> a =
        rotor.carrier == world ? axis : data.R[static_cast<std::size_t>(rotor.carrier)] * axis;
    const S inertia = S(rotor.axial_inertia);
    return {inertia, a * inertia, data.G.data() + c.G_begin + (rotor.dof - c.dof_begin) * c.m,
            rotor.carrier_in_cluster ? jacobian_of(model, data, c, rotor.carrier) : nullptr};
}

/// Its part of the lower triangle of D [m × m] and of the forces F [m].
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

/// [0; ω_p × J a θ̇]: what turning the spinning rotor takes from its carrier.
template <class S>
Force<S> gyroscopic_force(const Data<S>& data, const Rotor& rotor, const Gyrostat<S>& r) {
    const Vector3<S> omega = velocity_of(data, rotor.carrier).angular;
    return {{S(0), S(0), S(0)}, cross(omega, r.h) * data.rate[static_cast<std::size_t>(rotor.dof)]};
}

/// h_j = Σ J w_j a over the rotors of a folded cluster, all on its parent body.
template <class S>
[[gnu::always_inline]] inline Vector3<S> folded_momentum(const Model& model, const Data<S>& data,
                                                         const Cluster& c, int j) {
    if (c.coaxial != 0) return data.s[static_cast<std::size_t>(c.dof_begin)].angular * S(c.coaxial);
    return data.R[static_cast<std::size_t>(c.parent_body)] *
           model.momentum[static_cast<std::size_t>(c.y_begin + j)].cast<S>();
}

/// D0: the constant part of D, lower triangle.
template <class S>
S constant_inertia(const Model& model, const Cluster& c, int j, int k) {
    return c.folded ? S(model.D0[static_cast<std::size_t>(c.D_begin + j * c.m + k)]) : S(0);
}

// The armature j of a floating joint is an apparent mass at the body's origin and an apparent moment of
// inertia, the same about all axes: kinetic energy ½ j (|v|² + |ω|²) of the motion relative to the parent.
// Where v stands in the body's axes its momentum j v is carried along by them, which takes the force ω × j v;
// ω × j ω is none.

/// Σ w ω × j v over the floating joints of a cluster, w their rows of G: added to u [m] with the sign given.
/// Not for a base on the world, whose rates are not in data.rate.
template <class S>
[[gnu::cold, gnu::noinline]] void turning_forces(const Model& model, const Data<S>& data, const Cluster& c,
                                                 double sign, S* u) {
    for (int i = c.body_begin; i < c.rotor_begin; ++i) {
        const Body& body = model.bodies[static_cast<std::size_t>(i)];
        if (body.joint != JointType::floating) continue;
        const auto dof = static_cast<std::size_t>(body.dof);
        const S* rate = &data.rate[dof];
        const Vector3<S> v{rate[0], rate[1], rate[2]}, omega{rate[3], rate[4], rate[5]};
        const Vector3<S> turning = cross(omega, v) * S(sign * model.armature[dof]);
        const S force[3] = {turning.x, turning.y, turning.z};
        for (int k = 0; k < 3; ++k)
            for (int j = 0; j < c.m; ++j)
                u[j] += embedding_entry(model, data, c, body.dof - c.dof_begin + k, j) * force[k];
    }
}

/// The same force for a floating base on the world, in the world's axes.
template <class S>
[[gnu::cold, gnu::noinline]] Vector3<S> turning_force(const Model& model, const Data<S>& data,
                                                      const Cluster& c) {
    const Motion<S>& v = data.v[static_cast<std::size_t>(c.body_begin)];
    return cross(v.angular, v.linear) * S(model.armature[static_cast<std::size_t>(c.dof_begin)]);
}

/// Rotors of a cluster as a range.
inline const Rotor* rotors_begin(const Model& model, const Cluster& c) {
    return model.rotors.data() + c.rotors_begin;
}
inline const Rotor* rotors_end(const Model& model, const Cluster& c) {
    return model.rotors.data() + c.rotors_end;
}

}  // namespace grbda::kernels
