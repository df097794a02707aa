#pragma once

#include <vector>

#include "branches.hpp"
#include "baselines/loop_rows.hpp"
#include "world_tree.hpp"

// Sparse rows of K: a loop's row has entries only at the joints between its ends, a
// coupling's row at its terms, and products with H⁻¹ end at the roots of these paths.

namespace grbda::baselines {

/// The rows of one loop or coupling.
struct Tie {
    int first = 0, rows = 0;  ///< in K
    int source = 0;           ///< index of the loop or coupling
    bool is_loop = false;
    std::vector<Interval> plus;     ///< joints that move Q, or terms of the coupling
    std::vector<Interval> minus;    ///< joints that move P
    std::vector<Interval> support;  ///< with all joints up to the roots; children first
};

std::vector<Tie> make_ties(const Model& model, const Branches& branches);

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Fills rows of linear couplings in a zero K with a column per place; once.
void fill_constant_rows(const Model& model, const Branches& branches, RowMatrix& K);
/// Fills the others, at the joints of their ties; call it after set_positions. `ends`: P and Q of each tie;
/// `wrenches`: of the rows of loops, on Q.
void fill_rows(const Model& model, const Branches& branches, const std::vector<Tie>& ties,
               const WorldTree& tree, const Eigen::VectorXd& q, std::vector<EndState>& ends,
               std::vector<Spatial>& wrenches, RowMatrix& K);
/// k of all rows except those of linear couplings, after fill_rows and set_motion.
void fill_bias(const Model& model, const Branches& branches, const std::vector<Tie>& ties,
               const WorldTree& tree, const Eigen::VectorXd& q, std::vector<EndState>& ends,
               Eigen::VectorXd& k);

}  // namespace grbda::baselines
