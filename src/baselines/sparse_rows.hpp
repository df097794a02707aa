#pragma once

#include <vector>

#include "branches.hpp"
#include "loop_rows.hpp"
#include "world_tree.hpp"

// Rows of K by paths: one of a loop has entries at the joints between its ends alone, one of a coupling at
// its terms, and what H⁻¹ makes of it ends at the roots of these paths.

namespace grbda::baselines {

/// The rows of one loop or coupling.
struct Tie {
    int first = 0, rows = 0;  ///< in K
    int source = 0;           ///< index of the loop or coupling
    bool is_loop = false;
    std::vector<Interval> plus;     ///< that move Q, or are terms of the coupling
    std::vector<Interval> minus;    ///< that move P
    std::vector<Interval> support;  ///< with all joints on the way to the roots; children first
};

std::vector<Tie> make_ties(const Model& model, const Branches& branches);

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Rows of K, a column for each place: those of linear couplings, once, in a K of zeros.
void fill_constant_rows(const Model& model, const Branches& branches, RowMatrix& K);
/// The others, at the joints of their ties. After set_positions. `ends`: of each tie, P and Q.
void fill_rows(const Model& model, const Branches& branches, const std::vector<Tie>& ties,
               const WorldTree& tree, const Eigen::VectorXd& q, std::vector<EndState>& ends, RowMatrix& K);
/// k of all rows but those of linear couplings, after fill_rows and set_motion.
void fill_bias(const Model& model, const Branches& branches, const std::vector<Tie>& ties,
               const WorldTree& tree, const Eigen::VectorXd& q, std::vector<EndState>& ends,
               Eigen::VectorXd& k);

}  // namespace grbda::baselines
