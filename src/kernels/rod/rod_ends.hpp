#pragma once

#include "kernels/constraint/motion.hpp"
#include "rod_line.hpp"

// Motion of the ends of rods. constraint_rows() and place_loose_rods() store the frames of a rod's loop
// there.

namespace grbda::kernels {

inline const Rod* rods_begin(const Model& model, const Cluster& c) {
    return model.rods.data() + c.rods.first;
}
inline const Rod* rods_end(const Model& model, const Cluster& c) { return model.rods.data() + c.rods.last; }

/// Ends of a rod in the common frame, with their bodies.
template <class S>
struct RodEnds {
    const Vector3<S>&A, &B;
    int a, b;
    Vector3<S> d() const { return B - A; }
};

template <class S>
[[gnu::always_inline]] inline RodEnds<S> ends_of(const Model& model, const Workspace<S>& data,
                                                 const Rod& rod) {
    const Loop& loop = model.loops[rod.loop];
    const LoopFrames<S>& frames = data.loop_frames[rod.loop];
    return {frames.p, frames.r, loop.predecessor.body, loop.successor.body};
}

/// Returns v_B − v_A.
template <class S>
[[gnu::always_inline]] inline Vector3<S> velocity_between(const Workspace<S>& data, const RodEnds<S>& ends) {
    return point_velocity(velocity_of(data, ends.b), ends.B) -
           point_velocity(velocity_of(data, ends.a), ends.A);
}

/// Returns the acceleration of the point r of a body with velocity v and acceleration a.
template <class S>
[[gnu::always_inline]] inline Vector3<S> point_acceleration(const Motion<S>& v, const Motion<S>& a,
                                                            const Vector3<S>& r) {
    return point_velocity(a, r) + cross(v.angular, point_velocity(v, r));
}

/// Returns a_B − a_A of a rod from the accelerations in `of`; `base` is that of the parent body of its
/// cluster.
template <class S>
[[gnu::always_inline]] inline Vector3<S> acceleration_between(const Workspace<S>& data, const Cluster& c,
                                                              const RodEnds<S>& ends, const Motion<S>& base,
                                                              const Table<Motion<S>>& of) {
    const auto acceleration = [&](int body, const Vector3<S>& r) {
        if (body == world) return base.linear;
        return point_acceleration(data.v[body], body == c.parent_body ? base : of[body], r);
    };
    return acceleration(ends.b, ends.B) - acceleration(ends.a, ends.A);
}

/// Returns the orientation of the body at end A.
template <class S>
Matrix3<S> base_rotation(const Workspace<S>& data, int body) {
    return body == world ? Matrix3<S>::identity() : data.R[body];
}

/// Returns the inverse length of a rod or a strut.
template <class S>
S inverse_length(const Rod& rod, const RodEnds<S>& ends) {
    if (rod.strut < 0) return S(1 / rod.length);
    const Vector3<S> d = ends.d();
    return S(1) / scalar::sqrt(dot(d, d));
}

template <class S>
RodLine<S> line_of(const Workspace<S>& data, const Rod& rod, const RodEnds<S>& ends) {
    return rod_line(rod.guided(), base_rotation(data, ends.a) * rod.reference().template cast<S>(),
                    Vector3<S>(ends.d() * inverse_length(rod, ends)));
}

/// Returns the line of a guided rod.
template <class S>
[[gnu::always_inline]] inline RodLine<S> spin_line(const Workspace<S>& data, const Rod& rod,
                                                   const RodEnds<S>& ends) {
    return line_at_universal(Vector3<S>(base_rotation(data, ends.a) * rod.axis.template cast<S>()),
                             Vector3<S>(ends.d() * S(1 / rod.length)));
}

/// Returns the spin of a guided rod per velocity of its ends.
template <class S>
[[gnu::always_inline]] inline SpinRow<S> spin_row(const Workspace<S>& data, const Rod& rod,
                                                  const RodEnds<S>& ends) {
    return spin_row(spin_line(data, rod, ends), S(1 / rod.length));
}

/// Returns ω_s of a guided rod.
template <class S>
S spin_of(const Workspace<S>& data, const RodEnds<S>& ends, const SpinRow<S>& row) {
    return row(velocity_of(data, ends.a).angular, velocity_between(data, ends));
}

/// Returns the forces from the bodies at its ends that its spin requires, from a_B − a_A and the angular
/// acceleration at A.
template <class S>
SpinForces<S> spin_forces(const Workspace<S>& data, const Rod& rod, const RodEnds<S>& ends,
                          const Vector3<S>& apart, const Vector3<S>& alpha) {
    return spin_forces(spin_line(data, rod, ends), S(1 / rod.length), S(rod.axial),
                       velocity_of(data, ends.a).angular, velocity_between(data, ends), alpha, apart);
}

/// Returns column j of X from the Jacobians of the bodies at the ends; null for the parent body of the
/// cluster.
template <class S>
[[gnu::always_inline]] inline Vector3<S> displacement_between(const RodEnds<S>& ends, const Motion<S>* J_a,
                                                              const Motion<S>* J_b, int j) {
    Vector3<S> x = J_b ? point_velocity(J_b[j], ends.B) : Vector3<S>{S(0), S(0), S(0)};
    if (J_a) x -= point_velocity(J_a[j], ends.A);
    return x;
}

/// Returns the Jacobian of a body at a rod's end; null if its cluster does not move it.
template <class S>
[[gnu::always_inline]] inline const Motion<S>* end_jacobian(const Model& model, const Workspace<S>& data,
                                                            const Cluster& c, int body) {
    return body == c.parent_body ? nullptr : jacobian_of(model, data, c, body);
}

/// Returns the change of u per unit of a velocity of the spanning tree.
template <class S>
[[gnu::always_inline]] inline Vector3<S> term_between(const Workspace<S>& data, const RodEnds<S>& ends,
                                                      const RodTerm& term) {
    const Motion<S>& s = data.s[term.dof];
    if (term.moves_a && term.moves_b) return cross(s.angular, ends.d());
    return term.moves_b ? point_velocity(s, ends.B) : -point_velocity(s, ends.A);
}

/// Returns the change of ω_s per unit of a velocity of the spanning tree.
template <class S>
[[gnu::always_inline]] inline S spin_term(const Workspace<S>& data, const RodEnds<S>& ends,
                                          const SpinRow<S>& row, const RodTerm& term) {
    return row(term.moves_a ? data.s[term.dof].angular : Vector3<S>{S(0), S(0), S(0)},
               term_between(data, ends, term));
}

}  // namespace grbda::kernels
