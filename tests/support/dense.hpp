#pragma once

#include <optional>

#include <Eigen/Core>

// Decompositions of dense matrices, compiled once: each test that instantiates one takes seconds to compile.
// Thresholds of ranks are relative to the largest pivot; without one, rounding is the threshold.

namespace dense {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Returns the shortest x among those that minimize |A x − b|.
VectorXd least_norm(const MatrixXd& A, const VectorXd& b, std::optional<double> threshold = {});
MatrixXd pseudo_inverse(const MatrixXd& A);
Eigen::Index rank(const MatrixXd& A, double threshold);
/// Returns an orthonormal basis of the solutions of A x = 0 as columns.
MatrixXd null_space(const MatrixXd& A, double threshold);
/// Returns the square orthogonal factor of A = Q R.
MatrixXd orthogonal_factor(const MatrixXd& A);

/// Sorted, largest first.
VectorXd singular_values(const MatrixXd& A);

/// Solves M X = B. M is symmetric and positive definite; its upper triangle is not read.
MatrixXd solve_symmetric(const MatrixXd& M, const MatrixXd& B);
/// Returns the diagonal of D in M = L D Lᵀ.
VectorXd pivots(const MatrixXd& M);
bool is_positive_definite(const MatrixXd& M);

}  // namespace dense
