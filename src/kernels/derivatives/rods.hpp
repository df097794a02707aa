#pragma once

#include "kernels/rods.hpp"
#include "rod_spin.hpp"
#include "variation.hpp"

// Derivatives of rods. Along a direction with x, e and η of its body, a point at r with velocity v and
// acceleration a changes by
//   δv = x_ω × v + e_r     δa = x_ω × a + η_r + 2 e_ω × v
// and along ẏ, where x = 0, with J for e and η' for η. The pair of forces then changes by −m_AB (δa_B −
// δa_A).

namespace grbda::kernels::derivatives {

template <class S>
struct PointMotion {
    Vector3<S> v, a;
};

/// One end of a rod with what moves it.
template <class S>
struct RodEnd {
    Vector3<S> r;
    PointMotion<S> motion;
    const Motion<S>*J = nullptr, *e = nullptr, *eta = nullptr, *eta_rate = nullptr;  ///< null: still

    Vector3<S> turn(int k) const { return J ? J[k].angular : Vector3<S>{}; }
    Vector3<S> displacement(int k) const { return J ? point_velocity(J[k], r) : Vector3<S>{}; }
    PointMotion<S> along_y(int k) const {
        if (!J) return {};
        const Vector3<S>& x = J[k].angular;
        return {cross(x, motion.v) + point_velocity(e[k], r),
                cross(x, motion.a) + point_velocity(eta[k], r) + cross(e[k].angular, motion.v) * S(2)};
    }
    Vector3<S> acceleration_along_yd(int k) const {
        if (!J) return {};
        return point_velocity(eta_rate[k], r) + cross(J[k].angular, motion.v) * S(2);
    }
};

template <class S>
RodEnd<S> rod_end(const Model& model, const Data<S>& data, const Cluster& c, int body, const Vector3<S>& r,
                  const Vector3<S>& world_acceleration) {
    RodEnd<S> end{r, {}};
    end.motion.a = world_acceleration;
    if (body != world) {
        const Motion<S>&v = data.v[body], &a = data.a[body];
        end.motion = {point_velocity(v, r), point_acceleration(v, a, r)};
    }
    if (body == c.parent_body) return end;
    end.J = jacobian_of(model, data, c, body);
    end.e = of_body(data.directions.e, c, body);
    end.eta = of_body(data.directions.eta, c, body);
    end.eta_rate = of_body(data.directions.eta_rate, c, body);
    return end;
}

/// A rod at a state, with its pair of forces.
template <class S>
struct RodMotion {
    RodEnd<S> a, b;
    Vector3<S> d, u, f;
    S coupling;

    RodMotion(const Model& model, const Data<S>& data, const Cluster& c, const Rod& rod,
              const Vector3<S>& world_acceleration)
        : coupling(S(rod.coupling)) {
        const RodEnds<S> ends = ends_of(model, data, rod);
        a = rod_end(model, data, c, ends.a, ends.A, world_acceleration);
        b = rod_end(model, data, c, ends.b, ends.B, world_acceleration);
        d = ends.d();
        u = b.motion.v - a.motion.v;
        f = (a.motion.a - b.motion.a) * coupling;
    }
    Vector3<S> displacement(int k) const { return b.displacement(k) - a.displacement(k); }
    /// Changes of u and f.
    PointMotion<S> along_y(int k) const {
        const PointMotion<S> from = a.along_y(k), to = b.along_y(k);
        return {to.v - from.v, (from.a - to.a) * coupling};
    }
    Vector3<S> force_along_yd(int k) const {
        return (a.acceleration_along_yd(k) - b.acceleration_along_yd(k)) * coupling;
    }
};

/// The spin of a rod with a universal joint at a state.
template <class S>
SpinMotion<S> spin_motion(const Model& model, const Data<S>& data, const Rod& constants,
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

/// Changes of what carries the spin along direction k, in the axes of the body at A.
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

/// Adds a rod to the composites of the body that a cluster hangs on: inertia, and N = −m_AB u dᵀ of B.
template <class S>
void pass_on_rod(const RodMotion<S>& rod, const Rod& constants, RigidInertia<S>& I, Coriolis<S>& B) {
    subtract_pair(constants, rod.d, I.angular);
    const Vector3<S> u = rod.u * S(S(2) * rod.coupling);
    const S along = dot(u, rod.d);
    B.gamma.x += u * rod.d.x;
    B.gamma.y += u * rod.d.y;
    B.gamma.z += u * rod.d.z;
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

/// The same by the spin of one rod with a universal joint.
template <class S, class Own>
void add_spin_changes(Data<S>& data, const Cluster& c, const RodMotion<S>& rod, const SpinMotion<S>& spin,
                      const Own& own) {
    Directions<S>& directions = data.directions;
    const Vector3<S>& n = spin.line.n;
    const Vector3<S> turned = cross(spin.turned, n) * S(spin.inverse_length * spin.inertia);
    const S slowing = spin.inverse_length * spin.inertia * spin.spin;
    for (int k = 0; k < c.m; ++k) {
        const SpinForces<S> y = spin.along(spin_change_along_y(rod, spin, k)),
                            yd = spin.along_velocities(spin_change_along_yd(rod, spin, k));
        const Vector3<S> X = rod.displacement(k);
        // without what forces that go along with their bodies change
        const Vector3<S> at_b = y.pair + cross(rod.a.turn(k) - rod.b.turn(k), spin.forces.pair);
        const S w = spin.row(rod.a.turn(k), X) * spin.inertia;
        data.W[c.W_begin + k].angular += n * w;
        directions.Z[c.y_begin + k] += spin.turned * w + n * dot(X, turned) - X * slowing;
        directions.force_y[c.y_begin + k] +=
            Force<S>{at_b - y.pair, cross(rod.b.r, at_b) - cross(rod.a.r, y.pair) + y.couple};
        directions.force_yd[c.y_begin + k].angular += cross(rod.d, yd.pair) + yd.couple;
        for (int j = 0; j < c.m; ++j) {
            const Vector3<S> turn = rod.a.turn(j), moved = rod.displacement(j);
            own.y(
                j, k,
                dot(rod.b.displacement(j), at_b) - dot(rod.a.displacement(j), y.pair) + dot(turn, y.couple));
            own.yd(j, k, dot(moved, yd.pair) + dot(turn, yd.couple));
            own.M(j, k, spin.row(turn, moved) * w);
        }
    }
}

/// W, Z, the changes of the force through a cluster and its own blocks by its rods. The pairs of forces
/// themselves are among the forces of their bodies.
template <class S, class Own>
void add_rod_changes(const Model& model, Data<S>& data, const Cluster& c, const Own& own) {
    Directions<S>& directions = data.directions;
    for (const Rod* constants = rods_begin(model, c); constants != rods_end(model, c); ++constants) {
        const RodMotion<S> rod(model, data, c, *constants, gravity_acceleration<S>(model).linear);
        for (int k = 0; k < c.m; ++k) {
            const Vector3<S> X = rod.displacement(k), y = rod.along_y(k).a, yd = rod.force_along_yd(k),
                             M = X * -rod.coupling;
            // without what forces that go along with their bodies change
            const Vector3<S> at_a = y - cross(rod.a.turn(k), rod.f), at_b = y - cross(rod.b.turn(k), rod.f);
            data.W[c.W_begin + k].angular += cross(rod.d, M);
            directions.Z[c.y_begin + k] += cross(rod.u, M) * S(2);
            directions.force_y[c.y_begin + k] +=
                Force<S>{at_b - at_a, cross(rod.b.r, at_b) - cross(rod.a.r, at_a)};
            directions.force_yd[c.y_begin + k].angular += cross(rod.d, yd);
            for (int j = 0; j < c.m; ++j) {
                const Vector3<S> moved = rod.displacement(j);
                own.y(j, k, dot(rod.b.displacement(j), at_b) - dot(rod.a.displacement(j), at_a));
                own.yd(j, k, dot(moved, yd));
                own.M(j, k, dot(moved, M));
            }
        }
        const int p = c.parent_body;
        if (p != world) pass_on_rod(rod, *constants, data.I[p], directions.B[p]);
        if (!constants->universal) continue;
        const SpinMotion<S> spin = spin_motion(model, data, *constants, rod);
        add_spin_changes(data, c, rod, spin, own);
        if (p != world) pass_on_spin(spin, directions.B[p]);
    }
}

}  // namespace grbda::kernels::derivatives
