#pragma once

#include "grbda/baselines/dense.hpp"

// Other methods of forward and inverse dynamics, such as Lagrange multipliers on the spanning tree. They are
// references for tests and benchmarks: they read the same Model and use none of the engine's recursions.

namespace grbda::baselines {

/// Method of forward dynamics.
enum class Method {
    dense_kkt,  ///< [H Kᵀ; K 0] by LU; redundant rows of K replaced by an orthonormal basis
    range_space,  ///< LᵀDL of H by branch-induced sparsity, then K H⁻¹ Kᵀ (Featherstone 2005; 2008, ch. 8)
    constrained_aba,  ///< articulated bodies; multipliers eliminated where a loop's paths meet (after
                      ///< Vereshchagin 1974; Sathya and Carpentier 2024)
    projection,       ///< (Gᵀ H G) ÿ = Gᵀ(τ − C − H g), G from K by a dense factorization
    proximal          ///< proximal iterations on the KKT system (Carpentier et al. 2021)
};

inline constexpr Method all_methods[] = {Method::dense_kkt, Method::range_space, Method::constrained_aba,
                                         Method::projection, Method::proximal};
GRBDA_EXPORT const char* to_string(Method method);
/// False for methods that use the zeros of H due to the branches of the tree: rods fill these, and massless
/// bodies make H singular.
constexpr bool allows_rods(Method method) {
    return method != Method::range_space && method != Method::constrained_aba;
}

/// Computes ÿ and q̈ from τ. Redundant rows of K are allowed with every method.
/// in      q [nq] closing the loops; yd, tau [nv]; wrenches [6 × bodies], force first, of each body in its
///         own frame at its origin
/// errors  std::invalid_argument on a wrong size, or a workspace of another model or resized;
///         Status::not_finite for NaN, infinite or too large numbers, in or out;
///         Status::undefined if the method is not defined (range_space and constrained_aba: H is singular,
///         for example with massless bodies, or the model has rods) or if its q̈ violates K q̈ = k;
///         singular_constraint if a K_d has rcond below 1e-10; singular_inertia if M is not positive
///         definite; not_converged (proximal). Outputs are NaN then. Result::residual is that of K q̈ = k,
///         relative to its terms; proximal iterates to 1e-12
GRBDA_EXPORT Result forward_dynamics(Method method, const Model& model, Workspace& work, Vector q, Vector yd,
                                     Vector tau, Wrenches wrenches);

}  // namespace grbda::baselines
