#pragma once

#include "grbda/spatial/dual.hpp"
#include "kernels/body/configuration.hpp"
#include "kernels/constraint/embedding.hpp"

// States on their way along directions of [y ẏ f], f being ÿ or τ: what numbers with derivatives start from.

namespace grbda {

/// Starts q along N directions: direction l moves y_i at the rate seed(i, l). data is embedded at q.
template <int N, class Seed>
void move_positions(const Model& model, const Workspace<double>& data, const double* q, const Seed& seed,
                    Dual<double, N>* moving_q) {
    using Number = Dual<double, N>;
    for (const Cluster& c : model.clusters)
        for (const int i : c.joints) {
            const Body& body = model.bodies[i];
            Number* const to = moving_q + body.q;
            Number motion[6];
            for (int l = 0; l < position_size(body.joint); ++l) to[l] = Number(q[body.q + l]);
            for (int j = 0; j < c.m; ++j)
                for (int place = 0; place < N; ++place) {
                    const double rate = seed(model.y_index[c.y_begin + j], place);
                    if (rate == 0) continue;
                    for (int l = 0; l < velocity_size(body.joint); ++l)
                        motion[l].slope[place] +=
                            rate * kernels::embedding_entry(model, data, c, body.dof - c.dof_begin + l, j);
                }
            kernels::joint_integrate(body.joint, to, motion, to);
        }
}

/// q, ẏ and f from where they are along directions [first, first + N); data is embedded at q.
template <int N>
void set_off(const Model& model, const Workspace<double>& data, int first, const double* q, const double* yd,
             const double* f, Dual<double, N>* moving_q, Dual<double, N>* moving_yd,
             Dual<double, N>* moving_f) {
    using Number = Dual<double, N>;
    const auto along = [first](Number& x, int direction) {
        if (direction >= first && direction < first + N) x.slope[direction - first] = 1;
    };
    for (int i = 0; i < model.nv; ++i) {
        moving_yd[i] = Number(yd[i]);
        moving_f[i] = Number(f[i]);
        along(moving_yd[i], model.nv + i);
        along(moving_f[i], 2 * model.nv + i);
    }
    move_positions<N>(
        model, data, q, [first](int y, int place) { return y == first + place ? 1. : 0.; }, moving_q);
}

}  // namespace grbda
