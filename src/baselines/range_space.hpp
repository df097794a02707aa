#pragma once

#include <vector>

#include "dependent_rows.hpp"
#include "sparse_rows.hpp"
#include "world_tree.hpp"

// Workspace of Method::range_space, which evaluates the state itself: zeros due to the branches of
// the tree are neither stored nor computed, and there is no G. All arrays are by places of Branches.

namespace grbda::baselines {

struct RangeSpace {
    explicit RangeSpace(const Model& model);

    Branches branches;
    WorldTree tree;
    BranchFactor H;
    std::vector<Interval> all;  ///< places
    Eigen::VectorXd force;      ///< τ − C
    Eigen::VectorXd x;          ///< L⁻ᵀ (τ − C), then q̈

    std::vector<Tie> ties;
    std::vector<int> tie_of_row;
    std::vector<std::vector<Interval>> meeting;  ///< ties × ties: places in both supports
    std::vector<EndState> ends;
    std::vector<DependentRows> dependents;  ///< per cluster
    RowMatrix K, Y, DY;                     ///< Y Lᵀ = K, and Y D⁻¹; a row for each row of K
    Eigen::VectorXd k, products;

    int rank = 0;             ///< of K if every K_d has full rank
    std::vector<int> chosen;  ///< rows of K: independent ones
    std::vector<int> begin;   ///< first column of each row of A, and of its factor, that may be nonzero
    RowMatrix A;              ///< K H⁻¹ Kᵀ
    Eigen::VectorXd multipliers;
};

}  // namespace grbda::baselines
