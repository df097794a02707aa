#pragma once

#include "grbda/model/model.hpp"
#include "grbda/scalar.hpp"
#include "grbda/spatial/spatial.hpp"

// Kinematics of one tree joint. Only this file distinguishes the joint types. Inlining is forced where
// results would go through memory, as in the spatial algebra.

namespace grbda::kernels {

/// Returns the rotation of a quaternion x y z w with any length except zero.
template <class S>
[[gnu::always_inline]] inline Matrix3<S> rotation_of_quaternion(const S* q) {
    const S x = q[0], y = q[1], z = q[2], w = q[3];
    const S s = S(2) / (x * x + y * y + z * z + w * w);
    const S sx = s * x, sy = s * y, sz = s * z;
    const S one(1);
    return {{one - sy * y - sz * z, sx * y + sz * w, sx * z - sy * w},
            {sx * y - sz * w, one - sx * x - sz * z, sy * z + sx * w},
            {sx * z + sy * w, sy * z - sx * w, one - sx * x - sy * y}};
}

/// Returns the rotation about a unit axis (Rodrigues).
template <class S>
[[gnu::always_inline]] inline Matrix3<S> rotation_about_axis(const Vector3<S>& a, const S& angle) {
    S s, c;
    scalar::sincos(angle, s, c);
    const Vector3<S> b = a * S(S(1) - c);
    return {{a.x * b.x + c, a.y * b.x + a.z * s, a.z * b.x - a.y * s},
            {a.x * b.y - a.z * s, a.y * b.y + c, a.z * b.y + a.x * s},
            {a.x * b.z + a.y * s, a.y * b.z - a.x * s, a.z * b.z + c}};
}

/// Sine and cosine of the angle by which a joint turns its body.
template <class S>
struct Turned {
    S sine, cosine;
};

template <class S>
Turned<S> turned_by(const Body& body, const S* q) {
    Turned<S> result{S(0), S(1)};
    if (const int at = angle_index(body.joint); at >= 0) scalar::sincos(q[at], result.sine, result.cosine);
    return result;
}

/// Returns the orientation of the joint frame after the turn about the joint's axis, in the frame of
/// `parent`.
template <class S>
[[gnu::always_inline]] inline Matrix3<S> turned(const Body& body, const Matrix3<S>& parent,
                                                const Turned<S>& by) {
    const Matrix3<S>& P = parent;
    const S& c = by.cosine;
    const S s = body.turn == Turn::general ? by.sine : S(by.sine * S(body.turn_sign));
    switch (body.turn) {
        case Turn::about_x: return {P.x, P.y * c + P.z * s, P.z * c - P.y * s};
        case Turn::about_y: return {P.x * c - P.z * s, P.y, P.z * c + P.x * s};
        case Turn::about_z: return {P.x * c + P.y * s, P.y * c - P.x * s, P.z};
        case Turn::general: break;
    }
    const S versine = c - S(1);
    return P * (body.rotation.cast<S>() + (body.turn_cos.cast<S>() * versine + body.turn_sin.cast<S>() * s));
}

/// Returns the joint's axis in the frame of `parent`.
template <class S>
[[gnu::always_inline]] inline Vector3<S> turning_axis(const Body& body, const Matrix3<S>& parent) {
    const S sign = S(body.turn_sign);
    switch (body.turn) {
        case Turn::about_x: return parent.x * sign;
        case Turn::about_y: return parent.y * sign;
        case Turn::about_z: return parent.z * sign;
        case Turn::general: break;
    }
    return parent * body.axis.cast<S>();
}

/// Returns the orientation of the body; `parent` is that of its parent.
template <class S>
[[gnu::always_inline]] inline Matrix3<S> joint_rotation(const Body& body, const Matrix3<S>& parent,
                                                        const Turned<S>& by, const S* q) {
    switch (body.joint) {
        case JointType::fixed:
        case JointType::prismatic: break;
        case JointType::revolute:
        case JointType::continuous:
        case JointType::helical:
        case JointType::cylindrical:
        case JointType::planar: return turned(body, parent, by);
        case JointType::universal:
            return turned(body, parent, by) * rotation_about_axis(body.axis2.cast<S>(), q[1]);
        case JointType::spherical:
        case JointType::floating: {
            const S* quaternion = q + position_size(body.joint) - 4;
            return parent * (body.rotation.cast<S>() * rotation_of_quaternion(quaternion));
        }
    }
    return parent * body.rotation.cast<S>();
}

/// Returns the origin of the body in its parent body.
template <class S>
[[gnu::always_inline]] inline Vector3<S> joint_displacement(const Body& body, const S* q) {
    const Vector3<S> origin = body.position.cast<S>();
    switch (body.joint) {
        case JointType::fixed:
        case JointType::revolute:
        case JointType::continuous:
        case JointType::universal:
        case JointType::spherical: break;
        case JointType::prismatic: return origin + body.axis.cast<S>() * q[0];
        case JointType::helical: return origin + body.axis2.cast<S>() * q[0];
        case JointType::cylindrical: return origin + body.axis.cast<S>() * q[1];
        case JointType::planar: return origin + (body.axis2.cast<S>() * q[0] + body.axis3.cast<S>() * q[1]);
        case JointType::floating: return origin + body.rotation.cast<S>() * Vector3<S>{q[0], q[1], q[2]};
    }
    return origin;
}

/// Computes the columns of the motion subspace in the common frame, with the parent at orientation `parent`
/// and the body at R, p.
template <class S>
void joint_subspace(const Body& body, const Matrix3<S>& parent, const Matrix3<S>& R, const Vector3<S>& p,
                    Motion<S>* s) {
    const Vector3<S> zero{S(0), S(0), S(0)};
    switch (body.joint) {
        case JointType::fixed: return;
        case JointType::revolute:
        case JointType::continuous: s[0] = rotation_about(parent * body.axis.cast<S>(), p); return;
        case JointType::prismatic: s[0] = {parent * body.axis.cast<S>(), zero}; return;
        case JointType::helical:
            s[0] = rotation_about(parent * body.axis.cast<S>(), p);
            s[0].linear += parent * body.axis2.cast<S>();
            return;
        case JointType::cylindrical: {
            const Vector3<S> a = parent * body.axis.cast<S>();
            s[0] = rotation_about(a, p);
            s[1] = {a, zero};
            return;
        }
        case JointType::universal:
            s[0] = rotation_about(parent * body.axis.cast<S>(), p);
            s[1] = rotation_about(R * body.axis2.cast<S>(), p);
            return;
        case JointType::planar:
            s[0] = {parent * body.axis2.cast<S>(), zero};
            s[1] = {parent * body.axis3.cast<S>(), zero};
            s[2] = rotation_about(parent * body.axis.cast<S>(), p);
            return;
        case JointType::floating:
            s[0] = {R.x, zero};
            s[1] = {R.y, zero};
            s[2] = {R.z, zero};
            s += 3;
            [[fallthrough]];
        case JointType::spherical:
            s[0] = rotation_about(R.x, p);
            s[1] = rotation_about(R.y, p);
            s[2] = rotation_about(R.z, p);
            return;
    }
}

/// Computes the position, orientation and motion subspace of a body on a revolute joint.
template <class S>
[[gnu::always_inline]] inline void place_revolute(const Body& body, const Matrix3<S>& R_parent,
                                                  const Vector3<S>& p_parent, const Turned<S>& by,
                                                  Matrix3<S>& R, Vector3<S>& p, Motion<S>& s) {
    p = p_parent + R_parent * body.position.cast<S>();
    s = rotation_about(turning_axis(body, R_parent), p);
    R = turned(body, R_parent, by);
}

/// Returns the velocity across the joint.
template <class S>
[[gnu::always_inline]] inline Motion<S> joint_velocity(int size, const Motion<S>* s, const S* rate) {
    Motion<S> v = s[0] * rate[0];
    for (int j = 1; j < size; ++j) v += s[j] * rate[j];
    return v;
}

/// Returns c = ṡ q̇ with the parent at velocity `parent`. Every column moves with the parent, or with the
/// child (for which v_child × v_joint = v_parent × v_joint), except the later axis of universal and planar
/// joints, which moves with the columns before it.
template <class S>
[[gnu::always_inline]] inline Motion<S> joint_bias(JointType joint, const Motion<S>& parent,
                                                   const Motion<S>& velocity, const Motion<S>* s,
                                                   const S* rate) {
    Motion<S> c = cross(parent, velocity);
    if (joint == JointType::universal) c += cross(s[0] * rate[0], s[1] * rate[1]);
    if (joint == JointType::planar) c += cross(s[0] * rate[0] + s[1] * rate[1], s[2] * rate[2]);
    return c;
}

}  // namespace grbda::kernels
