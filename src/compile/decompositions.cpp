#include "decompositions.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>

namespace grbda::compile {
namespace {

Eigen::ColPivHouseholderQR<Eigen::MatrixXd> pivoted(const Eigen::MatrixXd& K) {
    return Eigen::ColPivHouseholderQR<Eigen::MatrixXd>(K.transpose());
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
    Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(K.cols(), rank);
    if (rank > 0) Q.applyOnTheLeft(pivoted(K).householderQ());
    return Q;
}

Eigen::MatrixXd motions(const Eigen::MatrixXd& K, int rank) {
    const Eigen::Index dofs = K.cols();
    if (rank == 0) return Eigen::MatrixXd::Identity(dofs, dofs);
    const Eigen::MatrixXd Q = pivoted(K).householderQ();
    return Q.rightCols(dofs - rank);
}

Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, double zero_pivot) {
    if (A.size() == 0) return Eigen::MatrixXd::Identity(A.cols(), A.cols());
    const Eigen::VectorXd pivots = pivoted(A).matrixQR().diagonal().cwiseAbs();
    return motions(A, static_cast<int>((pivots.array() > zero_pivot).count()));
}

Eigen::MatrixXd solve_square(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    return A.partialPivLu().solve(B);
}

Eigen::MatrixXd solve_least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    return A.colPivHouseholderQr().solve(B);
}

Eigen::VectorXd solve_definite(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    return A.ldlt().solve(b);
}

}  // namespace grbda::compile
