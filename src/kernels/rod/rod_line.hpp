#pragma once

#include "grbda/scalar.hpp"
#include "grbda/spatial/spatial.hpp"

// Rotation of a rod about the line n between its ends. As seen from the body at A, ω is n × ṅ + n n·(s × ṅ)
// weight:
//   ball at A        s: the line at zero of the joints      weight = 1/(1 + s·n)
//   universal at A   s: the axis that is fixed in that body weight = −κ/(1 − κ²),  κ = s·n
//   revolute at A    s: its axis, across the line           the same: κ = 0 in all motions
// A rod with a universal or revolute joint is called guided: the bodies at its ends determine its spin. The
// first formula is a convention, the smallest rotation from zero. A rod that points opposite to s has made
// half a turn about a fixed axis of the body at A. There the weight is 0, because the smallest rotation is
// not unique; nearby, the rod rotates about n at any rate. The second formula is exact if the axes of the
// universal joint are perpendicular, and its second axis and the line too. It is singular if the line is
// along the first axis, like the joint's own coordinates. With u = v_B − v_A and the length L the spin is
//   ω_s = X·ω_a − Y·u      X = (n − κ s)/(1 − κ²)      Y = X × n/L
// and its momentum I_s ω_s requires the couple I_s ω̇_s X on the body at A and a pair of forces f at B, −f at
// A:
//   f = −I_s ω̇_s Y + I_s ω_s (ṅ × n)/L

namespace grbda::kernels {

/// A rod's line as seen from the body at its end A.
template <class S>
struct RodLine {
    Vector3<S> s, n;  ///< unit vectors: a reference fixed in that body, and the line
    S weight, slope;  ///< slope: of the weight with respect to s·n

    S spin(const Vector3<S>& rate) const { return dot(n, cross(s, rate)) * weight; }
    /// Returns the angular velocity of the rod relative to the body at A, from a rate of n.
    Vector3<S> turning(const Vector3<S>& rate) const { return cross(n, rate) + n * spin(rate); }
    /// Returns the change of turning(rate) due to the motion of n at this rate.
    Vector3<S> turning_change(const Vector3<S>& rate) const {
        return rate * spin(rate) + n * (dot(n, cross(s, rate)) * (dot(s, rate) * slope));
    }
};

/// 1 + s·n below which lines count as opposite: 1.4e-6 rad.
constexpr double opposite_lines = 1e-12;

template <class S>
RodLine<S> line_at_ball(const Vector3<S>& s, const Vector3<S>& n) {
    const Vector3<S> sum = s + n;
    const S size = dot(sum, sum) * S(0.5);  // 1 + s·n without its cancellation
    const S counts = (S(1) + scalar::copysign(S(1), size - S(opposite_lines))) * S(0.5);
    const S weight = counts / (size + (S(1) - counts));
    return {s, n, weight, -weight * weight};
}

template <class S>
RodLine<S> line_at_universal(const Vector3<S>& s, const Vector3<S>& n) {
    const S cosine = dot(s, n);
    const Vector3<S> across = cross(s, n);
    const S inverse = S(1) / dot(across, across),
            weight = -cosine * inverse;  // 1 − κ² without its cancellation
    return {s, n, weight, S(weight * weight * S(-2)) - inverse};
}

template <class S>
RodLine<S> rod_line(bool guided, const Vector3<S>& s, const Vector3<S>& n) {
    return guided ? line_at_universal(s, n) : line_at_ball(s, n);
}

/// ω_s of a guided rod as a linear function.
template <class S>
struct SpinRow {
    Vector3<S> n, X, Y;

    S operator()(const Vector3<S>& omega, const Vector3<S>& u) const { return dot(X, omega) - dot(Y, u); }
};

template <class S>
[[gnu::always_inline]] inline SpinRow<S> spin_row(const RodLine<S>& line, const S& inverse_length) {
    return {line.n, line.n + (line.s - line.n * dot(line.s, line.n)) * line.weight,
            cross(line.s, line.n) * S(line.weight * inverse_length)};
}

/// Forces that change the spin of a rod.
template <class S>
struct SpinForces {
    Vector3<S> couple, pair;  ///< on the body at A; at B, and opposite at A
    Vector3<S> momentum;      ///< angular
    S force;                  ///< rate of its magnitude
};

/// Computes the forces from the angular velocity and acceleration of the body at A, u, and `apart`, a_B −
/// a_A.
template <class S>
[[gnu::always_inline]] inline SpinForces<S> spin_forces(const RodLine<S>& line, const S& inverse_length,
                                                        const S& inertia, const Vector3<S>& omega,
                                                        const Vector3<S>& u, const Vector3<S>& alpha,
                                                        const Vector3<S>& apart) {
    const SpinRow<S> row = spin_row(line, inverse_length);
    const Vector3<S> across = cross(line.n, line.s), turned = u * inverse_length,
                     // Rates of n: in the world, and relative to the body at A.
        rate = turned - cross(omega, line.n);
    const S carried = dot(across, omega) * dot(omega, line.n) + dot(across, cross(omega, rate)) * S(2);
    const S change = row(alpha, apart) + dot(omega, rate) - carried * line.weight +
                     dot(line.s, rate) * dot(across, rate) * line.slope;
    const S momentum = row(omega, u) * inertia, force = change * inertia;
    return {row.X * force, cross(turned, line.n) * S(momentum * inverse_length) - row.Y * force,
            line.n * momentum, force};
}

/// A point of a body: its position, velocity and acceleration.
template <class S>
struct MovingPoint {
    Vector3<S> r, v, a;
};

/// The quantities that determine the motion of a rod: its ends, and the body at A.
template <class S>
struct RodCarriers {
    MovingPoint<S> A, B;
    Vector3<S> omega, alpha;  ///< of the body at A
    Vector3<S> s;             ///< as RodLine::s
    S inverse_length;
    bool guided = false;
    bool stretches = false;  ///< the rod is a strut
    bool at_b = false;       ///< the link's origin is at B: a piston

    Vector3<S> d() const { return B.r - A.r; }
    const MovingPoint<S>& origin() const { return at_b ? B : A; }
    /// Sets the length of a strut.
    void measure() {
        if (stretches) inverse_length = S(1) / scalar::sqrt(dot(d(), d()));
    }
    RodLine<S> line() const { return rod_line(guided, s, Vector3<S>(d() * inverse_length)); }
    /// Returns the rate of d as seen from the body at A.
    Vector3<S> moved() const { return B.v - A.v - cross(omega, d()); }

    Motion<S> velocity() const {
        const Vector3<S> turned = omega + line().turning(moved() * inverse_length);
        return {origin().v - cross(turned, origin().r), turned};
    }
    /// v: the rod's velocity.
    Motion<S> acceleration(const Motion<S>& v) const {
        const RodLine<S> seen = line();
        Vector3<S> rate = moved() * inverse_length;  // of n
        Vector3<S> pulled =
            B.a - A.a - cross(alpha, d()) - cross(omega, cross(omega, d())) - cross(omega, moved()) * S(2);
        if (stretches) {
            const S stretch = dot(seen.n, moved());
            rate -= seen.n * (stretch * inverse_length);
            pulled -= rate * (stretch * S(2));
        }
        const Vector3<S> against = v.angular - omega;
        const Vector3<S> turned =
            alpha + cross(omega, against) + seen.turning(pulled * inverse_length) + seen.turning_change(rate);
        return {origin().a - cross(turned, origin().r) - cross(v.angular, origin().v), turned};
    }
};

}  // namespace grbda::kernels
