#pragma once

#include <vector>

#include "dependent_rows.hpp"
#include "sparse_rows.hpp"
#include "world_tree.hpp"

// State of the spanning tree and of its rows, for the methods that use zeros due to the branches of the tree:
// they read no dense H and no G. All arrays are by places of Branches.

namespace grbda::baselines {

struct SparseState {
    explicit SparseState(const Model& model);

    Branches branches;
    WorldTree tree;
    std::vector<Tie> ties;
    std::vector<int> tie_of_row;
    std::vector<EndState> ends;
    std::vector<DependentRows> dependents;  ///< per cluster
    RowMatrix K;                            ///< a row for each row of K
    std::vector<Spatial> wrenches;          ///< of each row of a loop: on its Q, and against it on its P
    Eigen::VectorXd k, products;
    int rank = 0;              ///< of K if every K_d has full rank
    std::vector<int> chosen;   ///< rows of K: independent ones
    Eigen::VectorXd tau, qdd;  ///< by places

    const Tie& tie_of(int row) const {
        return ties[static_cast<std::size_t>(tie_of_row[static_cast<std::size_t>(row)])];
    }
};

/// Evaluates tree, K, k and q̇ at q and ẏ, and spreads τ.
Result evaluate(const Model& model, const Eigen::VectorXd& q, Vector yd, Vector tau, Wrenches wrenches,
                SparseState& state);

/// Largest violation of K q̈ = k, as constraint_residual(). `free_acceleration`: size of the accelerations
/// without constraints.
double constraint_residual(const SparseState& state, double free_acceleration);

/// q̇, q̈ and ÿ in the user's order.
void deliver(const SparseState& state, Workspace& work);

}  // namespace grbda::baselines
