#pragma once

#include "kernels/rod/rods.hpp"
#include "variation.hpp"

// Derivatives of the ends of rods. Along a direction with x, e and η of its body, a point at r with velocity
// v and acceleration a changes by
//   δv = x_ω × v + e_r     δa = x_ω × a + η_r + 2 e_ω × v
// Along ẏ, where x = 0, J replaces e and η' replaces η.

namespace grbda::kernels::derivatives {

template <class S>
struct PointMotion {
    Vector3<S> v, a;
};

/// One end of a rod with the motion of its body.
template <class S>
struct RodEnd {
    Vector3<S> r;
    PointMotion<S> motion;
    const Motion<S>*J = nullptr, *e = nullptr, *eta = nullptr, *eta_rate = nullptr;  ///< null: at rest

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
RodEnd<S> rod_end(const Model& model, const Workspace<S>& data, const Cluster& c, int body,
                  const Vector3<S>& r, const Vector3<S>& world_acceleration) {
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
    S coupling, gyroscopic;

    RodMotion(const Model& model, const Workspace<S>& data, const Cluster& c, const Rod& rod,
              const Vector3<S>& world_acceleration)
        : coupling(S(rod.coupling)), gyroscopic(S(kernels::gyroscopic(rod))) {
        const RodEnds<S> ends = ends_of(model, data, rod);
        a = rod_end(model, data, c, ends.a, ends.A, world_acceleration);
        b = rod_end(model, data, c, ends.b, ends.B, world_acceleration);
        d = ends.d();
        u = b.motion.v - a.motion.v;
        f = (a.motion.a - b.motion.a) * coupling + cross(u, d) * gyroscopic;
    }
    Vector3<S> displacement(int k) const { return b.displacement(k) - a.displacement(k); }
    /// Returns the changes of u and f.
    PointMotion<S> along_y(int k) const {
        const PointMotion<S> from = a.along_y(k), to = b.along_y(k);
        const Vector3<S> change = to.v - from.v, spin = cross(change, d) + cross(u, displacement(k));
        return {change, (from.a - to.a) * coupling + spin * gyroscopic};
    }
    Force<S> at_a(const EndLoads<S>& load) const { return {load.a, cross(a.r, load.a) + load.couple}; }
    Force<S> at_b(const EndLoads<S>& load) const { return {load.b, cross(b.r, load.b)}; }
    /// Adds the effect on all directions of the changes of the forces at its ends along direction k.
    template <class Own>
    void add_column(const Own& own, int k, const EndLoads<S>& y, const EndLoads<S>& yd,
                    const EndLoads<S>& M) const {
        if (a.J) own.add_column(k, a.J, at_a(y), at_a(yd), at_a(M));
        if (b.J) own.add_column(k, b.J, at_b(y), at_b(yd), at_b(M));
    }
    Vector3<S> force_along_yd(int k) const {
        return (a.acceleration_along_yd(k) - b.acceleration_along_yd(k)) * coupling +
               cross(displacement(k), d) * gyroscopic;
    }
};

}  // namespace grbda::kernels::derivatives
