#pragma once

#include "grbda/kernels/kinds/any_cluster.hpp"
#include "grbda/kernels/kinds/floating_base.hpp"
#include "grbda/kernels/kinds/joint_cluster.hpp"
#include "grbda/kernels/kinds/planar_cluster.hpp"
#include "grbda/kernels/kinds/row_cluster.hpp"
#include "grbda/kernels/kinds/tree_cluster.hpp"

// Functions of a cluster that the passes of the algorithms call; each kind has them in a file of its own:
//   drive       ABA: the axial moment of a wrench on a rotor
//   relieve     RNEA: the same
//   sweep       ABA forward: positions, velocities, accelerations and forces at ÿ = 0
//   articulate  ABA backward: D, u, W; articulated inertia and force of the body before
//   accelerate  ABA forward again: ÿ
//   reduce      backward with the factors that articulate left: u alone
//   move        RNEA forward: positions to forces
//   project     RNEA backward: τ
//   place       CRBA forward: positions and rigid inertias
//   composite   CRBA backward: M_cc, F; composite inertia of the body before
//   block       CRBA: its block of M with a cluster of forces F [m] that hangs on its body b, to put(x, j,
//               entry), x in the user's order; the body that it hangs on

namespace grbda::kernels {

template <class F>
[[gnu::always_inline]] inline auto visit(const Cluster& c, const F& f) {
    switch (c.kind) {
        case ClusterKind::joint: return f(SingleJoint{});
        case ClusterKind::joints: return f(SeveralJoints{});
        case ClusterKind::floating_base: return f(FloatingBase{});
        case ClusterKind::planar: return f(PlanarCluster{});
        case ClusterKind::tree: return f(TreeCluster{});
        case ClusterKind::rows: return f(RowCluster{});
        case ClusterKind::general: return f(GeneralCluster{});
        case ClusterKind::direct: break;
    }
    return f(AnyCluster{});
}

}  // namespace grbda::kernels
