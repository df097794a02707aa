#pragma once

#include <Eigen/Dense>

namespace mpc {

/// Minimises ½ xᵀ H x + gᵀ x within lower ≤ x ≤ upper by projected Newton steps, H positive definite.
/// out     x; gain = −H⁻¹ R for the entries of x within the limits, zero in the rows of the others
/// source  Bertsekas 1982; Tassa, Mansard & Todorov 2014
bool minimise_in_box(const Eigen::MatrixXd& H, const Eigen::VectorXd& g, const Eigen::VectorXd& lower,
                     const Eigen::VectorXd& upper, const Eigen::MatrixXd& R, Eigen::VectorXd& x,
                     Eigen::MatrixXd& gain);

}  // namespace mpc
