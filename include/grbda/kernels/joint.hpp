#pragma once

#include "grbda/model/model.hpp"
#include "grbda/scalar.hpp"
#include "grbda/spatial/spatial.hpp"

// Kinematics of one tree joint: the only place that knows what each joint type does.

namespace grbda::kernels {

/// Orientation and position of a frame in the common frame.
template <class S>
struct Placement {
    Matrix3<S> R;
    Vector3<S> p;
};

/// Rotation of a quaternion x y z w of any length but zero.
template <class S>
Matrix3<S> rotation_of_quaternion(const S* q) {
    const S x = q[0], y = q[1], z = q[2], w = q[3];
    const S s = S(2) / (x * x + y * y + z * z + w * w);
    const S sx = s * x, sy = s * y, sz = s * z;
    const S one(1);
    return {{one - sy * y - sz * z, sx * y + sz * w, sx * z - sy * w},
            {sx * y - sz * w, one - sx * x - sz * z, sy * z + sx * w},
            {sx * z + sy * w, sy * z - sx * w, one - sx * x - sy * y}};
}

/// Rotation about a unit axis (Rodrigues).
template <class S>
Matrix3<S> rotation_about_axis(const Vector3<S>& a, const S& angle) {
    const S c = scalar::cos(angle), s = scalar::sin(angle), d = S(1) - c;
    const Vector3<S> b = a * d;
    return {{a.x * b.x + c, a.y * b.x + a.z * s, a.z * b.x - a.y * s},
            {a.x * b.y - a.z * s, a.y * b.y + c, a.z * b.y + a.x * s},
            {a.x * b.z + a.y * s, a.y * b.z - a.x * s, a.z * b.z + c}};
}

/// Orientation of the joint frame in the parent after turning about the joint's axis.
template <class S>
Matrix3<S> turned(const Body& body, const S& angle) {
    const S versine = scalar::cos(angle) - S(1), s = scalar::sin(angle);
    return body.rotation.cast<S>() + (body.turn_cos.cast<S>() * versine + body.turn_sin.cast<S>() * s);
}

/// Orientation of the body in its parent body.
template <class S>
Matrix3<S> joint_rotation(const Body& body, const S* q) {
    switch (body.joint) {
        case JointType::revolute:
        case JointType::cylindrical: return turned(body, q[0]);
        case JointType::universal:
            return turned(body, q[0]) * rotation_about_axis(body.axis2.cast<S>(), q[1]);
        case JointType::planar: return turned(body, q[2]);
        case JointType::spherical: return body.rotation.cast<S>() * rotation_of_quaternion(q);
        case JointType::floating: return body.rotation.cast<S>() * rotation_of_quaternion(q + 3);
        default: return body.rotation.cast<S>();
    }
}

/// Origin of the body in its parent body.
template <class S>
Vector3<S> joint_displacement(const Body& body, const S* q) {
    const Vector3<S> origin = body.position.cast<S>();
    switch (body.joint) {
        case JointType::prismatic: return origin + body.axis.cast<S>() * q[0];
        case JointType::cylindrical: return origin + body.axis.cast<S>() * q[1];
        case JointType::planar: return origin + (body.axis2.cast<S>() * q[0] + body.axis3.cast<S>() * q[1]);
        case JointType::floating: return origin + body.rotation.cast<S>() * Vector3<S>{q[0], q[1], q[2]};
        default: return origin;
    }
}

/// Columns of the motion subspace in the common frame, parent at orientation `parent`, body at `child`.
template <class S>
void joint_subspace(const Body& body, const Matrix3<S>& parent, const Placement<S>& child, Motion<S>* s) {
    const Vector3<S> zero{S(0), S(0), S(0)};
    const Matrix3<S>& R = child.R;
    switch (body.joint) {
        case JointType::revolute: s[0] = rotation_about(parent * body.axis.cast<S>(), child.p); return;
        case JointType::prismatic: s[0] = {parent * body.axis.cast<S>(), zero}; return;
        case JointType::cylindrical: {
            const Vector3<S> a = parent * body.axis.cast<S>();
            s[0] = rotation_about(a, child.p);
            s[1] = {a, zero};
            return;
        }
        case JointType::universal:
            s[0] = rotation_about(parent * body.axis.cast<S>(), child.p);
            s[1] = rotation_about(R * body.axis2.cast<S>(), child.p);
            return;
        case JointType::planar:
            s[0] = {parent * body.axis2.cast<S>(), zero};
            s[1] = {parent * body.axis3.cast<S>(), zero};
            s[2] = rotation_about(parent * body.axis.cast<S>(), child.p);
            return;
        case JointType::floating:
            s[0] = {R.x, zero};
            s[1] = {R.y, zero};
            s[2] = {R.z, zero};
            s += 3;
            [[fallthrough]];
        default:  // spherical
            s[0] = rotation_about(R.x, child.p);
            s[1] = rotation_about(R.y, child.p);
            s[2] = rotation_about(R.z, child.p);
            return;
    }
}

/// Velocity across the joint.
template <class S>
Motion<S> joint_velocity(int size, const Motion<S>* s, const S* rate) {
    Motion<S> v = s[0] * rate[0];
    for (int j = 1; j < size; ++j) v += s[j] * rate[j];
    return v;
}

/// c = Ṡ q̇ with the parent at velocity `parent`. Every column moves with the parent, or with the child
/// (where v_child × v_joint = v_parent × v_joint), but for the later axis of universal and planar
/// joints: it is carried along by the motion of the columns before it.
template <class S>
Motion<S> joint_bias(JointType joint, const Motion<S>& parent, const Motion<S>& velocity, const Motion<S>* s,
                     const S* rate) {
    Motion<S> c = cross(parent, velocity);
    if (joint == JointType::universal) c += cross(s[0] * rate[0], s[1] * rate[1]);
    if (joint == JointType::planar) c += cross(s[0] * rate[0] + s[1] * rate[1], s[2] * rate[2]);
    return c;
}

}  // namespace grbda::kernels
