#pragma once

#include "grbda/kernels/joint.hpp"
#include "grbda/model/data.hpp"

// Rows of one loop joint: blocked wrenches Ψ with directions fixed in P and
// acting at the origin of S, so that K = Ψᵀ (J_s − J_p) = ∂φ/∂q, and the bias k.

namespace grbda::kernels {

template <class S>
Vector3<S> column(const Matrix3<S>& A, int k) {
    return k == 0 ? A.x : k == 1 ? A.y : A.z;
}

/// Of the kept rows, those of lengths: they come first. The wrenches of the others are moments.
inline int length_rows(const Loop& loop) {
    return static_cast<int>((loop.translation & 1u) + (loop.translation >> 1 & 1u) +
                            (loop.translation >> 2 & 1u));
}

template <class S>
LoopFrames<S> loop_frames(const Loop& loop, const Placement<S>& predecessor, const Placement<S>& successor) {
    return {predecessor.R * loop.p_rotation.cast<S>(), successor.R * loop.s_rotation.cast<S>(),
            predecessor.p + predecessor.R * loop.p_position.cast<S>(),
            successor.p + successor.R * loop.s_position.cast<S>()};
}

/// The same, with those axes only that the kept rows need.
template <class S>
LoopFrames<S> row_frames(const Loop& loop, const Placement<S>& predecessor, const Placement<S>& successor) {
    if (loop.rotation != 0) return loop_frames(loop, predecessor, successor);
    LoopFrames<S> frames;
    frames.p = predecessor.p + predecessor.R * loop.p_position.cast<S>();
    frames.r = successor.p + successor.R * loop.s_position.cast<S>();
    if (loop.type == LoopType::distance) return frames;
    if (loop.translation & 1u) frames.P.x = predecessor.R * loop.p_rotation.x.cast<S>();
    if (loop.translation & 2u) frames.P.y = predecessor.R * loop.p_rotation.y.cast<S>();
    if (loop.translation & 4u) frames.P.z = predecessor.R * loop.p_rotation.z.cast<S>();
    return frames;
}

/// True if the rotational residual has its right root: axes aligned, not opposed; turn below 90°.
template <class S>
bool right_root(const Loop& loop, const LoopFrames<S>& f) {
    switch (loop.type) {
        case LoopType::fixed:
        case LoopType::prismatic:
            return value_of(dot(f.P.x, f.Q.x)) > 0 && value_of(dot(f.P.y, f.Q.y)) > 0 &&
                   value_of(dot(f.P.z, f.Q.z)) > 0;
        case LoopType::revolute:
        case LoopType::continuous:
        case LoopType::cylindrical:
        case LoopType::planar: return value_of(dot(f.P.x, f.Q.x)) > 0;
        case LoopType::universal:
        case LoopType::spherical:
        case LoopType::distance:
        case LoopType::floating: break;
    }
    return true;
}

/// Couple of the rotational row about e, where the axis from P is to meet that from Q.
template <class S>
Vector3<S> open_couple(const Vector3<S>& e, const Vector3<S>& from_p, const Vector3<S>& from_q) {
    return e * dot(from_p, from_q) - from_p * dot(e, from_q);
}

/// Blocked wrenches and closure errors of the kept rows. While a loop is open the wrenches of rotational rows
/// are other ones: closing it asks for them, as K is then the derivative of φ there too.
template <class S, bool open = false>
void loop_wrenches(const Loop& loop, const LoopFrames<S>& f, Force<S>* Psi, S* phi) {
    const Vector3<S> d = f.r - f.p, zero{S(0), S(0), S(0)};
    int row = 0;
    if (loop.type == LoopType::distance) {
        if (loop.translation == 0) return;
        const Vector3<S> e = d * S(1 / loop.constant);
        Psi[row] = {e, cross(f.r, e)};
        phi[row] = (dot(d, e) - S(loop.constant)) * S(0.5);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        if (!(loop.translation >> k & 1u)) continue;
        const Vector3<S> e = column(f.P, k);
        Psi[row] = {e, cross(f.r, e)};
        phi[row++] = dot(e, d);
    }
    if (loop.rotation == 0) return;
    if (loop.type == LoopType::universal) {
        Psi[row] = {zero, cross(f.Q.x, f.P.x)};
        phi[row] = dot(f.P.x, f.Q.x) - S(loop.constant);
        return;
    }
    const bool full = loop.type == LoopType::fixed || loop.type == LoopType::prismatic;
    const Vector3<S> error = full ? (cross(f.P.x, f.Q.x) + cross(f.P.y, f.Q.y) + cross(f.P.z, f.Q.z)) * S(0.5)
                                  : cross(f.P.x, f.Q.x);
    for (int k = 0; k < 3; ++k) {
        if (!(loop.rotation >> k & 1u)) continue;
        const Vector3<S> e = column(f.P, k);
        Psi[row] = {zero, e};
        if constexpr (open)
            Psi[row].angular = full ? (open_couple(e, f.P.x, f.Q.x) + open_couple(e, f.P.y, f.Q.y) +
                                       open_couple(e, f.P.z, f.Q.z)) *
                                          S(0.5)
                                    : open_couple(e, f.P.x, f.Q.x);
        phi[row++] = dot(e, error);
    }
}

/// k = −Ψᵀ ((c_s − c_p) − v_p × (v_s − v_p)) − Ψ̊ᵀ (v_s − v_p), Ψ̊ the change of Ψ seen from p.
/// `bias` is c_s − c_p, `relative` is v_s − v_p.
template <class S>
void loop_bias(const Loop& loop, const LoopFrames<S>& f, const Force<S>* Psi, const Motion<S>& predecessor,
               const Motion<S>& relative, const Motion<S>& bias, S* k) {
    const Motion<S> alpha = bias - cross(predecessor, relative);
    const Vector3<S>& w = relative.angular;
    const Vector3<S> u = point_velocity(relative, f.r);  // of S as seen from p
    for (int row = 0; row < loop.rows; ++row) k[row] = -dot(alpha, Psi[row]);
    if (loop.type == LoopType::distance) {
        if (loop.translation != 0) k[0] -= (dot(u, u) + dot(cross(u, f.r - f.p), w)) * S(1 / loop.constant);
        return;
    }
    int row = 0;
    for (int j = 0; j < 3; ++j)
        if (loop.translation >> j & 1u) {
            k[row] -= dot(cross(u, column(f.P, j)), w);
            ++row;
        }
    if (loop.type == LoopType::universal && loop.rotation != 0)
        k[row] -= dot(w, f.P.x) * dot(w, f.Q.x) - dot(w, w) * dot(f.P.x, f.Q.x);
}

}  // namespace grbda::kernels
