#pragma once

#include <memory>

#include <Eigen/Core>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"
#include "grbda/status.hpp"

// Forward and inverse dynamics of the spanning tree with Lagrange multipliers,
// and related methods: references for tests of the engine and for its
// benchmarks. They read the same Model and share no recursion with the engine.

namespace grbda::baselines {

enum class Method {
    dense_kkt,  ///< [H Kᵀ; K 0] by LU; redundant rows of K replaced by an orthonormal basis
    range_space,  ///< LᵀDL of H by branch-induced sparsity, then K H⁻¹ Kᵀ (Featherstone 2005; 2008, ch. 8)
    projection,  ///< (Gᵀ H G) ÿ = Gᵀ(τ − C − H g), G from K by a dense factorization
    proximal     ///< proximal iterations on the KKT system (Carpentier et al. 2021)
};

GRBDA_EXPORT const char* to_string(Method method);

/// Workspace: sized once from the model; nothing is allocated afterwards by range_space and dense_kkt
/// beyond what Eigen's decompositions need.
class GRBDA_EXPORT Workspace {
public:
    explicit Workspace(const Model& model);
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

    // results in the user's order
    Eigen::VectorXd ydd, qdd, qd;
    Eigen::VectorXd tau, bias;  ///< inverse_dynamics; NaN after forward_dynamics
    // for the last state, except range_space, which does not use them and leaves them unchanged
    Eigen::MatrixXd H;  ///< spanning mass matrix, nv_tree × nv_tree
    Eigen::VectorXd C;  ///< spanning bias force, gravity included
    Eigen::MatrixXd K;  ///< all kept rows × nv_tree
    Eigen::VectorXd k;
    Eigen::MatrixXd G;  ///< nv_tree × nv
    Eigen::VectorXd g;
    Eigen::MatrixXd M;  ///< Gᵀ H G: inverse_dynamics and Method::projection

    struct Internal;
    std::unique_ptr<Internal> internal;
};

using Vector = const Eigen::Ref<const Eigen::VectorXd>&;
using Wrenches = const Eigen::Ref<const Eigen::Matrix<double, 6, Eigen::Dynamic>>&;  ///< 6 × bodies or 6 × 0

/// ÿ (and q̈) from τ. in: q [nq] closing the loops, yd [nv], tau [nv], wrenches [6 × bodies] per body in its
/// own frame at its origin, force first. Redundant rows of K are allowed with every method.
/// errors  std::invalid_argument on a wrong size, or a workspace of another model or resized;
///         Status::not_finite for NaN, infinite or too large numbers, in or out;
///         Status::undefined where the method is not defined (range_space: H singular, as with massless
///         bodies, or rods) or its q̈ misses K q̈ = k; singular_constraint where a K_d has rcond below 1e-10;
///         singular_inertia where M is not positive definite; not_converged (proximal). Outputs are NaN then.
///         Result::residual: of K q̈ = k, relative to its terms; proximal iterates to 1e-12.
GRBDA_EXPORT Result forward_dynamics(Method method, const Model& model, Workspace& work, Vector q, Vector yd,
                                     Vector tau, Wrenches wrenches);

/// τ = Gᵀ (H (G ÿ + g) + C); also leaves M and bias. The embedding is found as in Method::projection.
GRBDA_EXPORT Result inverse_dynamics(const Model& model, Workspace& work, Vector q, Vector yd, Vector ydd,
                                     Wrenches wrenches);

}  // namespace grbda::baselines
