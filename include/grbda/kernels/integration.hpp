#pragma once

#include <algorithm>

#include "grbda/kernels/closure.hpp"

// Moving one cluster along ẏ, as its coordinates have it, and what of it no other coordinates touch.

namespace grbda::kernels {

/// Moves one cluster of q by δy: independents exactly, the others as the loops and couplings make them.
template <class S>
Result integrate_cluster(const Model& model, Data<S>& data, int cluster, const S* delta, S* q) {
    const Cluster& c = model.clusters[cluster];
    stay(model, data, c, q);
    S* way = data.way.data() + c.dof_begin;
    for (int j = 0; j < c.m; ++j)
        add_independent_motion(model, data, c, j, delta[model.y_index[c.y_begin + j]], data.way.data());
    each_independent(data, c, [&](int dof) {
        if (const int j = position_index(model, dof); j >= 0) data.goal[j] += data.way[dof];
    });
    if (c.embedding == Embedding::implicit) return Path<S>(model, data, cluster, q).follow();
    move_cluster(model, c, q, way, S(1), q);
    if (c.embedding == Embedding::constant) close_couplings(model, c, q);
    return {};
}

/// A joint with independent and dependent components whose positions are no vector space: where it ends
/// depends on the way.
template <class S>
bool is_mixed(const Model& model, const Data<S>& data, const Cluster& c) {
    bool found = false;
    each_dependent(data, c, [&](int dependent) {
        const Body& body = model.bodies[model.dof_body[dependent]];
        if (!has_quaternion(body.joint)) return;
        found = found || is_on_tangent(data, c);
        each_independent(data, c, [&](int dof) {
            found = found || (dof >= body.dof && dof < body.dof + velocity_size(body.joint));
        });
    });
    return found;
}

/// Calls use(body, y) for the joints with a quaternion whose velocities are all independent; y: their places
/// in ẏ.
template <class S, class Use>
void each_whole_joint(const Model& model, const Data<S>& data, const Cluster& c, const Use& use) {
    if (is_on_tangent(data, c)) return;
    each_joint(model, c, [&](const Body& body) {
        if (!has_quaternion(body.joint)) return;
        int y[6] = {}, found = 0;
        for (int j = 0; j < c.m; ++j) {
            const int component = data.chart.independent[c.y_begin + j] - body.dof;
            if (component < 0 || component >= velocity_size(body.joint)) continue;
            y[component] = model.y_index[c.y_begin + j];
            ++found;
        }
        if (found == velocity_size(body.joint)) use(body, y);
    });
}

/// κ [nv], at which a way δ grows where it ends while the velocity there is ẏ:
///   ẏ + ½ [δ, ẏ] + ⅟₁₂ [δ, [δ, ẏ]] of floating and spherical joints, else ẏ
template <class S>
void rate_of_way(const Model& model, const Data<S>& data, const S* delta, const S* yd, S* rate) {
    std::copy_n(yd, model.nv, rate);
    for (const Cluster& c : model.clusters)
        each_whole_joint(model, data, c, [&](const Body& body, const int* y) {
            const bool floats = velocity_size(body.joint) == 6;
            const auto twist = [&](const S* x) {
                const int* const w = floats ? y + 3 : y;
                Motion<S> m{};
                if (floats) m.linear = {x[y[0]], x[y[1]], x[y[2]]};
                m.angular = {x[w[0]], x[w[1]], x[w[2]]};
                return m;
            };
            const Motion<S> way = twist(delta), once = cross(way, twist(yd)), twice = cross(way, once),
                            more = once * S(0.5) + twice * S(1. / 12);
            const S added[6] = {more.linear.x,  more.linear.y,  more.linear.z,
                                more.angular.x, more.angular.y, more.angular.z};
            for (int k = 0; k < (floats ? 6 : 3); ++k) rate[y[k]] += added[floats ? k : k + 3];
        });
}

}  // namespace grbda::kernels
