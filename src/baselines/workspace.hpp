#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

#include "embedding.hpp"
#include "grbda/baselines/dense.hpp"
#include "spanning_tree.hpp"

// Data shared by the methods: the evaluated spanning tree, its
// constraints and the matrices of the solution. Each method except
// range_space and constrained_aba reads H, C, K, k, G, g and `force` and computes q̈.

namespace grbda::baselines {

/// Tolerance on K q̈ = k of a valid result; LU is backward stable: above it the system is singular.
inline constexpr double kConsistentResidual = 1e-9;

/// Relative to the diagonal of a mass matrix: limit for rounding on long branches.
inline constexpr double kSmallestPivot = 1e-13;

/// [H Kᵀ; K −μ 1] scaled to a unit diagonal of H and unit rows of K, so that pivots can be compared.
struct SaddlePoint {
    Eigen::VectorXd column_scale, row_scale, right, solution;
    Eigen::MatrixXd matrix;
    Eigen::PartialPivLU<Eigen::MatrixXd> factor;
};

struct SparseMethods;

struct Workspace::Internal {
    explicit Internal(const Model& model);

    std::size_t layout;  ///< of the model that it belongs to
    SpanningTree tree;
    std::vector<ClusterEmbedding> embeddings;
    int rank = 0;  ///< of K if every K_d has full rank
    Eigen::VectorXd q;
    Eigen::VectorXd force;  ///< τ on the independent joints minus C
    Eigen::VectorXd multipliers;

    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> row_factor;  ///< of Kᵀ
    Eigen::MatrixXd K;                                       ///< rank × nv_tree: rows without redundancy
    Eigen::MatrixXd columns, basis;  ///< Kᵀ, and an orthonormal basis of its columns
    Eigen::VectorXd k;

    SaddlePoint kkt;                        ///< dense_kkt
    SaddlePoint regularized;                ///< proximal
    std::shared_ptr<SparseMethods> sparse;  ///< empty until the first call of one of them
    Eigen::MatrixXd HG;
    Eigen::LLT<Eigen::MatrixXd> projected_factor;
};

/// Begins a call: checks sizes, clears the results, and stores q if all numbers are valid. `force`: τ or ÿ,
/// which is only checked.
Result take(const Model& model, Workspace& work, Vector q, Vector yd, const char* force_name, Vector force,
            Wrenches wrenches);
/// Computes H, C, K, k, G, g and q̇ of the state.
Result evaluate(const Model& model, Workspace& work, Vector yd, Wrenches wrenches);
/// Computes Internal::force of an evaluated state.
void set_force(Workspace& work, Vector tau);
/// Computes ÿ from q̈.
void gather(Workspace& work);
/// Ends a call of forward dynamics: clears the results of one that failed.
Result finish(Result result, Workspace& work);
void clear_state(Workspace& work);

/// K and k of full row rank: the rows unchanged or, if some are redundant, an orthonormal basis of them.
void reduce_rows(Workspace& work);

/// μ = 0: the plain saddle point.
void assemble(const Eigen::MatrixXd& H, const Eigen::MatrixXd& K, double mu, SaddlePoint& system);
/// True if the scaled system has a pivot so small that the projected mass matrix must be checked.
bool has_small_pivot(const SaddlePoint& system);

/// Largest violation of K q̈ = k relative to the largest sum of its terms' sizes.
double constraint_residual(const Eigen::MatrixXd& K, const Eigen::VectorXd& k, const Eigen::VectorXd& qdd,
                           double free_acceleration);

/// Size of the accelerations without constraints: if the constraints keep a structure
/// at rest, the result is only rounding, and this is the scale to measure it by.
double free_acceleration(const Workspace& work);

/// M = Gᵀ H G and its factor; singular_inertia if M is not positive definite.
Result project(const Model& model, Workspace& work);

// q̈ by each method
Result solve_dense_kkt(const Model& model, Workspace& work);
Result solve_projection(const Model& model, Workspace& work);
Result solve_proximal(const Model& model, Workspace& work);

}  // namespace grbda::baselines
