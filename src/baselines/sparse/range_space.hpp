#pragma once

#include "sparse_state.hpp"

// Workspace of Method::range_space: H by its branches, and Λ = K H⁻¹ Kᵀ by the rows that meet.

namespace grbda::baselines {

struct RangeSpace {
    RangeSpace(const Model& model, const SparseState& state);

    BranchFactor H;
    std::vector<Interval> all;                   ///< places
    std::vector<std::vector<Interval>> meeting;  ///< ties × ties: places in both supports
    RowMatrix Y, DY;                             ///< Y Lᵀ = K, and Y D⁻¹; a row for each row of K
    std::vector<int> begin;  ///< first column of each row of A, and of its factor, that may be nonzero
    RowMatrix A;             ///< K H⁻¹ Kᵀ
    Eigen::VectorXd multipliers;
};

/// Computes q̈ of an evaluated state.
Result solve_range_space(const Model& model, SparseState& state, RangeSpace& in);

}  // namespace grbda::baselines
