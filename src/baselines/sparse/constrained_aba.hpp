#pragma once

#include <vector>

#include "sparse_state.hpp"

// Workspace of Method::constrained_aba. Rows of K travel inward with the articulated inertias, from the
// bodies and joints on which they act to the body where all of them meet; there their multipliers are
// eliminated.

namespace grbda::baselines {

/// A body, or the world, with the function of its acceleration a and of the multipliers λ of its rows
///   ½ aᵀ A a + pᵀ a + λᵀ (R a + l) − ½ λᵀ L λ
/// a and λ of equilibrium are those where it is stationary. Rows that go on inward come first, then those
/// that end here.
struct ConstrainedBody {
    // fixed
    std::vector<int> through, ending;  ///< rows of K that go on inward, that end here
    // of one state
    std::vector<int> rows;    ///< the independent ones among both
    Eigen::Index inward = 0;  ///< so many go on
    Matrix6 A;
    Vector6 p, a;
    Eigen::Matrix<double, 6, Eigen::Dynamic> R;  ///< a column for each row
    Eigen::MatrixXd L;                           ///< rows × rows
    Eigen::VectorXd l, multipliers;
    RowMatrix eliminated;  ///< of rows that end here: L₁₁⁻¹ [R₁ l₁ L₁₀]
    // of its joint, in the first n columns and rows
    Matrix6 S, U;                                ///< U = A S
    Matrix6 D;                                   ///< (Sᵀ A S)⁻¹
    Vector6 u;                                   ///< τ − Sᵀ p
    Eigen::Matrix<double, 6, Eigen::Dynamic> Y;  ///< Sᵀ R and entries of couplings, a column for each row
};

struct ConstrainedAba {
    ConstrainedAba(const Model& model, const SparseState& state);

    std::vector<ConstrainedBody> bodies;  ///< the last is the world
    std::vector<int> place;               ///< bodies × rows of K: place in `rows`, −1: none
    std::vector<int> chosen;              ///< rows of K for which `rows` and `place` were made
};

/// Computes q̈ of an evaluated state.
Result solve_constrained_aba(const Model& model, SparseState& state, ConstrainedAba& in);

}  // namespace grbda::baselines
