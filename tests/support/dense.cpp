#include "support/dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace dense {
namespace {

using Decomposition = Eigen::CompleteOrthogonalDecomposition<MatrixXd>;

Decomposition decompose(const MatrixXd& A, std::optional<double> threshold) {
    Decomposition result(A.rows(), A.cols());
    if (threshold) result.setThreshold(*threshold);
    result.compute(A);
    return result;
}

}  // namespace

VectorXd least_norm(const MatrixXd& A, const VectorXd& b, std::optional<double> threshold) {
    return decompose(A, threshold).solve(b);
}

MatrixXd pseudo_inverse(const MatrixXd& A) { return decompose(A, {}).pseudoInverse(); }

Eigen::Index rank(const MatrixXd& A, double threshold) { return decompose(A, threshold).rank(); }

MatrixXd null_space(const MatrixXd& A, double threshold) {
    if (A.rows() == 0) return MatrixXd::Identity(A.cols(), A.cols());
    Eigen::ColPivHouseholderQR<MatrixXd> factor(A.cols(), A.rows());
    factor.setThreshold(threshold);
    factor.compute(A.transpose());
    const MatrixXd Q = factor.householderQ();
    return Q.rightCols(A.cols() - factor.rank());
}

MatrixXd orthogonal_factor(const MatrixXd& A) { return Eigen::HouseholderQR<MatrixXd>(A).householderQ(); }

VectorXd singular_values(const MatrixXd& A) { return Eigen::JacobiSVD<MatrixXd>(A).singularValues(); }

MatrixXd solve_symmetric(const MatrixXd& M, const MatrixXd& B) { return M.ldlt().solve(B); }

VectorXd pivots(const MatrixXd& M) { return M.ldlt().vectorD(); }

bool is_positive_definite(const MatrixXd& M) { return M.llt().info() == Eigen::Success; }

}  // namespace dense
