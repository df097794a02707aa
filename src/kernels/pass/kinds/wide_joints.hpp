#pragma once

#include <algorithm>

#include "kernels/cluster/rotors.hpp"
#include "simd/wide.hpp"

// Specialises pass/crba.hpp for revolute joints and floating bases with each vector in one register.

namespace grbda::kernels {

/// Passes of the kinds of clusters if has_wide<S>.
template <class S>
struct WideJoints;

#if defined(__AVX__)

template <>
struct WideJoints<double> {
    using Vector = wide::Vector;
    using Matrix = wide::Matrix;
    using Inertia = wide::Inertia;
    using Pair = wide::Pair;
    using Workspace = grbda::Workspace<double>;

    /// R, p and s of the bodies of clusters [first, last) and their rigid inertias. The frame of the body
    /// before stays in registers.
    [[gnu::noinline]] static void place_joints(const Model& model, Workspace& data, int first, int last) {
        Frame frame;
        int before = world;
        for (int k = first; k < last; ++k)
            for (const int i : model.clusters[k].bodies) {
                const Body& body = model.bodies[i];
                if (body.parent == world || body.parent != before)
                    frame = parent_frame(body, data, model.clusters[k]);
                before = i;
                const Vector axis = turn(body, turn_of(data, body), frame);
                wide::store(frame.R, data.R[i]);
                wide::store(frame.p, data.p[i]);
                wide::store(Pair{wide::cross(frame.p, axis), axis}, data.s[body.dof]);
                wide::store(inertia_at(body, frame), data.I[i]);
            }
    }

    /// Rigid inertia of a body that has been placed.
    [[gnu::always_inline]] static void place_inertia(const Model& model, Workspace& data, int i) {
        wide::store(inertia_at(model.bodies[i], {wide::of(data.R[i]), wide::of(data.p[i])}), data.I[i]);
    }

    /// D, a number, and F of one joint.
    [[gnu::always_inline]] static void composite_joint(const Model& model, Workspace& data,
                                                       const Cluster& c) {
        const Pair s = wide::of(data.s[c.dof_begin]);
        Pair F = pass_on(data, c.bodies.first, c.parent_body) * s;
        data.D[c.D_begin] = model.D0[c.D_begin] + dot(s, F);
        if (c.rotor_kind == RotorKind::coaxial)
            F.angular += s.angular * c.momentum;
        else if (c.rotor_kind == RotorKind::carried)
            F.angular += wide::of(data.R[c.parent_body]) * model.momentum[c.y_begin];
        wide::store(F, data.W[c.W_begin]);
    }

    /// Adds the contribution of body i to D and F of a cluster of several joints.
    [[gnu::always_inline]] static void composite_body(const Model& model, Workspace& data, const Cluster& c,
                                                      int i, double* D) {
        const Body& body = model.bodies[i];
        const Pair F = pass_on(data, i, body.parent) * wide::of(data.s[body.dof]);
        const int j = body.y - c.y_begin;
        for (int b = i; b != c.parent_body; b = model.bodies[b].parent) {
            const Body& before = model.bodies[b];
            const int k = before.y - c.y_begin;
            D[std::max(j, k) * c.m + std::min(j, k)] += dot(wide::of(data.s[before.dof]), F);
        }
        wide::store(F, data.W[c.W_begin + j]);
    }

    /// Block of a floating base at orientation R: forces F [m] in its axes, to put(x, j, entry).
    template <class Put>
    [[gnu::always_inline]] static void floating_block(const Matrix3<double>& R, const int* x,
                                                      const Force<double>* F, int m, const Put& put) {
        const Matrix axes = wide::of(transpose(R));
        for (int j = 0; j < m; ++j) {
            const Vector force = axes * F[j].linear, moment = axes * F[j].angular;
            for (int k = 0; k < 3; ++k) put(x[k], j, force[k]);
            for (int k = 0; k < 3; ++k) put(x[3 + k], j, moment[k]);
        }
    }

private:
    /// Orientation and position of a body in the common frame.
    struct Frame {
        Matrix R;
        Vector p;
    };

    /// Returns the frame of the body to which the first body of a cluster is attached. A branch of the world
    /// has its first body at the origin.
    [[gnu::always_inline]] static Frame parent_frame(const Body& body, Workspace& data, const Cluster& c) {
        if (body.parent != world) return {wide::of(data.R[body.parent]), wide::of(data.p[body.parent])};
        data.origin[c.branch] = body.position;
        return {wide::of(Matrix3<double>::identity()), -wide::of(body.position)};
    }

    /// From the frame of the parent to that of the body; the joint's axis.
    [[gnu::always_inline]] static Vector turn(const Body& body, const Turned<double>& by, Frame& frame) {
        frame.p += frame.R * body.position;
        const Matrix P = frame.R;
        const double c = by.cosine, sign = body.turn_sign, s = by.sine * sign;
        switch (body.turn) {
            case Turn::about_x: frame.R = {P.x, P.y * c + P.z * s, P.z * c - P.y * s}; return P.x * sign;
            case Turn::about_y: frame.R = {P.x * c - P.z * s, P.y, P.z * c + P.x * s}; return P.y * sign;
            case Turn::about_z: frame.R = {P.x * c + P.y * s, P.y * c - P.x * s, P.z}; return P.z * sign;
            case Turn::general: break;
        }
        const Matrix3<double> T = body.rotation + (body.turn_cos * (c - 1) + body.turn_sin * by.sine);
        frame.R = {P * T.x, P * T.y, P * T.z};
        return P * body.axis;
    }

    /// As inertia_of().
    [[gnu::always_inline]] static Inertia inertia_at(const Body& body, const Frame& frame) {
        return wide::rigid_inertia(body.mass, frame.p + frame.R * body.com, body.inertia,
                                   frame.R * body.middle, frame.R * body.largest);
    }

    /// The inertia of a body, composite, which is also added to that of the body before.
    [[gnu::always_inline]] static Inertia pass_on(Workspace& data, int i, int parent) {
        const Inertia I = wide::of(data.I[i]);
        if (parent == world) return I;
        Inertia sum = wide::of(data.I[parent]);
        sum += I;
        wide::store(sum, data.I[parent]);
        return I;
    }
};

#endif

}  // namespace grbda::kernels
