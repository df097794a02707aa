#pragma once

#include "kernels/rod/rod_line.hpp"

// Derivatives of the spin of guided rods, in the axes of the body at A. There the axis s of the joint is
// constant. The variable quantities are n, the motion of that body, u and a_B − a_A.

namespace grbda::kernels::derivatives {

/// Change of X and, for unit length, of Y with a change of n.
template <class S>
struct RowChange {
    Vector3<S> X, Y;
};
template <class S>
RowChange<S> row_change(const RodLine<S>& line, const Vector3<S>& n) {
    const S cosine = dot(line.s, line.n), moved = dot(line.s, n), weight = line.slope * moved;
    return {n * S(S(1) - cosine * line.weight) + line.s * weight -
                line.n * S(moved * line.weight + cosine * weight),
            cross(line.s, n) * line.weight + cross(line.s, line.n) * weight};
}

template <class S>
struct SpinChange {
    Vector3<S> n, omega, u, alpha, apart;
};

/// A spin at a state, with the slopes of ω_s and ω̇_s. Names as in spin_forces() of kernels/rod/rod_line.hpp.
template <class S>
struct SpinMotion {
    RodLine<S> line;
    S inverse_length, inertia;
    Vector3<S> omega, u, alpha, apart;
    SpinRow<S> row = spin_row(line, inverse_length);
    SpinForces<S> forces = spin_forces(line, inverse_length, inertia, omega, u, alpha, apart);
    Vector3<S> across = cross(line.n, line.s);
    Vector3<S> turned = u * inverse_length, rate = turned - cross(omega, line.n);
    S spin = row(omega, u);
    S cosine = dot(line.s, line.n);

    SpinMotion(const RodLine<S>& its_line, const S& its_inverse_length, const S& its_inertia,
               const Vector3<S>& its_omega, const Vector3<S>& its_u, const Vector3<S>& its_alpha,
               const Vector3<S>& its_apart)
        : line(its_line),
          inverse_length(its_inverse_length),
          inertia(its_inertia),
          omega(its_omega),
          u(its_u),
          alpha(its_alpha),
          apart(its_apart) {
        differentiate();
    }

    /// Returns the changes of the forces along a direction that does not move n.
    SpinForces<S> along_velocities(const SpinChange<S>& d) const {
        const S force = change_of_force(d), momentum = row(d.omega, d.u) * inertia, now = spin * inertia;
        const Vector3<S> pulled = cross(d.u * S(inverse_length * now) + turned * momentum, line.n);
        return {row.X * force, pulled * inverse_length - row.Y * force, line.n * momentum, force};
    }
    /// Returns the changes of the forces.
    SpinForces<S> along(const SpinChange<S>& d) const {
        const S by_n = dot(force_slope_n_, d.n) * inertia, spin_by_n = dot(spin_slope_n_, d.n) * inertia;
        const SpinForces<S> rest = along_velocities(d);
        const RowChange<S> change = row_change(line, d.n);
        const Vector3<S> pulled = cross(turned, d.n * S(spin * inertia) + line.n * spin_by_n);
        return {rest.couple + change.X * forces.force + row.X * by_n,
                rest.pair + (pulled - change.Y * forces.force) * inverse_length - row.Y * by_n,
                rest.momentum + d.n * S(spin * inertia) + line.n * spin_by_n, rest.force + by_n};
    }

private:
    S change_of_force(const SpinChange<S>& d) const {
        return (row(d.alpha, d.apart) + dot(force_slope_omega_, d.omega) + dot(force_slope_u_, d.u)) *
               inertia;
    }
    /// Returns the slope of X·a − Y·b with respect to n.
    Vector3<S> row_slope(const Vector3<S>& a, const Vector3<S>& b) const {
        const S weight = line.weight, slope = line.slope;
        return a * S(S(1) - cosine * weight) + cross(line.s, b) * S(weight * inverse_length) +
               line.s * S(dot(line.s, a) * slope - dot(line.n, a) * (weight + cosine * slope) +
                          dot(across, b) * slope * inverse_length);
    }
    void differentiate() {
        const Vector3<S>&n = line.n, &s = line.s;
        const S weight = line.weight, slope = line.slope, inverse = weight * weight * S(-2) - slope,
                curve = weight * S(2) * (inverse * inverse * S(3) + weight * weight);
        const S along_axis = dot(s, rate), aside = dot(across, rate), about = dot(omega, n),
                over = dot(across, omega);
        const Vector3<S> swept = cross(omega, rate);
        const S carried = over * about + dot(across, swept) * S(2);
        const Vector3<S> by_rate =
            omega - cross(across, omega) * S(weight * S(2)) + (s * aside + across * along_axis) * slope;
        const Vector3<S> by_across = rate * S(along_axis * slope) - (omega * about + swept * S(2)) * weight;
        force_slope_u_ = by_rate * inverse_length;
        force_slope_omega_ =
            rate - (across * about + n * over + cross(rate, across) * S(2)) * weight - cross(n, by_rate);
        force_slope_n_ = row_slope(alpha, apart) + cross(s, by_across) +
                         s * S(along_axis * aside * curve - carried * slope) - omega * S(over * weight) -
                         cross(by_rate, omega);
        spin_slope_n_ = row_slope(omega, u);
    }

    Vector3<S> force_slope_n_, force_slope_omega_, force_slope_u_, spin_slope_n_;  ///< for unit I_s
};

}  // namespace grbda::kernels::derivatives
