#pragma once

#include <Eigen/Core>

// Decompositions and products for compilation, each instantiated once because they are slow to build.

namespace grbda::compile {

/// Rank by pivoted QR of Kᵀ: its pivots decrease like the singular values of K, whose natural size is 1.
int numerical_rank(const Eigen::MatrixXd& K);
/// The same, where pivots at or below `zero_pivot` count as zero.
int numerical_rank(const Eigen::MatrixXd& K, double zero_pivot);
/// The last of the first `rank` pivots; 1 for rank 0.
double smallest_pivot(const Eigen::MatrixXd& K, int rank);
/// Orthonormal basis of the row space of K, dofs × rank: the motions that K does not allow.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& K, int rank);
/// Orthonormal basis of the motions that K allows, dofs × (dofs − rank); dense, so for small clusters.
Eigen::MatrixXd motions(const Eigen::MatrixXd& K, int rank);
/// The same, where pivots at or below the absolute value `zero_pivot` do not count.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, double zero_pivot);

/// A⁻¹ B by LU, which keeps ratios of gears exact.
Eigen::MatrixXd solve_square(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// The same for redundant rows, by orthogonal factorization.
Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// A⁻¹ b for a symmetric positive definite A.
Eigen::VectorXd solve_definite(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
/// Returns the step x of Levenberg and Marquardt that minimizes |A x + r|² + damping |x|²: by the smaller of
///   x = −Aᵀ (A Aᵀ + damping)⁻¹ r = −(Aᵀ A + damping)⁻¹ Aᵀ r
Eigen::VectorXd damped_step(const Eigen::MatrixXd& A, const Eigen::VectorXd& r, double damping);
/// Returns A B.
Eigen::MatrixXd product(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace grbda::compile
