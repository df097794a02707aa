#pragma once

#include "struts.hpp"

// Derivatives of rods, from those of their ends: the pair of forces changes by −m_AB (δa_B − δa_A).

namespace grbda::kernels::derivatives {

/// The spin of a guided rod at a state.
template <class S>
SpinMotion<S> spin_motion(const Model& model, const Workspace<S>& data, const Rod& constants,
                          const RodMotion<S>& rod) {
    const RodEnds<S> ends = ends_of(model, data, constants);
    const Vector3<S> alpha = ends.a == world ? Vector3<S>{} : data.a[ends.a].angular;
    return {spin_line(data, constants, ends),
            S(1 / constants.length),
            S(constants.axial),
            velocity_of(data, ends.a).angular,
            rod.u,
            alpha,
            Vector3<S>(rod.b.motion.a - rod.a.motion.a)};
}

/// Computes the changes of the quantities that determine the spin, along direction k, in the axes of the body
/// at A.
template <class S>
SpinChange<S> spin_change_along_y(const RodMotion<S>& rod, const SpinMotion<S>& spin, int k) {
    const RodEnd<S>& a = rod.a;
    const Vector3<S> x = a.turn(k), e = a.J ? a.e[k].angular : Vector3<S>{},
                     eta = a.J ? a.eta[k].angular : Vector3<S>{};
    const PointMotion<S> from = a.along_y(k), to = rod.b.along_y(k);
    return {(rod.displacement(k) - cross(x, rod.d)) * spin.inverse_length, e, to.v - from.v - cross(x, rod.u),
            eta + cross(e, spin.omega), to.a - from.a - cross(x, spin.apart)};
}
template <class S>
SpinChange<S> spin_change_along_yd(const RodMotion<S>& rod, const SpinMotion<S>& spin, int k) {
    const RodEnd<S>& a = rod.a;
    const Vector3<S> x = a.turn(k), eta = a.J ? a.eta_rate[k].angular : Vector3<S>{};
    return {{},
            x,
            rod.displacement(k),
            eta + cross(x, spin.omega),
            rod.b.acceleration_along_yd(k) - a.acceleration_along_yd(k)};
}

/// Adds a rod to the composites of the parent body of a cluster: the inertia, and N = −m_AB u dᵀ and −[p n ×]
/// of B.
template <class S>
void pass_on_rod(const RodMotion<S>& rod, const Rod& constants, RigidInertia<S>& I, Coriolis<S>& B) {
    subtract_pair(constants, rod.d, I.angular);
    const Vector3<S> u = rod.u * S(S(2) * rod.coupling);
    const S along = dot(u, rod.d);
    B.gamma.x += u * rod.d.x;
    B.gamma.y += u * rod.d.y;
    B.gamma.z += u * rod.d.z;
    B.gamma -= skew(rod.d * S(constants.spin_momentum / constants.length));
    B.gamma.x.x -= along;
    B.gamma.y.y -= along;
    B.gamma.z.z -= along;
}

/// Adds a spin to Γ of B: d/dt (I_s n nᵀ) − [I_s ω_s n ×].
template <class S>
void pass_on_spin(const SpinMotion<S>& spin, Coriolis<S>& B) {
    const Vector3<S> along = spin.line.n * spin.inertia, across = spin.turned * spin.inertia;
    B.gamma.x += across * spin.line.n.x + along * spin.turned.x;
    B.gamma.y += across * spin.line.n.y + along * spin.turned.y;
    B.gamma.z += across * spin.line.n.z + along * spin.turned.z;
    B.gamma -= skew(spin.forces.momentum);
}

/// Adds the changes due to the spin of one guided rod.
template <class S, class Own>
void add_spin_changes(Workspace<S>& data, const Cluster& c, const RodMotion<S>& rod,
                      const SpinMotion<S>& spin, const Own& own) {
    Directions<S>& directions = data.directions;
    const Vector3<S>& n = spin.line.n;
    const Vector3<S> turned = cross(spin.turned, n) * S(spin.inverse_length * spin.inertia);
    const S slowing = spin.inverse_length * spin.inertia * spin.spin;
    for (int k = 0; k < c.m; ++k) {
        const SpinForces<S> y = spin.along(spin_change_along_y(rod, spin, k)),
                            yd = spin.along_velocities(spin_change_along_yd(rod, spin, k));
        const Vector3<S> X = rod.displacement(k);
        // without the changes of forces that rotate with their bodies
        const Vector3<S> at_b = y.pair + cross(rod.a.turn(k) - rod.b.turn(k), spin.forces.pair);
        const S w = spin.row(rod.a.turn(k), X) * spin.inertia;
        data.W[c.W_begin + k].angular += n * w;
        directions.Z[c.y_begin + k] += spin.turned * w + n * dot(X, turned) - X * slowing;
        const EndLoads<S> along_y{-y.pair, at_b, y.couple}, along_yd{-yd.pair, yd.pair, yd.couple};
        directions.force_y[c.y_begin + k] += rod.at_a(along_y) + rod.at_b(along_y);
        directions.force_yd[c.y_begin + k].angular += cross(rod.d, yd.pair) + yd.couple;
        rod.add_column(own, k, along_y, along_yd, {spin.row.Y * w, spin.row.Y * -w, spin.row.X * w});
    }
}

/// Adds the contributions of a cluster's rods to W, Z, the changes of the force through the cluster and its
/// own blocks. The pairs of forces themselves are among the forces of their bodies.
template <class S, class Own>
void add_rod_changes(const Model& model, Workspace<S>& data, const Cluster& c, const Own& own) {
    Directions<S>& directions = data.directions;
    for (const Rod* constants = rods_begin(model, c); constants != rods_end(model, c); ++constants) {
        const RodMotion<S> rod(model, data, c, *constants, gravity_acceleration<S>(model).linear);
        const int p = c.parent_body;
        if (constants->strut >= 0) {
            const VaryingStrut<S> strut = varying_strut(model, data, *constants, rod);
            add_strut_changes(data, c, rod, strut, own);
            if (p != world) pass_on_strut(rod, strut, data.I[p], directions.B[p]);
            continue;
        }
        const S slowing(constants->spin_momentum / constants->length);
        for (int k = 0; k < c.m; ++k) {
            const Vector3<S> X = rod.displacement(k), y = rod.along_y(k).a, yd = rod.force_along_yd(k),
                             M = X * -rod.coupling;
            // without the changes of forces that rotate with their bodies
            const Vector3<S> at_a = y - cross(rod.a.turn(k), rod.f), at_b = y - cross(rod.b.turn(k), rod.f);
            data.W[c.W_begin + k].angular += cross(rod.d, M);
            directions.Z[c.y_begin + k] += cross(rod.u, M) * S(2) - X * slowing;
            const EndLoads<S> along_y{-at_a, at_b, {}};
            directions.force_y[c.y_begin + k] += rod.at_a(along_y) + rod.at_b(along_y);
            directions.force_yd[c.y_begin + k].angular += cross(rod.d, yd);
            rod.add_column(own, k, along_y, {-yd, yd, {}}, {-M, M, {}});
        }
        if (p != world) pass_on_rod(rod, *constants, data.I[p], directions.B[p]);
        if (!constants->guided()) continue;
        const SpinMotion<S> spin = spin_motion(model, data, *constants, rod);
        add_spin_changes(data, c, rod, spin, own);
        if (p != world) pass_on_spin(spin, directions.B[p]);
    }
}

}  // namespace grbda::kernels::derivatives
