#pragma once

#include "spanning_tree.hpp"

// Rows of the loops and couplings, derived from classical kinematics of points
// and axes: K = ∂φ̇/∂q̇, and k such that K q̈ = k.

namespace grbda::baselines {

/// K, all rows, in the user's order of q̇. After set_positions.
void constraint_jacobian(const Model& model, const SpanningTree& tree, const Eigen::VectorXd& q,
                         Eigen::MatrixXd& K);

/// After set_velocities.
void constraint_bias(const Model& model, const SpanningTree& tree, const Eigen::VectorXd& q,
                     const Eigen::VectorXd& qd, Eigen::VectorXd& k);

}  // namespace grbda::baselines
