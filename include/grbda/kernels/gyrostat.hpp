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

/// Rotors of a cluster as a range.
inline const Rotor* rotors_begin(const Model& model, const Cluster& c) {
    return model.rotors.data() + c.rotors_begin;
}
inline const Rotor* rotors_end(const Model& model, const Cluster& c) {
    return model.rotors.data() + c.rotors_end;
}

}  // namespace grbda::kernels
