#include "dense.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace grbda::linear {
namespace {

using QR = Eigen::ColPivHouseholderQR<Eigen::MatrixXd>;

/// Factors Kᵀ with pivoting.
QR pivoted(const Eigen::MatrixXd& K) {
    const Eigen::MatrixXd transposed = K.transpose();
    return QR(transposed);
}

/// Returns columns of Q.
Eigen::MatrixXd columns(const QR& qr, Eigen::Index first, Eigen::Index count) {
    Eigen::MatrixXd Q = Eigen::MatrixXd::Zero(qr.rows(), count);
    for (Eigen::Index j = 0; j < count; ++j) Q(first + j, j) = 1;
    Q.applyOnTheLeft(qr.householderQ());
    return Q;
}

}  // namespace

int numerical_rank(const Eigen::MatrixXd& K) { return numerical_rank(K, 1e-7); }

int numerical_rank(const Eigen::MatrixXd& K, double zero_pivot) {
    if (K.size() == 0) return 0;
    const Eigen::VectorXd pivots = pivoted(K).matrixQR().diagonal().cwiseAbs();
    return static_cast<int>((pivots.array() > zero_pivot * std::max(1., pivots[0])).count());
}

double smallest_pivot(const Eigen::MatrixXd& K, int rank) {
    if (rank == 0) return 1;
    return std::abs(pivoted(K).matrixQR()(rank - 1, rank - 1));
}

Eigen::MatrixXd row_space(const Eigen::MatrixXd& K, int rank) {
    return rank == 0 ? Eigen::MatrixXd(K.cols(), 0) : columns(pivoted(K), 0, rank);
}

Eigen::MatrixXd motions(const Eigen::MatrixXd& K, int rank) {
    const Eigen::Index dofs = K.cols();
    if (rank == 0) return Eigen::MatrixXd::Identity(dofs, dofs);
    return columns(pivoted(K), rank, dofs - rank);
}

Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, double zero_pivot) {
    if (A.size() == 0) return Eigen::MatrixXd::Identity(A.cols(), A.cols());
    const Eigen::VectorXd pivots = pivoted(A).matrixQR().diagonal().cwiseAbs();
    return motions(A, static_cast<int>((pivots.array() > zero_pivot).count()));
}

Eigen::VectorXd pivots(const Eigen::MatrixXd& A) { return pivoted_columns(A).pivots; }

PivotedColumns pivoted_columns(const Eigen::MatrixXd& A) {
    const QR qr(A);
    return {qr.matrixQR().diagonal().cwiseAbs(), qr.colsPermutation().indices()};
}

Eigen::MatrixXd left_null_space(const Eigen::MatrixXd& A) {
    Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(A.rows(), A.rows());
    if (A.size() > 0) Q.applyOnTheLeft(Eigen::HouseholderQR<Eigen::MatrixXd>(A).householderQ());
    return Q.rightCols(A.rows() - A.cols());
}

Eigensystem eigensystem(const Eigen::Matrix3d& A) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(A);
    return {solver.eigenvalues(), solver.eigenvectors()};
}

Eigen::MatrixXd solve_square(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    return A.partialPivLu().solve(B);
}

Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    return QR(A).solve(B);
}

Eigen::VectorXd solve_symmetric(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    return A.ldlt().solve(b);
}

Eigen::VectorXd damped_step(const Eigen::MatrixXd& A, const Eigen::VectorXd& r, double damping) {
    const bool wide = A.rows() <= A.cols();
    Eigen::MatrixXd squares;
    if (wide)
        squares = A * A.transpose();
    else
        squares = A.transpose() * A;
    squares.diagonal().array() += damping;
    if (wide) return -(A.transpose() * solve_symmetric(squares, r));
    return -solve_symmetric(squares, A.transpose() * r);
}

Eigen::MatrixXd product(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) { return A * B; }

}  // namespace grbda::linear
