#pragma once

#include "aba.hpp"
#include "kinds/visit.hpp"

// M⁻¹ f from the factors that C-ABA leaves: M = (1 + …)ᵀ D (1 + …) by clusters, so that f goes inward as
// forces of what is not accelerated yet, and comes outward as accelerations. The second half of ABA alone.

namespace grbda::kernels {

/// x = M⁻¹ f, both [nv] in the user's order; x may be f. After aba() at the same q.
template <class S>
void inverse_mass_times(const Model& model, Workspace<S>& data, const S* f, S* x) {
    for (int y = 0; y < model.nv; ++y) data.u[y] = f[model.y_index[y]];
    for (Force<S>& force : data.pA) force = Force<S>{};
    for (auto c = model.clusters.rbegin(); c != model.clusters.rend(); ++c)
        visit(*c, [&](auto kind) { kind.aba_solve_backward(model, data, *c, x); });
    accelerate_clusters(model, data, x);
}

}  // namespace grbda::kernels
