#pragma once

#include <vector>

#include <Eigen/Core>

#include "grbda/model/model.hpp"

namespace grbda::baselines {

/// Of a mass matrix, relative to its diagonal: its rounding on long branches.
inline constexpr double kSmallestPivot = 1e-13;

/// H = LᵀL without fill-in by branch-induced sparsity: entry (i, j) of H and of L is
/// zero unless j is i or an ancestor of i (Featherstone 2008, sec. 6.5).
class SparseFactor {
public:
    explicit SparseFactor(const Model& model);

    /// False where H is not positive definite.
    bool compute(const Eigen::MatrixXd& H);
    /// x ← L⁻¹ x
    void solve(Eigen::Ref<Eigen::VectorXd> x) const;
    /// x ← L⁻ᵀ x
    void solve_transposed(Eigen::Ref<Eigen::VectorXd> x) const;

private:
    std::vector<int> parent_;  ///< expanded parent array: next velocity towards the root, −1 at the root
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> L_;
};

}  // namespace grbda::baselines
