#pragma once

#include <memory>

#include <Eigen/Core>

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"
#include "grbda/status.hpp"

// Forward and inverse dynamics by dense matrices of the spanning tree. They are references for tests and
// benchmarks: they read the same Model and use none of the engine's recursions. baselines.hpp has more
// methods.

namespace grbda::baselines {

/// Workspace of the baselines, sized from the model, for the methods of baselines.hpp in their first call.
/// After that, range_space and dense_kkt allocate only what Eigen's decompositions need.
class GRBDA_EXPORT Workspace {
public:
    explicit Workspace(const Model& model);
    ~Workspace();
    Workspace(Workspace&&) noexcept;
    Workspace& operator=(Workspace&&) noexcept;

    // results in the user's order
    Eigen::VectorXd ydd, qdd, qd;
    Eigen::VectorXd tau, bias;  ///< inverse_dynamics; NaN after forward_dynamics
    // for the last state, except range_space and constrained_aba, which do not use them and leave them as
    // they are
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

/// Computes ÿ and q̈ from τ by [H Kᵀ; K 0] and LU; an orthonormal basis replaces redundant rows of K.
/// in      as forward_dynamics() with Method::dense_kkt
/// errors  likewise
GRBDA_EXPORT Result dense_kkt(const Model& model, Workspace& work, Vector q, Vector yd, Vector tau,
                              Wrenches wrenches);

/// Computes τ = Gᵀ (H (G ÿ + g) + C), and M and bias. The embedding is computed as in Method::projection.
GRBDA_EXPORT Result inverse_dynamics(const Model& model, Workspace& work, Vector q, Vector yd, Vector ydd,
                                     Wrenches wrenches);

}  // namespace grbda::baselines
