#pragma once

#include "joint_cluster.hpp"
#include "kernels/pass/crba.hpp"

// Specialises pass/crba.hpp, step 1: consecutive clusters of joints are placed together.

namespace grbda::kernels {

/// One revolute joint on the world, as the first joint of most arms. For wide vectors it is a single joint
/// like others.
template <class S, bool wide = has_wide<S>>
bool is_root_joint(const Model& model, const Cluster& c) {
    return wide && c.kind == ClusterKind::direct && c.parent_body == world && c.m == 1 &&
           model.bodies[c.bodies.first].joint == JointType::revolute && c.rotor_kind != RotorKind::moving;
}

/// visit(), with such a joint among the single ones.
template <class S, class F>
[[gnu::always_inline]] inline void visit_composite(const Model& model, const Cluster& c, const F& f) {
    if (is_root_joint<S>(model, c))
        f(SingleJoint{});
    else
        visit(c, f);
}

/// Positions and rigid inertias of all bodies.
template <class S>
[[gnu::always_inline]] inline void place_all(const Model& model, Workspace<S>& data, const S* q) {
    turn_joints(model, data, q);
    const auto of_joints = [&](const Cluster& c) {
        return c.kind == ClusterKind::joint || c.kind == ClusterKind::joints || is_root_joint<S>(model, c);
    };
    for (int k = 0; k < model.cluster_count();) {
        int end = k;
        while (end < model.cluster_count() && of_joints(model.clusters[end])) ++end;
        if (end > k) {
            SeveralJoints::place_joints(model, data, k, end);
            k = end;
        } else {
            const Cluster& c = model.clusters[k];
            visit(c, [&](auto kind) { kind.crba_forward(model, data, c, k, q); });
            ++k;
        }
    }
}

}  // namespace grbda::kernels
