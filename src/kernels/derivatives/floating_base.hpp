#pragma once

#include "any_cluster.hpp"
#include "kernels/pass/kinds/floating_base.hpp"

// Derivatives of a floating joint on the world. Its columns J_k are the axes of its body at the origin of the
// common frame, and the world is at rest: e = 0, η = [ω_k × g; 0], η' = v × J_k. A displacement of it
// displaces all bodies, so that forces only rotate with it. In its own block the terms of the forces cancel.

namespace grbda::kernels::derivatives {

struct FloatingBase {
    template <class S>
    static void motion_forward(const Model& model, Workspace<S>& data, const Cluster& c, const S* q,
                               const S* yd) {
        kernels::FloatingBase::set_place(model, data, c, q);
        kernels::FloatingBase::set_velocity(model, data, c, yd);
    }

    template <class S>
    static void variation_forward(const Model& model, Workspace<S>& data, const Cluster& c, const S*,
                                  const S* ydd) {
        const int i = c.bodies.first;
        data.a[i] = gravity_acceleration<S>(model) + kernels::FloatingBase::twist(model, data, c, ydd);
        begin_composites(model, data, i);
    }

    template <class S>
    static void variation_backward(const Model& model, Workspace<S>& data, const Cluster& c, const S*,
                                   const S*, const InverseTargets<S>& out) {
        const int i = c.bodies.first;
        const int* y = model.y_index.data() + c.y_begin;
        const Matrix3<S>& R = data.R[i];
        const RigidInertia<S>& I = data.I[i];
        const Vector3<S> gravity = model.gravity.cast<S>(), zero{S(0), S(0), S(0)};
        for (int k = 0; k < 6; ++k) {
            const Vector3<S>& axis = column(R, k % 3);
            const Motion<S> J = k < 3 ? Motion<S>{axis, zero} : Motion<S>{zero, axis};
            if (k >= 3) put_column(R, I * Motion<S>{cross(axis, gravity), zero}, out.y, y, y[k]);
            put_column(R, I * cross(data.v[i], J) + data.directions.B[i] * J, out.yd, y, y[k]);
            if (!out.M.entries) continue;
            put_column(R, I * J, out.M, y, y[k]);
            out.M(y[k], y[k]) += S(model.armature[c.dof_begin]);
        }
        if (c.turning_armature) add_turning(model, data, c, out.yd);
    }

    template <class S>
    static int variation_block(const Model& model, const Workspace<S>& data, const Cluster& d, int b,
                               const Cluster& c, const InverseTargets<S>& out) {
        const Directions<S>& directions = data.directions;
        const int *x = model.y_index.data() + d.y_begin, *y = model.y_index.data() + c.y_begin;
        const Matrix3<S>& R = data.R[b];
        const Vector3<S> gravity = model.gravity.cast<S>(), zero{S(0), S(0), S(0)};
        for (int k = 0; k < c.m; ++k) {
            const Force<S>& W = data.W[c.W_begin + k];
            put_column(R, directions.force_y[c.y_begin + k], out.y, x, y[k]);
            put_column(R, directions.force_yd[c.y_begin + k], out.yd, x, y[k]);
            put_row(R, Force<S>{zero, cross(gravity, W.linear)}, out.y, y[k], x);
            Force<S> turned = cross(data.v[b], W) * S(-1);
            turned.angular += directions.Z[c.y_begin + k];
            put_row(R, turned, out.yd, y[k], x);
            if (!out.M.entries) continue;
            put_column(R, W, out.M, x, y[k]);
            put_row(R, W, out.M, y[k], x);
        }
        return world;
    }

private:
    template <class S, class Put>
    [[gnu::always_inline]] static void put(const Matrix3<S>& R, const Force<S>& f, const Put& entry) {
        const Vector3<S> force = transpose_times(R, f.linear), moment = transpose_times(R, f.angular);
        entry(0) = force.x;
        entry(1) = force.y;
        entry(2) = force.z;
        entry(3) = moment.x;
        entry(4) = moment.y;
        entry(5) = moment.z;
    }
    /// Adds Jᵀ f to a column or a row of a matrix.
    template <class S>
    [[gnu::always_inline]] static void put_column(const Matrix3<S>& R, const Force<S>& f,
                                                  const Target<S>& out, const int* x, int y) {
        put(R, f, [&](int j) -> S& { return out(x[j], y); });
    }
    template <class S>
    [[gnu::always_inline]] static void put_row(const Matrix3<S>& R, const Force<S>& f, const Target<S>& out,
                                               int y, const int* x) {
        put(R, f, [&](int j) -> S& { return out(y, x[j]); });
    }

    /// Computes derivatives of the force ω × j v in the body's axes (kernels/cluster/rotors.hpp).
    template <class S>
    static void add_turning(const Model& model, const Workspace<S>& data, const Cluster& c,
                            const Target<S>& yd) {
        const int* y = model.y_index.data() + c.y_begin;
        const int i = c.bodies.first;
        const S armature = S(model.armature[c.dof_begin]);
        const Matrix3<S> of_v = skew(transpose_times(data.R[i], data.v[i].angular)),
                         of_omega = skew(transpose_times(data.R[i], data.v[i].linear));
        for (int k = 0; k < 3; ++k) {
            const Vector3<S>&by_v = column(of_v, k), &by_omega = column(of_omega, k);
            const S with_v[3] = {by_v.x, by_v.y, by_v.z},
                    with_omega[3] = {by_omega.x, by_omega.y, by_omega.z};
            for (int j = 0; j < 3; ++j) {
                yd(y[j], y[k]) += with_v[j] * armature;
                yd(y[j], y[k + 3]) -= with_omega[j] * armature;
            }
        }
    }
};

}  // namespace grbda::kernels::derivatives
