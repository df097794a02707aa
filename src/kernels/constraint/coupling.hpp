#pragma once

#include "model/workspace.hpp"

// Row of one coupling. Linear: φ = Σ c q + offset, K its coefficients, k = 0.
// Polynomial: φ = q_f − p(x), x = q_l − reference; K has 1 at the follower and
// −p'(x) at the leader, and k = p''(x) ẋ².

namespace grbda::kernels {

template <class S>
struct Polynomial {
    S value, slope, curvature;
};

/// Computes p, p' and p'' at x, by Horner's scheme.
template <class S>
Polynomial<S> polynomial(const Model& model, const Coupling& coupling, const S& x) {
    S value(0), slope(0), half_curvature(0);
    for (int i = coupling.polynomial.last; i-- > coupling.polynomial.first;) {
        half_curvature = half_curvature * x + slope;
        slope = slope * x + value;
        value = value * x + S(model.polynomials[i]);
    }
    return {value, slope, half_curvature * S(2)};
}

/// Returns the follower or the leader of a polynomial coupling.
inline const CouplingTerm& follower_of(const Model& model, const Coupling& coupling) {
    return model.coupling_terms[coupling.terms.first];
}
inline const CouplingTerm& leader_of(const Model& model, const Coupling& coupling) {
    return model.coupling_terms[coupling.terms.first + 1];
}

/// Computes φ at q and the row of K, whose first column is the cluster's first velocity. The row must be zero
/// before.
template <class S>
S coupling_row(const Model& model, const Cluster& c, const Coupling& coupling, const S* q, S* K) {
    if (!coupling.linear()) {
        const CouplingTerm& follower = follower_of(model, coupling);
        const CouplingTerm& leader = leader_of(model, coupling);
        const Polynomial<S> p = polynomial(model, coupling, S(q[leader.q] - S(coupling.reference)));
        K[follower.dof - c.dof_begin] = S(1);
        K[leader.dof - c.dof_begin] = -p.slope;
        return q[follower.q] - p.value;
    }
    S phi = S(coupling.offset);
    for (const int t : coupling.terms) {
        const CouplingTerm& term = model.coupling_terms[t];
        K[term.dof - c.dof_begin] = S(term.coefficient);
        phi += q[term.q] * S(term.coefficient);
    }
    return phi;
}

/// Returns k at q and at the velocities in data.rate.
template <class S>
S coupling_bias(const Model& model, const Workspace<S>& data, const Coupling& coupling, const S* q) {
    if (coupling.linear()) return S(0);
    const CouplingTerm& leader = leader_of(model, coupling);
    const S& rate = data.rate[leader.dof];
    return polynomial(model, coupling, S(q[leader.q] - S(coupling.reference))).curvature * rate * rate;
}

}  // namespace grbda::kernels
