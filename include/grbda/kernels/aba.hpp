#pragma once

#include "grbda/export.hpp"
#include "grbda/kernels/kinds/visit.hpp"
#include "grbda/kernels/wrenches.hpp"

// C-ABA (Chignoli et al. 2023, Sec. IV; Featherstone 2008, Table 7.1), with two
// savings. The articulated inertia of a cluster is block diagonal by body, since
// each child cluster hangs on one body, so 6n × 6n matrices are never formed.
// And the recursion solves only for what ÿ adds: the forward sweep computes the
// forces p at ÿ = 0 with rigid inertias, as RNEA does, so biases need no
// articulated inertia.

namespace grbda::kernels {

/// Forward over all clusters: ÿ from D and u.
template <class S>
void accelerate_clusters(const Model& model, Data<S>& data, S* ydd) {
    for (const Cluster& c : model.clusters)
        visit(c, [&](auto kind) { kind.accelerate(model, data, c, ydd); });
}

/// ÿ [nv]; wrenches null: none. `whole`: what follows reads more of the bodies than ÿ takes.
template <class S>
GRBDA_EXPORT void aba(const Model& model, Data<S>& data, const S* q, const S* yd, const S* tau,
                      const S* wrenches, S* ydd, bool whole = false) {
    turn_joints(model, data, q);
    const bool loaded = whole || wrenches != nullptr;
    for (int k = 0; k < model.cluster_count(); ++k) {
        const Cluster& c = model.clusters[k];
        visit(c, [&](auto kind) { kind.sweep(model, data, c, k, q, yd, loaded); });
    }
    for (int y = 0; y < model.nv; ++y) data.u[y] = tau[model.y_index[y]];
    apply_wrenches(model, data, q, wrenches, [&](const Cluster& c, const Rotor& rotor, const S& moment) {
        visit(c, [&](auto kind) { kind.drive(model, data, c, rotor, moment); });
    });
    for (int k = model.cluster_count() - 1; k >= 0; --k) {
        const Cluster& c = model.clusters[k];
        visit(c, [&](auto kind) { kind.articulate(model, data, c, k, loaded, ydd); });
    }
    accelerate_clusters(model, data, ydd);
}

// Compiled once for all, in src/kernels/.
extern template void aba(const Model&, Data<double>&, const double*, const double*, const double*,
                         const double*, double*, bool);
extern template void aba(const Model&, Data<float>&, const float*, const float*, const float*, const float*,
                         float*, bool);

}  // namespace grbda::kernels
