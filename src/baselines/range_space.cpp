#include "workspace.hpp"

// H q̈ = τ − C + Kᵀλ with H = LᵀL, so that with Y = L⁻ᵀKᵀ and z = L⁻ᵀ(τ − C)
//   (YᵀY) λ = k − Yᵀz,   q̈ = L⁻¹ (z + Y λ)          (Featherstone 2008, ch. 8)

namespace grbda::baselines {
namespace {

constexpr double kSmallestRowPivot = 1e-14;  // of K H⁻¹ Kᵀ, relative to its diagonal: rounding

bool positive(const Eigen::LLT<Eigen::MatrixXd>& factor, const Eigen::MatrixXd& A) {
    if (factor.info() != Eigen::Success) return false;
    for (Eigen::Index i = 0; i < A.rows(); ++i) {
        const double pivot = factor.matrixLLT()(i, i);
        if (!(pivot * pivot > kSmallestRowPivot * A(i, i))) return false;
    }
    return true;
}

}  // namespace

Result solve_range_space(Workspace& work) {
    Workspace::Internal& in = *work.internal;
    if (!in.sparse.compute(work.H)) return {Status::undefined, -1, 0, 0};
    work.qdd = in.force;
    in.sparse.solve_transposed(work.qdd);
    if (in.rank > 0) {
        reduce_rows(work);
        in.KL = in.K.transpose();
        for (Eigen::Index r = 0; r < in.rank; ++r) in.sparse.solve_transposed(in.KL.col(r));
        in.A.noalias() = in.KL.transpose() * in.KL;
        in.range_factor.compute(in.A);
        if (!positive(in.range_factor, in.A)) return {Status::undefined, -1, 0, 0};
        in.multipliers.head(in.rank) = in.k - in.KL.transpose() * work.qdd;
        in.range_factor.solveInPlace(in.multipliers.head(in.rank));
        work.qdd.noalias() += in.KL * in.multipliers.head(in.rank);
    }
    in.sparse.solve(work.qdd);
    Result result;
    if (in.rank > 0) result.residual = constraint_residual(in.K, in.k, work.qdd, free_acceleration(work));
    if (!(result.residual <= kConsistentResidual)) result.status = Status::undefined;
    return result;
}

}  // namespace grbda::baselines
