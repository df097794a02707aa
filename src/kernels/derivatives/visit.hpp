#pragma once

#include "floating_base.hpp"
#include "joint_cluster.hpp"

// Calls the functions of a cluster kind for the passes of derivatives:
//   motion_forward      positions and velocities
//   variation_forward   accelerations; e, η, η'; composites of its bodies alone
//   variation_backward  its own blocks; W, Z and the changes of its force; composites of the parent body
//   variation_block     blocks of a descendant with this cluster; returns the body to which it is attached

namespace grbda::kernels::derivatives {

template <class F>
[[gnu::always_inline]] inline auto by_kind(const Cluster& c, const F& f) {
    switch (c.kind) {
        case ClusterKind::joint: return f(SingleJoint{});
        case ClusterKind::joints: return f(SeveralJoints{});
        case ClusterKind::floating_base: return f(FloatingBase{});
        case ClusterKind::direct:
        case ClusterKind::general:
        case ClusterKind::planar:
        case ClusterKind::tree:
        case ClusterKind::rows: break;
    }
    return f(AnyCluster{});
}

}  // namespace grbda::kernels::derivatives
