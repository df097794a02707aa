#pragma once

#include <optional>

#include <Eigen/Core>

// Decompositions of dense matrices and products, for code that runs once for a robot. Each is compiled once
// in dense.cpp, because Eigen's take seconds in every file that includes them. Code that runs in each step of
// a robot uses kernels/constraint/dense.hpp, which has no branches that depend on data and allocates nothing.

namespace grbda::linear {

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

/// The pivots of a QR factorization of A with pivoting: absolute values, largest first.
Eigen::VectorXd pivots(const Eigen::MatrixXd& A);
/// The same, and the columns of A in the order in which they were chosen.
struct PivotedColumns {
    Eigen::VectorXd pivots;
    Eigen::VectorXi order;
};
PivotedColumns pivoted_columns(const Eigen::MatrixXd& A);
/// Orthonormal basis of the x with Aᵀ x = 0, for a matrix A of full column rank.
Eigen::MatrixXd left_null_space(const Eigen::MatrixXd& A);

/// Eigenvalues of a symmetric matrix, smallest first, and its eigenvectors in columns.
struct Eigensystem {
    Eigen::Vector3d values;
    Eigen::Matrix3d vectors;
};
Eigensystem eigensystem(const Eigen::Matrix3d& A);

/// A⁻¹ B by LU, which keeps ratios of gears exact.
Eigen::MatrixXd solve_square(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// The same for redundant rows, by orthogonal factorization.
Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// A⁻¹ b for a symmetric, positive semidefinite A, by pivoted LDLᵀ of its lower triangle.
Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);
/// Returns the step x of Levenberg and Marquardt that minimizes |A x + r|² + damping |x|²: by the smaller of
///   x = −Aᵀ (A Aᵀ + damping)⁻¹ r = −(Aᵀ A + damping)⁻¹ Aᵀ r
Eigen::VectorXd damped_step(const Eigen::MatrixXd& A, const Eigen::VectorXd& r, double damping);
/// Returns A B.
Eigen::MatrixXd product(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

}  // namespace grbda::linear
