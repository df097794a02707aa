#include <algorithm>
#include <cmath>
#include <limits>

#include "workspace.hpp"

// [H Kᵀ; K 0] [q̈; −λ] = [τ − C; k]. If every K_d has full rank, the rank of
// K is the number of dependents: further rows are redundant, and the complete
// orthogonal decomposition K = [Rᵀ 0] Qᵀ (rows permuted) replaces them.

namespace grbda::baselines {
namespace {

constexpr double kSuspiciousPivot = 1e-10;  // far above rounding: only triggers a closer check

}  // namespace

void reduce_rows(Workspace& work) {
    Workspace::Internal& in = *work.internal;
    if (work.K.rows() == in.rank) {
        in.K = work.K;
        in.k = work.k;
        return;
    }
    in.columns = work.K.transpose();
    in.row_factor.compute(in.columns);
    in.basis.setIdentity(work.K.cols(), in.rank);
    in.basis.applyOnTheLeft(in.row_factor.householderQ());
    in.K = in.basis.transpose();
    const auto& order = in.row_factor.colsPermutation().indices();
    for (int r = 0; r < in.rank; ++r) in.k[r] = work.k[order[r]];
    in.row_factor.matrixQR()
        .topLeftCorner(in.rank, in.rank)
        .triangularView<Eigen::Upper>()
        .transpose()
        .solveInPlace(in.k);
}

void assemble(const Eigen::MatrixXd& H, const Eigen::MatrixXd& K, double mu, SaddlePoint& system) {
    const Eigen::Index columns = H.rows(), rows = K.rows();
    if (columns == 0) return;
    constexpr double kMasslessFloor = 1e-10;  // keeps the scale of joints that move no mass finite
    const double largest = H.diagonal().maxCoeff();
    const double floor = largest > 0 ? kMasslessFloor * largest : 1.0;
    system.column_scale = H.diagonal().cwiseMax(floor).cwiseSqrt().cwiseInverse();
    system.matrix.topLeftCorner(columns, columns).noalias() =
        system.column_scale.asDiagonal() * H * system.column_scale.asDiagonal();
    for (Eigen::Index r = 0; r < rows; ++r) {
        const double size = K.row(r).transpose().cwiseProduct(system.column_scale).norm();
        system.row_scale[r] = size > 0 ? 1 / size : 1.0;
    }
    system.matrix.bottomLeftCorner(rows, columns).noalias() =
        system.row_scale.asDiagonal() * K * system.column_scale.asDiagonal();
    system.matrix.topRightCorner(columns, rows) = system.matrix.bottomLeftCorner(rows, columns).transpose();
    system.matrix.bottomRightCorner(rows, rows).setZero();
    system.matrix.bottomRightCorner(rows, rows).diagonal().setConstant(-mu);
    system.factor.compute(system.matrix);
}

bool has_small_pivot(const SaddlePoint& system) {
    if (system.matrix.rows() == 0) return false;
    const auto pivots = system.factor.matrixLU().diagonal().cwiseAbs();
    return !(pivots.minCoeff() > kSuspiciousPivot * pivots.maxCoeff());
}

double constraint_residual(const Eigen::MatrixXd& K, const Eigen::VectorXd& k, const Eigen::VectorXd& qdd,
                           double free_acceleration) {
    double violation = 0, size = 0;
    for (Eigen::Index r = 0; r < K.rows(); ++r) {
        const double error = std::abs(K.row(r).dot(qdd) - k[r]);
        if (!std::isfinite(error)) return std::numeric_limits<double>::infinity();
        violation = std::max(violation, error);
        const double weight = K.row(r).cwiseAbs().sum() * free_acceleration;
        size = std::max(size, K.row(r).cwiseAbs().dot(qdd.cwiseAbs()) + std::abs(k[r]) + weight);
    }
    return size > 0 ? violation / size : 0;
}

double free_acceleration(const Workspace& work) {
    double largest = 0;
    for (Eigen::Index i = 0; i < work.H.rows(); ++i)
        if (work.H(i, i) > 0) largest = std::max(largest, std::abs(work.internal->force[i]) / work.H(i, i));
    return largest;
}

Result solve_dense_kkt(const Model& model, Workspace& work) {
    Workspace::Internal& in = *work.internal;
    SaddlePoint& kkt = in.kkt;
    const Eigen::Index columns = work.H.rows();
    if (columns == 0) return {};
    reduce_rows(work);
    assemble(work.H, in.K, 0, kkt);
    if (has_small_pivot(kkt)) {
        const Result projected = project(model, work);
        if (!projected) return projected;
    }
    kkt.right.head(columns) = kkt.column_scale.cwiseProduct(in.force);
    kkt.right.tail(in.rank) = kkt.row_scale.cwiseProduct(in.k);
    kkt.solution = kkt.factor.solve(kkt.right);
    work.qdd = kkt.column_scale.cwiseProduct(kkt.solution.head(columns));
    Result result;
    result.residual = constraint_residual(in.K, in.k, work.qdd, free_acceleration(work));
    if (!(result.residual <= kConsistentResidual)) result.status = Status::undefined;
    return result;
}

}  // namespace grbda::baselines
