#pragma once

#include <algorithm>

#include "closure.hpp"

// Moves one cluster along ẏ in its own coordinates, and finds the coordinates that are independent of all
// others.

namespace grbda::closing {

using namespace kernels;

/// Moves one cluster of q by δy: the independents exactly, the others as the loops and couplings require.
template <class S>
Result integrate_cluster(const Model& model, Workspace<S>& data, int cluster, const S* delta, S* q) {
    const Cluster& c = model.clusters[cluster];
    stay(model, data, c, q);
    S* displacement = data.displacement.data() + c.dof_begin;
    for (int j = 0; j < c.m; ++j)
        add_independent_motion(model, data, c, j, delta[model.y_index[c.y_begin + j]],
                               data.displacement.data());
    each_independent(data, c, [&](int dof) {
        if (const int j = position_index(model, dof); j >= 0) data.goal[j] += data.displacement[dof];
    });
    if (c.embedding == Embedding::implicit) return Path<S>(model, data, cluster, q).follow();
    move_cluster(model, c, q, displacement, S(1), q);
    if (c.embedding == Embedding::constant) close_couplings(model, c, q);
    return {};
}

/// Returns whether a joint has independent and dependent components and positions that are not a vector
/// space. Its final position depends on the path.
template <class S>
bool is_mixed(const Model& model, const Workspace<S>& data, const Cluster& c) {
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

/// Calls use(body, y) for the joints with a quaternion whose velocities are all independent; y: their indices
/// in ẏ.
template <class S, class Use>
void each_whole_joint(const Model& model, const Workspace<S>& data, const Cluster& c, const Use& use) {
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

}  // namespace grbda::closing
