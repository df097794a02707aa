#pragma once

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "grbda/export.hpp"
#include "joint.hpp"

// Moves along and between configurations of one joint and of a cluster: vector addition, unit quaternions for
// spherical joints, SE(3) for floating ones.

namespace grbda::kernels {

/// The functions sin(x)/x, (1 − cos x)/x², (x − sin x)/x³ from x², by series near zero so that derivatives
/// exist there.
template <class S>
struct Sinc {
    S first, second, third;
};

template <class S>
Sinc<S> sinc(const S& square) {
    if (value_of(square) < 1e-3) {
        const S x = square;
        return {S(1) - x * S(1. / 6) *
                           (S(1) - x * S(1. / 20) * (S(1) - x * S(1. / 42) * (S(1) - x * S(1. / 72)))),
                S(0.5) - x * S(1. / 24) *
                             (S(1) - x * S(1. / 30) * (S(1) - x * S(1. / 56) * (S(1) - x * S(1. / 90)))),
                S(1. / 6) - x * S(1. / 120) *
                                (S(1) - x * S(1. / 42) * (S(1) - x * S(1. / 72) * (S(1) - x * S(1. / 110))))};
    }
    const S x = scalar::sqrt(square);
    const S s = scalar::sin(x) / x;
    return {s, (S(1) - scalar::cos(x)) / square, (S(1) - s) / square};
}

/// Computes out = q ⊗ exp(δ) with unit length; quaternions are x y z w; out may be q.
template <class S>
void integrate_quaternion(const S* q, const Vector3<S>& delta, S* out) {
    const Vector3<S> half = delta * S(0.5);
    const S square = dot(half, half);
    const Sinc<S> f = sinc(square);
    const Vector3<S> v = half * f.first;
    const S w = S(1) - square * f.second;
    const Vector3<S> a{q[0], q[1], q[2]};
    const S a_w = q[3];
    const Vector3<S> vector = v * a_w + a * w + cross(a, v);
    const S scalar_part = a_w * w - dot(a, v);
    const S scale = S(1) / scalar::sqrt(dot(vector, vector) + scalar_part * scalar_part);
    out[0] = vector.x * scale;
    out[1] = vector.y * scale;
    out[2] = vector.z * scale;
    out[3] = scalar_part * scale;
}

/// Returns δ with q1 = q0 ⊗ exp(δ), |δ| ≤ π.
template <class S>
Vector3<S> quaternion_difference(const S* q0, const S* q1) {
    const Vector3<S> a{-q0[0], -q0[1], -q0[2]}, b{q1[0], q1[1], q1[2]};
    Vector3<S> v = b * q0[3] + a * q1[3] + cross(a, b);
    S w = q0[3] * q1[3] - dot(a, b);
    if (value_of(w) < 0) {
        v = -v;
        w = -w;
    }
    const S sine_squared = dot(v, v);
    if (value_of(sine_squared) < 1e-12 * value_of(w) * value_of(w))  // atan(t)/t = 1 − t²/3
        return v * (S(2) / w * (S(1) - sine_squared / (w * w) * S(1. / 3)));
    const S sine = scalar::sqrt(sine_squared);
    using scalar::atan2;
    return v * (S(2) * atan2(sine, w) / sine);
}

// The two joints with a quaternion are named below; positions of all others are a vector space.
static_assert(std::all_of(joint_facts.begin(), joint_facts.end(), [](const JointFacts& f) {
    return f.type == JointType::spherical || f.type == JointType::floating || !has_quaternion(f.type);
}));

/// Computes out, which is q moved by the velocity `delta` over unit time; out may be q.
template <class S>
GRBDA_EXPORT void joint_integrate(JointType joint, const S* q, const S* delta, S* out) {
    if (joint == JointType::spherical) {
        integrate_quaternion(q, Vector3<S>{delta[0], delta[1], delta[2]}, out);
    } else if (joint == JointType::floating) {
        const Vector3<S> linear{delta[0], delta[1], delta[2]}, angular{delta[3], delta[4], delta[5]};
        const Sinc<S> f = sinc(dot(angular, angular));
        const Vector3<S> turn = cross(angular, linear);
        const Vector3<S> shift = linear + turn * f.second + cross(angular, turn) * f.third;
        const Vector3<S> moved = rotation_of_quaternion(q + 3) * shift;
        out[0] = q[0] + moved.x;
        out[1] = q[1] + moved.y;
        out[2] = q[2] + moved.z;
        integrate_quaternion(q + 3, angular, out + 3);
    } else {
        for (int j = 0; j < velocity_size(joint); ++j) out[j] = q[j] + delta[j];
    }
}

/// Computes delta with q1 = joint_integrate(q0, delta).
template <class S>
GRBDA_EXPORT void joint_difference(JointType joint, const S* q0, const S* q1, S* delta) {
    if (joint == JointType::spherical) {
        const Vector3<S> d = quaternion_difference(q0, q1);
        delta[0] = d.x;
        delta[1] = d.y;
        delta[2] = d.z;
    } else if (joint == JointType::floating) {
        const Vector3<S> angular = quaternion_difference(q0 + 3, q1 + 3);
        const Vector3<S> moved{q1[0] - q0[0], q1[1] - q0[1], q1[2] - q0[2]};
        const Vector3<S> shift = transpose_times(rotation_of_quaternion(q0 + 3), moved);
        // the inverse of 1 + second ω× + third ω×ω× is 1 − ω×/2 + c ω×ω×
        const S square = dot(angular, angular);
        const Sinc<S> f = sinc(square);
        const S c = value_of(square) < 1e-3
                        ? S(1. / 12) + square * S(1. / 720) + square * square * S(1. / 30240)
                        : (S(1) - f.first / (S(2) * f.second)) / square;
        const Vector3<S> turn = cross(angular, shift);
        const Vector3<S> linear = shift - turn * S(0.5) + cross(angular, turn) * c;
        const Vector3<S> parts[2] = {linear, angular};
        for (int j = 0; j < 2; ++j) {
            delta[3 * j] = parts[j].x;
            delta[3 * j + 1] = parts[j].y;
            delta[3 * j + 2] = parts[j].z;
        }
    } else {
        for (int j = 0; j < velocity_size(joint); ++j) delta[j] = q1[j] - q0[j];
    }
}

/// Returns the largest component of joint_difference(), rad or m.
template <class S>
double joint_distance(JointType joint, const S* q0, const S* q1) {
    S delta[6];
    joint_difference(joint, q0, q1, delta);
    double largest = 0;
    for (int j = 0; j < velocity_size(joint); ++j) largest = std::max(largest, std::abs(value_of(delta[j])));
    return largest;
}

/// Returns the index in q of a velocity coordinate if the positions of its joint form a vector space,
/// otherwise −1.
inline int position_index(const Model& model, int dof) {
    const Body& body = model.bodies[model.dof_body[dof]];
    return has_quaternion(body.joint) ? -1 : body.q + dof - body.dof;
}

/// Moves q by `scale` · step [dofs of the cluster]; joints that do not move are unchanged.
template <class S>
GRBDA_EXPORT void move_cluster(const Model& model, const Cluster& c, const S* from, const S* step,
                               const std::type_identity_t<S>& scale, S* to) {
    for (const int i : c.joints) {
        const Body& body = model.bodies[i];
        if (velocity_size(body.joint) == 1) {
            const S delta = step[body.dof - c.dof_begin] * scale;
            to[body.q] = delta == S(0) ? from[body.q] : from[body.q] + delta;
            continue;
        }
        S delta[6];
        bool moves = false;
        for (int j = 0; j < velocity_size(body.joint); ++j) {
            delta[j] = step[body.dof - c.dof_begin + j] * scale;
            moves = moves || !(delta[j] == S(0));  // for numbers with derivatives, these have to be zero, too
        }
        if (moves)
            joint_integrate(body.joint, from + body.q, delta, to + body.q);
        else if (from != to)
            std::copy_n(from + body.q, position_size(body.joint), to + body.q);
    }
}

/// Calls action(body) for every joint of a cluster.
template <class Action>
void each_joint(const Model& model, const Cluster& c, const Action& action) {
    for (const int i : c.joints) action(model.bodies[i]);
}

template <class S>
void copy_joints(const Model& model, const Cluster& c, const S* from, S* to) {
    each_joint(model, c, [&](const Body& b) {
        if (const int size = position_size(b.joint); size == 1)  // avoids a call
            to[b.q] = from[b.q];
        else
            std::copy_n(from + b.q, size, to + b.q);
    });
}

// Instantiated in src/kernels/.
extern template void joint_integrate(JointType, const double*, const double*, double*);
extern template void joint_difference(JointType, const double*, const double*, double*);
extern template void move_cluster(const Model&, const Cluster&, const double*, const double*,
                                  const std::type_identity_t<double>&, double*);

}  // namespace grbda::kernels
