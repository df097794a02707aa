#pragma once

#include "rod_ends.hpp"
#include "rod_spin.hpp"

// Derivatives of struts. In the axes of a strut its inertia and n are constant. Changes are computed first in
// the axes of the body at A, where the axis of its joint is constant, and then in those of the strut, which
// rotates relative to it.

namespace grbda::kernels::derivatives {

/// Changes of the quantities that determine the motion of a strut along a direction, in the axes of the body
/// at A.
template <class S>
struct StrutChange {
    Vector3<S> d, omega, u, alpha, apart;
    Vector3<S> turn_a;  ///< of the body at A
    Vector3<S> a, b;    ///< of the accelerations of the ends, in common axes
};

/// Changes of a strut along a direction, in its own axes.
template <class S>
struct StrutVariation {
    Vector3<S> turn;  ///< rotation of the strut's axes, in the common ones
    Vector3<S> omega, alpha, X, Y;
    S stretching;  ///< change of ℓ divided by ℓ; the change of Y excludes it
    StrutLoad<S> force;
};

/// A strut at a state, with the slopes of its spin.
template <class S>
struct VaryingStrut {
    StrutLine<S> line;
    StrutRates<S> rates;
    StrutLoad<S> force;
    SpinMotion<S> spin;  ///< for unit length and inertia
    Vector3<S> u, a, b;  ///< of the ends: velocity of B relative to A, accelerations
    EndLoads<S> loads = end_loads(line, force);

    VaryingStrut(const MovingStrut<S>& moving, const Vector3<S>& omega, const Vector3<S>& alpha,
                 const RodMotion<S>& rod)
        : line(moving.line),
          rates(moving.rates),
          force(moving.force),
          spin(line.line, S(1), S(1), omega, rates.rate, alpha, rates.second),
          u(rod.u),
          a(rod.a.motion.a),
          b(rod.b.motion.a) {}

    StrutVariation<S> along(const StrutChange<S>& x) const {
        const Vector3<S>& n = line.line.n;
        const S inverse = line.inverse, two(2), longer = dot(n, x.d);
        const Vector3<S> turned = (x.d - n * longer) * inverse;  // change of n
        const S stretch = dot(turned, u) + dot(n, x.u);
        const Vector3<S> rate = (x.u - turned * rates.stretch - n * stretch - rates.rate * longer) * inverse;
        const Vector3<S> second = (x.apart - rate * S(rates.stretch * two) - rates.rate * S(stretch * two) -
                                   rates.second * longer) *
                                  inverse;
        const SpinForces<S> spinning = spin.along({turned, x.omega, rate, x.alpha, second});
        // Rotation of the strut relative to the body at A.
        const Vector3<S> against = line.line.turning(turned);
        const Vector3<S> omega = cross(turned, rates.rate) + cross(n, rate) + spinning.momentum;
        const Vector3<S> alpha = cross(turned, rates.second) + cross(n, second) + rate * rates.spin +
                                 rates.rate * dot(n, spinning.momentum) + turned * rates.spin_rate +
                                 n * spinning.force;
        const RowChange<S> row = row_change(line.line, turned);
        StrutVariation<S> out;
        out.turn = x.turn_a + against;
        out.omega = omega - cross(against, rates.omega);
        out.alpha = alpha - cross(against, rates.alpha);
        out.X = row.X - cross(against, line.row.X);
        out.Y = row.Y * inverse - cross(against, line.row.Y);
        out.stretching = longer * inverse;
        out.force = change_of_force(out, x.a - cross(out.turn, a), x.b - cross(out.turn, b));
        return out;
    }

    /// Returns the changes along a direction that does not move n.
    StrutVariation<S> along_velocities(const StrutChange<S>& x) const {
        const Vector3<S>& n = line.line.n;
        const S two(2), stretch = dot(n, x.u);
        const Vector3<S> rate = (x.u - n * stretch) * line.inverse;
        const Vector3<S> second =
            (x.apart - rate * S(rates.stretch * two) - rates.rate * S(stretch * two)) * line.inverse;
        const SpinForces<S> spinning = spin.along_velocities({{}, x.omega, rate, x.alpha, second});
        StrutVariation<S> out;
        out.turn = out.X = out.Y = Vector3<S>{};
        out.stretching = S(0);
        out.omega = cross(n, rate) + spinning.momentum;
        out.alpha = cross(n, second) + rate * rates.spin + rates.rate * dot(n, spinning.momentum) +
                    n * spinning.force;
        out.force = change_of_force(out, x.a, x.b);
        return out;
    }

    /// Returns the changes of the loads from the bodies at the ends, in the strut's axes.
    EndLoads<S> change_of_loads(const StrutVariation<S>& x) const {
        const Vector3<S>& n = line.line.n;
        const S about = dot(n, force.moment), change = dot(n, x.force.moment);
        const Vector3<S> pair_now = loads.b - force.b;
        const Vector3<S> pair = cross(x.force.moment, n) * line.inverse - x.Y * about - line.row.Y * change -
                                pair_now * x.stretching;
        return {x.force.a - pair, x.force.b + pair, x.X * about + line.row.X * change};
    }

    EndLoads<S> change_of_loads_along_yd(const StrutChange<S>& change) const {
        const StrutLoad<S> force_change = along_velocities(change).force;
        const S about = dot(line.line.n, force_change.moment);
        const Vector3<S> pair = cross(force_change.moment, line.line.n) * line.inverse - line.row.Y * about;
        return {force_change.a - pair, force_change.b + pair, line.row.X * about};
    }

private:
    StrutLoad<S> change_of_force(const StrutVariation<S>& x, const Vector3<S>& at_a,
                                 const Vector3<S>& at_b) const {
        const Vector3<S>& omega = rates.omega;
        const auto at = [&](const Vector3<S>& h) {
            return cross(x.alpha, h) + cross(x.omega, cross(omega, h)) + cross(omega, cross(x.omega, h));
        };
        return {at(line.h_a), at(line.h_b),
                line.theta * x.alpha + cross(x.omega, line.theta * omega) +
                    cross(omega, line.theta * x.omega) + cross(line.h_a, at_a) + cross(line.h_b, at_b)};
    }
};

template <class S>
VaryingStrut<S> varying_strut(const Model& model, const Workspace<S>& data, const Rod& constants,
                              const RodMotion<S>& rod) {
    const RodEnds<S> ends = ends_of(model, data, constants);
    const Vector3<S> alpha = ends.a == world ? Vector3<S>{} : data.a[ends.a].angular;
    return {moving_strut(model, data, constants, ends, alpha, rod.a.motion.a, rod.b.motion.a),
            velocity_of(data, ends.a).angular, alpha, rod};
}

/// Computes the changes of the quantities that determine the motion of a strut along direction k.
template <class S>
StrutChange<S> strut_change_along_y(const RodMotion<S>& rod, const VaryingStrut<S>& strut, int k) {
    const RodEnd<S>& a = rod.a;
    const Vector3<S> x = a.turn(k), e = a.J ? a.e[k].angular : Vector3<S>{},
                     eta = a.J ? a.eta[k].angular : Vector3<S>{};
    const PointMotion<S> from = a.along_y(k), to = rod.b.along_y(k);
    return {rod.displacement(k) - cross(x, rod.d),
            e,
            to.v - from.v - cross(x, rod.u),
            eta + cross(e, strut.spin.omega),
            to.a - from.a - cross(x, strut.b - strut.a),
            x,
            from.a,
            to.a};
}
template <class S>
StrutChange<S> strut_change_along_yd(const RodMotion<S>& rod, const VaryingStrut<S>& strut, int k) {
    const RodEnd<S>& a = rod.a;
    const Vector3<S> x = a.turn(k), eta = a.J ? a.eta_rate[k].angular : Vector3<S>{};
    const Vector3<S> from = a.acceleration_along_yd(k), to = rod.b.acceleration_along_yd(k);
    return {{}, x, rod.displacement(k), eta + cross(x, strut.spin.omega), to - from, {}, from, to};
}

/// Returns column k of the Jacobian of a strut.
template <class S>
StrutMotion<S> column_of(const RodMotion<S>& rod, const VaryingStrut<S>& strut, int k) {
    return strut_motion(strut.line, rod.a.turn(k), rod.a.displacement(k), rod.b.displacement(k));
}

/// Returns the generalized force on a motion of a strut due to a change of the angular velocity with which
/// everything rotates.
template <class S>
Vector3<S> turning_force(const RodMotion<S>& rod, const VaryingStrut<S>& strut, const StrutMotion<S>& x) {
    const StrutLine<S>& line = strut.line;
    const Vector3<S>& omega = strut.rates.omega;
    const Vector3<S> carried = cross(cross(omega, line.h_a), x.a) + cross(cross(omega, line.h_b), x.b) +
                               cross(rod.a.motion.v, cross(x.omega, line.h_a)) +
                               cross(rod.b.motion.v, cross(x.omega, line.h_b));
    return carried * S(2) + cross(omega, line.theta * x.omega) + cross(line.theta * omega, x.omega) +
           line.theta * cross(x.omega, omega);
}

/// Adds a strut to the composites of the parent body of its cluster: the inertia, and N of B.
template <class S>
void pass_on_strut(const RodMotion<S>& rod, const VaryingStrut<S>& strut, RigidInertia<S>& I,
                   Coriolis<S>& B) {
    const StrutLine<S>& line = strut.line;
    const Symmetric3<S>& J = line.theta;
    const Vector3<S>&omega = strut.rates.omega, &A = rod.a.r, &C = rod.b.r;
    const Vector3<S> p = cross(omega, line.h_a), q = cross(omega, line.h_b);
    const Vector3<S>&v = rod.a.motion.v, &w = rod.b.motion.v;
    const S half = (J.xx + J.yy + J.zz) * S(0.5), two(2);
    const Vector3<S> x = v * line.h_a.x + w * line.h_b.x + p * A.x + q * C.x +
                         cross(omega, Vector3<S>{half - J.xx, -J.xy, -J.xz});
    const Vector3<S> y = v * line.h_a.y + w * line.h_b.y + p * A.y + q * C.y +
                         cross(omega, Vector3<S>{-J.xy, half - J.yy, -J.yz});
    const Vector3<S> z = v * line.h_a.z + w * line.h_b.z + p * A.z + q * C.z +
                         cross(omega, Vector3<S>{-J.xz, -J.yz, half - J.zz});
    const S trace = x.x + y.y + z.z;
    B.p += p + q;
    B.gamma +=
        Matrix3<S>{(Vector3<S>{trace, S(0), S(0)} - x) * two, (Vector3<S>{S(0), trace, S(0)} - y) * two,
                   (Vector3<S>{S(0), S(0), trace} - z) * two};
    I += inertia_of(line, RodEnds<S>{rod.a.r, rod.b.r, world, world});
}

/// Adds the contributions of a strut to W, Z, the changes of the force through a cluster and its own blocks.
/// The forces of the strut are among those of the bodies at its ends.
template <class S, class Own>
void add_strut_changes(Workspace<S>& data, const Cluster& c, const RodMotion<S>& rod,
                       const VaryingStrut<S>& strut, const Own& own) {
    Directions<S>& directions = data.directions;
    const RodEnds<S> ends{rod.a.r, rod.b.r, world, world};
    for (int k = 0; k < c.m; ++k) {
        const StrutMotion<S> x = column_of(rod, strut, k);
        const StrutLoad<S> momentum = momentum_of(strut.line, x);
        const StrutVariation<S> moved = strut.along(strut_change_along_y(rod, strut, k));
        // without the changes of forces that rotate with their bodies
        const Vector3<S> turn_a = moved.turn - rod.a.turn(k), turn_b = moved.turn - rod.b.turn(k);
        EndLoads<S> y = strut.change_of_loads(moved);
        y.a += cross(turn_a, strut.loads.a);
        y.b += cross(turn_b, strut.loads.b);
        y.couple += cross(turn_a, strut.loads.couple);
        const EndLoads<S> yd = strut.change_of_loads_along_yd(strut_change_along_yd(rod, strut, k)),
                          M = end_loads(strut.line, momentum);
        data.W[c.W_begin + k] += wrench_of(ends, momentum);
        directions.Z[c.y_begin + k] += turning_force(rod, strut, x);
        directions.force_y[c.y_begin + k] += rod.at_a(y) + rod.at_b(y);
        directions.force_yd[c.y_begin + k] += rod.at_a(yd) + rod.at_b(yd);
        rod.add_column(own, k, y, yd, M);
    }
}

}  // namespace grbda::kernels::derivatives
