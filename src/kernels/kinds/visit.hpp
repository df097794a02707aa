#pragma once

#include <concepts>

#include "any_cluster.hpp"
#include "floating_base.hpp"
#include "joint_cluster.hpp"
#include "planar_cluster.hpp"
#include "row_cluster.hpp"
#include "tree_cluster.hpp"

namespace grbda::kernels {

/// The passes of a kind of cluster: for one cluster, what each pass of an algorithm over all clusters does.
/// Forward passes go from the world outward, backward passes inward. `loaded`: wrenches act, or more is read
/// of the bodies than the algorithm itself takes.
template <class Kind, class S>
concept ClusterPasses = requires(const Model& model, Data<S>& data, const Cluster& c, const S* in, S* out,
                                 const Rotor& rotor, const Force<S>* F, void (*put)(int, int, const S&)) {
    // ABA: positions, velocities, accelerations and forces at ÿ = 0 from q and ẏ
    Kind::aba_forward(model, data, c, /*cluster*/ 0, /*q*/ in, /*yd*/ in, /*loaded*/ true);
    // the axial moment of a wrench on a rotor
    Kind::aba_rotor_moment(model, data, c, rotor, /*moment*/ *in);
    // D, u, W; articulated inertia and force of the parent body. The floating base has its ÿ then
    Kind::aba_backward(model, data, c, /*cluster*/ 0, /*loaded*/ true, /*ydd*/ out);
    // ÿ, outward again
    Kind::aba_accelerate(model, data, c, /*ydd*/ out);
    // u alone, with the factors that aba_backward left
    Kind::aba_solve_backward(model, data, c, /*ydd*/ out);

    // RNEA: positions to forces from q, ẏ and ÿ
    Kind::rnea_forward(model, data, c, /*cluster*/ 0, /*q*/ in, /*yd*/ in, /*ydd*/ in, /*loaded*/ true);
    Kind::rnea_rotor_moment(model, data, c, rotor, /*moment*/ *in);
    // τ; force of the parent body
    Kind::rnea_backward(model, data, c, /*loaded*/ true, /*ydd*/ in, /*tau*/ out);

    // CRBA: positions and rigid inertias
    Kind::crba_forward(model, data, c, /*cluster*/ 0, /*q*/ in);
    // D, F; composite inertia of the parent body
    Kind::crba_backward(model, data, c);
    // the block of M with a descendant whose forces F [m] act on body b: put(row of M, column of F, entry).
    // Returns the body to which the cluster is attached
    { Kind::crba_block(model, data, c, /*b*/ 0, F, /*m*/ 1, put) } -> std::same_as<int>;
};

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

/// A scalar that records operations learns for which cluster the next ones are; world: for none.
template <class S>
concept RecordsOperations = requires {
    S::enter(/*cluster*/ 0);
};
template <class S>
[[gnu::always_inline]] inline void enter_cluster(int cluster) {
    if constexpr (RecordsOperations<S>) S::enter(cluster);
}

/// A pass from the world outward: pass(kind, cluster, its index).
template <class S, class Pass>
[[gnu::always_inline]] inline void outward(const Model& model, const Pass& pass) {
    for (int k = 0; k < model.cluster_count(); ++k) {
        enter_cluster<S>(k);
        const Cluster& c = model.clusters[k];
        visit(c, [&](auto kind) { pass(kind, c, k); });
    }
    enter_cluster<S>(world);
}
/// The same inward.
template <class S, class Pass>
[[gnu::always_inline]] inline void inward(const Model& model, const Pass& pass) {
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        enter_cluster<S>(c->index);
        visit(*c, [&](auto kind) { pass(kind, *c, c->index); });
    }
    enter_cluster<S>(world);
}

static_assert(ClusterPasses<SingleJoint, double> && ClusterPasses<SeveralJoints, double> &&
              ClusterPasses<FloatingBase, double> && ClusterPasses<PlanarCluster, double> &&
              ClusterPasses<TreeCluster, double> && ClusterPasses<RowCluster, double> &&
              ClusterPasses<GeneralCluster, double> && ClusterPasses<AnyCluster, double>);

}  // namespace grbda::kernels
