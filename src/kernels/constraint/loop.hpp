#pragma once

#include "kernels/body/placement.hpp"

// Rows of one loop joint: blocked wrenches Ψ with directions fixed in P, which act at the origin of Q, so
// that K = Ψᵀ (J_s − J_p) = ∂φ/∂q, and the bias k. `rows` are those of the loop in Model::loop_rows. e is an
// axis of P, and d = r − p is the vector from the origin of P to that of Q.

namespace grbda::kernels {

template <class S>
[[gnu::always_inline]] inline const Vector3<S>& column(const Matrix3<S>& A, int k) {
    return k == 0 ? A.x : k == 1 ? A.y : A.z;
}

/// Returns the origin of an end of a loop from the placement of its body.
template <class S>
[[gnu::always_inline]] inline Vector3<S> point_of(const PlacementView<S>& body, const LoopEnd& end) {
    return body.p + body.R * end.position.cast<S>();
}

/// Returns whether the row of a screw is kept; it is the last of the rows that measure a length.
inline bool has_screw(const Loop& loop, const LoopRow* rows) {
    return loop.lengths > 0 && rows[loop.lengths - 1].kind == RowKind::screw;
}

/// Computes the quantities that the kept rows share: the origins and, if they include moments, the axes.
template <class S>
void share_frames(const Loop& loop, const LoopRow* rows, const PlacementView<S>& predecessor,
                  const PlacementView<S>& successor, LoopFrames<S>& f) {
    f.p = point_of(predecessor, loop.predecessor);
    f.r = point_of(successor, loop.successor);
    const bool screw = has_screw(loop, rows);
    if (loop.rows == loop.lengths && !screw) return;
    f.P = predecessor.R * loop.predecessor.rotation.cast<S>();
    f.Q.x = successor.R * loop.successor.rotation.x.template cast<S>();
    if (!screw && rows[loop.lengths].kind != RowKind::turn) return;
    f.Q.y = successor.R * loop.successor.rotation.y.template cast<S>();
    f.Q.z = successor.R * loop.successor.rotation.z.template cast<S>();
}

/// Returns whether the rotational residual has its right root: axes are aligned, not opposed, and the turn is
/// below 90°. Dropped rows count as well.
template <class S>
bool right_root(const Loop& loop, const PlacementView<S>& predecessor, const PlacementView<S>& successor) {
    const auto aligned = [&](int axis) {
        return value_of(dot(predecessor.R * column(loop.predecessor.rotation, axis).cast<S>(),
                            successor.R * column(loop.successor.rotation, axis).cast<S>())) > 0;
    };
    for (const LoopRow& row : facts(loop.type).rows) {
        bool right = true;
        switch (row.kind) {
            case RowKind::along:
            case RowKind::distance:
            case RowKind::length:
            case RowKind::screw:
            case RowKind::angle: break;
            case RowKind::turn: right = aligned(row.axis); break;
            case RowKind::tilt: right = aligned(0); break;
        }
        if (!right) return false;
    }
    return true;
}

/// Returns how far Q is ahead of its turn: pitch times the angle x / pitch − θ modulo whole turns, so that Q
/// may be at any turn that corresponds to its displacement x. θ is the turn about P.x before P.x tilts to
/// Q.x. If the loop is not `open`, the sine of the angle is sufficient, and every scalar type supports it.
template <class S, bool open>
S screw_error(const LoopFrames<S>& f, const Vector3<S>& d, double pitch) {
    S sine, cosine;
    scalar::sincos(dot(f.P.x, d) * S(1 / pitch), sine, cosine);
    const S turn_sine = dot(f.P.z, f.Q.y) - dot(f.P.y, f.Q.z),  // twice the sine, shorter if Q tilts
        turn_cosine = dot(f.P.y, f.Q.y) + dot(f.P.z, f.Q.z);
    const S ahead = sine * turn_cosine - cosine * turn_sine;
    if constexpr (open)
        return scalar::atan2(ahead, S(cosine * turn_cosine + sine * turn_sine)) * S(pitch);
    else
        return ahead * S(0.5 * pitch);
}

/// Returns the gradient of the turn θ, along the bisector of P.x and Q.x.
template <class S, bool open>
Vector3<S> turning(const LoopFrames<S>& f) {
    if constexpr (open)
        return (f.P.x + f.Q.x) * (S(1) / (S(1) + dot(f.P.x, f.Q.x)));
    else
        return f.P.x;
}

/// Computes blocked wrenches and closure errors of the kept rows. For an open loop the wrenches of rotational
/// rows are different, so that K is the derivative of φ there too; closing the loop requires this.
template <class S, bool open = false>
void loop_wrenches(const Loop& loop, const LoopRow* rows, const Matrix3<S>& predecessor,
                   const LoopFrames<S>& f, Force<S>* Psi, S* phi) {
    const Vector3<S> d = f.r - f.p, zero{S(0), S(0), S(0)};
    const bool shared = loop.rows > loop.lengths || has_screw(loop, rows);  // then f.P is known
    for (int r = 0; r < loop.rows; ++r) {
        const int axis = rows[r].axis;
        switch (rows[r].kind) {
            case RowKind::along: {
                const Vector3<S> e = shared ? column(f.P, axis)
                                            : predecessor * column(loop.predecessor.rotation, axis).cast<S>();
                Psi[r] = {e, cross(f.r, e)};
                phi[r] = dot(e, d);
                break;
            }
            case RowKind::distance: {
                const Vector3<S> e = d * S(1 / loop.constant);
                Psi[r] = {e, cross(f.r, e)};
                phi[r] = (dot(d, e) - S(loop.constant)) * S(0.5);
                break;
            }
            case RowKind::length: {
                const S size = scalar::sqrt(dot(d, d));
                const Vector3<S> e = d * (S(1) / size);
                Psi[r] = {e, cross(f.r, e)};
                phi[r] = size - S(loop.constant);
                break;
            }
            case RowKind::screw:
                phi[r] = screw_error<S, open>(f, d, loop.constant);
                Psi[r] = {f.P.x, cross(f.r, f.P.x) - turning<S, open>(f) * S(loop.constant)};
                break;
            case RowKind::turn: {  // the skew part of PᵀQ: sines of the turn
                const int next = axis == 2 ? 0 : axis + 1, last = axis == 0 ? 2 : axis - 1;
                const Vector3<S>&P_next = column(f.P, next), &P_last = column(f.P, last);
                const Vector3<S>&Q_next = column(f.Q, next), &Q_last = column(f.Q, last);
                phi[r] = (dot(P_last, Q_next) - dot(P_next, Q_last)) * S(0.5);
                Psi[r] = {zero, open ? (cross(Q_next, P_last) - cross(Q_last, P_next)) * S(0.5)
                                     : column(f.P, axis)};
                break;
            }
            case RowKind::tilt: {  // e · (P.x × Q.x)
                const Vector3<S> e = column(f.P, axis);
                const Vector3<S> across = cross(e, f.P.x);
                phi[r] = dot(across, f.Q.x);
                Psi[r] = {zero, open ? cross(f.Q.x, across) : e};
                break;
            }
            case RowKind::angle:
                Psi[r] = {zero, cross(f.Q.x, f.P.x)};
                phi[r] = dot(f.P.x, f.Q.x) - S(loop.constant);
                break;
        }
    }
}

/// Computes k = −Ψᵀ ((c_s − c_p) − v_p × (v_s − v_p)) − Ψ̊ᵀ (v_s − v_p), where Ψ̊ is the rate of Ψ seen from
/// p. `bias` is c_s − c_p, `relative` is v_s − v_p.
template <class S>
[[gnu::always_inline]] inline void loop_bias(const Loop& loop, const LoopRow* rows, const LoopFrames<S>& f,
                                             const Force<S>* Psi, const Motion<S>& predecessor,
                                             const Motion<S>& relative, const Motion<S>& bias, S* k) {
    const Motion<S> alpha = bias - cross(predecessor, relative);
    const Vector3<S>& w = relative.angular;
    const Vector3<S> u = point_velocity(relative, f.r);             // velocity of r seen from p
    const Vector3<S> a = point_velocity(alpha, f.r) + cross(w, u);  // its rate
    for (int r = 0; r < loop.rows; ++r) switch (rows[r].kind) {
            case RowKind::along: k[r] = -dot(a, Psi[r].linear); break;
            case RowKind::distance: k[r] = -dot(a, Psi[r].linear) - dot(u, u) * S(1 / loop.constant); break;
            case RowKind::length: {
                const Vector3<S>& e = Psi[r].linear;
                const S stretch = dot(u, e);
                k[r] = -dot(a, e) - (dot(u, u) - stretch * stretch) / dot(f.r - f.p, e);
                break;
            }
            case RowKind::screw:
                k[r] = dot(alpha.angular, f.P.x) * S(loop.constant) - dot(a, Psi[r].linear);
                break;
            case RowKind::turn:
            case RowKind::tilt: k[r] = -dot(alpha.angular, Psi[r].angular); break;
            case RowKind::angle:
                k[r] = dot(w, w) * dot(f.P.x, f.Q.x) - dot(w, f.P.x) * dot(w, f.Q.x) -
                       dot(alpha.angular, Psi[r].angular);
                break;
        }
}

}  // namespace grbda::kernels
