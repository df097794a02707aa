#pragma once

#include <concepts>

#include "model/workspace.hpp"

// An algorithm consists of passes over the clusters. A pass visits each cluster once, outward from the world
// or inward to it. The kind of the cluster implements the step of the pass: kinds/any_cluster.hpp by the
// pages aba.hpp, rnea.hpp and crba.hpp, the other kinds by specialised code for some steps.

namespace grbda::kernels {

/// Calls f(kind) with the kind of a cluster. kinds/visit.hpp defines it: source files that run a pass include
/// that header.
template <class F>
[[gnu::always_inline]] inline auto visit(const Cluster& c, const F& f);

/// The steps that a kind implements, for one cluster each. `loaded`: wrenches act, or a function reads more
/// of the bodies than the algorithm itself needs.
template <class Kind, class S>
concept ClusterPasses = requires(const Model& model, Workspace<S>& data, const Cluster& c, const S* in,
                                 S* out, const Rotor& rotor, const Force<S>* F,
                                 void (*put)(int, int, const S&)) {
    // ABA, step 1: positions, velocities, accelerations and forces at ÿ = 0 from q and ẏ
    Kind::aba_forward(model, data, c, /*cluster*/ 0, /*q*/ in, /*yd*/ in, /*loaded*/ true);
    // the axial moment of a wrench on a rotor
    Kind::aba_rotor_moment(model, data, c, rotor, /*moment*/ *in);
    // step 2: D, u, W; articulated inertia and force of the parent body. The floating base also computes its
    // ÿ
    Kind::aba_backward(model, data, c, /*cluster*/ 0, /*loaded*/ true, /*ydd*/ out);
    // step 3: ÿ
    Kind::aba_accelerate(model, data, c, /*ydd*/ out);
    // step 2 of u alone, with the factors that aba_backward left
    Kind::aba_solve_backward(model, data, c, /*ydd*/ out);

    // RNEA, step 1: positions, velocities, accelerations and forces from q, ẏ and ÿ
    Kind::rnea_forward(model, data, c, /*cluster*/ 0, /*q*/ in, /*yd*/ in, /*ydd*/ in, /*loaded*/ true);
    Kind::rnea_rotor_moment(model, data, c, rotor, /*moment*/ *in);
    // step 2: τ; force of the parent body
    Kind::rnea_backward(model, data, c, /*loaded*/ true, /*ydd*/ in, /*tau*/ out);

    // CRBA, step 1: positions and rigid inertias
    Kind::crba_forward(model, data, c, /*cluster*/ 0, /*q*/ in);
    // step 2: D, F; composite inertia of the parent body
    Kind::crba_backward(model, data, c);
    // step 3: the block of M with a descendant with wrenches F [m] behind body b: put(row of M, column of F,
    // entry). Returns the body to which the cluster is attached
    { Kind::crba_block(model, data, c, /*b*/ 0, F, /*m*/ 1, put) } -> std::same_as<int>;
};

/// A scalar that records operations has a function enter(cluster), which is called when a cluster begins, and
/// with `world` when none is visited.
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
/// A pass from the leaves inward.
template <class S, class Pass>
[[gnu::always_inline]] inline void inward(const Model& model, const Pass& pass) {
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c) {
        enter_cluster<S>(c->index);
        visit(*c, [&](auto kind) { pass(kind, *c, c->index); });
    }
    enter_cluster<S>(world);
}

}  // namespace grbda::kernels
