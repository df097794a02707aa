#pragma once

#include "any_cluster.hpp"
#include "composite.hpp"
#include "floating_base.hpp"
#include "joint_cluster.hpp"
#include "joint_rates.hpp"
#include "planar_cluster.hpp"
#include "row_cluster.hpp"
#include "tree_cluster.hpp"

// The kinds of clusters, and the only switch over them.

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

static_assert(ClusterPasses<SingleJoint, double> && ClusterPasses<SeveralJoints, double> &&
              ClusterPasses<FloatingBase, double> && ClusterPasses<PlanarCluster, double> &&
              ClusterPasses<TreeCluster, double> && ClusterPasses<RowCluster, double> &&
              ClusterPasses<GeneralCluster, double> && ClusterPasses<AnyCluster, double>);

}  // namespace grbda::kernels
