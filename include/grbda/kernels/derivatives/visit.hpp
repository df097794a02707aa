#pragma once

#include "grbda/kernels/derivatives/floating_base.hpp"
#include "grbda/kernels/derivatives/joint_cluster.hpp"

// Functions of a cluster that the passes of derivatives call:
//   move    forward: positions and velocities
//   vary    forward: accelerations; e, η, η'; composites of its bodies alone
//   change  backward: its own blocks; W, Z and the changes of its force; composites of the body before
//   block   blocks of a cluster with those that it hangs on; the next of them

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
