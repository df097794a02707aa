#pragma once

#include "aba.hpp"
#include "kinds/visit.hpp"

// Velocities of joints as rows of a problem with contacts: an entry of q̇, or, for dry friction, the velocity
// of a floating joint's origin along an axis of its position in q.

namespace grbda::kernels {

/// Weights of up to three adjacent velocities in pass order.
template <class S>
struct JointRow {
    int first = -1;  ///< velocity in pass order; −1: none
    int count = 1;
    S weight[3] = {S(1), S(0), S(0)};
};

/// index  a velocity in pass order; beyond them nv_tree plus a linear velocity of a floating joint: along an
///        axis of its position
template <class S>
JointRow<S> joint_row(const Model& model, const Workspace<S>& data, int index) {
    if (index < model.nv_tree) return {index};
    const int dof = index - model.nv_tree, b = model.dof_body[dof];
    const Body& body = model.bodies[b];
    Vector3<S> axis = column(body.rotation, dof - body.dof).template cast<S>();
    if (body.parent != world) axis = data.R[body.parent] * axis;
    const Vector3<S> own = transpose_times(data.R[b], axis);
    return {body.dof, 3, {own.x, own.y, own.z}};
}

template <class S>
S rate_of(const Model& model, const Workspace<S>& data, const JointRow<S>& row) {
    S sum = row.weight[0] * joint_rate(model, data, row.first);
    for (int i = 1; i < row.count; ++i) sum += row.weight[i] * joint_rate(model, data, row.first + i);
    return sum;
}

}  // namespace grbda::kernels
