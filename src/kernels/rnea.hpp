#pragma once

#include "kernels/kinds/visit.hpp"
#include "wrenches.hpp"

// C-RNEA: spanning-tree Newton–Euler with q̇ = G ẏ, q̈ = G ÿ + g, then τ = Gᵀ τ_s
// (Featherstone 2008, Table 5.1; URDF+ paper, Sec. IV), by solutions with K_d and its transpose in place of
// G.

namespace grbda::kernels {

/// τ [nv], after turn_joints(); ydd null: ÿ = 0; wrenches null: none.
template <class S>
[[gnu::always_inline]] inline void rnea_passes(const Model& model, Data<S>& data, const S* q, const S* yd,
                                               const S* ydd, const S* wrenches, S* tau) {
    const bool loaded = wrenches != nullptr;
    outward<S>(model, [&](auto kind, const Cluster& c, int k) {
        kind.rnea_forward(model, data, c, k, q, yd, ydd, loaded);
    });
    for (S& u : data.u) u = S{};
    apply_wrenches(model, data, q, wrenches, [&](const Cluster& c, const Rotor& rotor, const S& moment) {
        visit(c, [&](auto kind) { kind.rnea_rotor_moment(model, data, c, rotor, moment); });
    });
    inward<S>(model, [&](auto kind, const Cluster& c, int) {
        kind.rnea_backward(model, data, c, loaded, ydd, tau);
    });
}

template <class S>
void rnea(const Model& model, Data<S>& data, const S* q, const S* yd, const S* ydd, const S* wrenches,
          S* tau) {
    turn_joints(model, data, q);
    rnea_passes(model, data, q, yd, ydd, wrenches, tau);
}

}  // namespace grbda::kernels
