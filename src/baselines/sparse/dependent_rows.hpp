#pragma once

#include <vector>

#include "sparse_rows.hpp"

// Dependent velocities of a cluster from its independent ones, K_d q̇_d = −K_i ẏ, by elimination with
// complete pivoting and one right side: no G. Rows with pivots are independent, the others follow.

namespace grbda::baselines {

class DependentRows {
public:
    DependentRows(const Model& model, const Branches& branches, const Cluster& cluster);

    bool constant = false;            ///< linear couplings only: factored once
    bool regular = true;              ///< false if rcond(K_d) is below 1e-10, by the ratio of its pivots
    std::vector<int> chosen;          ///< rows of K, as many as dependents; after factor()
    std::vector<int> independent, y;  ///< places in Branches, and in y

    void factor(const RowMatrix& K);
    /// Sets the dependents of qd, which are zero, from the products of K's rows with qd.
    void solve(const Eigen::VectorXd& products, Eigen::VectorXd& qd);

private:
    void eliminate(int step);

    int first_row_ = 0;
    std::vector<int> dependent_;  ///< places
    std::vector<int> rows_;       ///< of K, in the order of the pivots
    std::vector<int> columns_;    ///< of LU_, in the order of the pivots: indices of dependent_
    Eigen::VectorXd row_scale_, column_scale_, right_;
    RowMatrix LU_;  ///< of scaled K_d, rows and columns in the order of the pivots
};

}  // namespace grbda::baselines
