#pragma once

#include <vector>

#include "laws/dual.hpp"
#include "support/robots.hpp"

// Derivatives of inverse and forward dynamics by dual numbers through the kernels that compute these: no
// formula of theirs is used. Motions of q keep to the loops to first order, δq = G δy.

namespace derivative_reference {

using Number = dual::Dual<double>;
using Numbers = std::vector<Number>;

/// q with the rate q̇ [nv_tree] of its joints.
Numbers moving(const grbda::Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& qd);

/// Numbers that do not change, and those that change at given rates.
Numbers still(const Eigen::VectorXd& x);
Numbers changing(const Eigen::VectorXd& x, const Eigen::VectorXd& rates);
Eigen::VectorXd values(const Numbers& x);
Eigen::VectorXd slopes(const Numbers& x);

/// τ with its derivatives with respect to y, ẏ and ÿ; or ÿ with those with respect to y, ẏ and τ.
struct Derivatives {
    Eigen::VectorXd value;
    Eigen::MatrixXd y, yd, given;
};

/// G [nv_tree × nv] in these coordinates. All of these throw where K_d is singular at q.
Eigen::MatrixXd tangents(const grbda::Model& model, const grbda::Chart& chart, const Eigen::VectorXd& q);

/// wrenches [6 × 0]: none.
Derivatives of_inverse(const grbda::Model& model, const grbda::Chart& chart, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& yd, const Eigen::VectorXd& ydd,
                       const grbda::Matrix6X<double>& wrenches);
Derivatives of_forward(const grbda::Model& model, const grbda::Chart& chart, const Eigen::VectorXd& q,
                       const Eigen::VectorXd& yd, const Eigen::VectorXd& tau,
                       const grbda::Matrix6X<double>& wrenches);

/// ∂²τ/∂y_k∂ẏ along directions dy and dyd, by dual numbers of dual numbers.
Eigen::VectorXd mixed_second_of_inverse(const grbda::Model& model, const test_robots::State& state,
                                        const Eigen::VectorXd& dy, const Eigen::VectorXd& dyd);

/// All robots and random mechanisms, some of them with redundant rows and with rotors that are bodies.
const std::vector<const test_robots::Robot*>& robots();

/// Largest entry of the difference over 1 + the largest one expected; infinite where one is not a number.
double error(const Eigen::MatrixXd& found, const Eigen::MatrixXd& expected);

/// The same of accelerations as forces, M ÿ, each divided by the root of its own entry of M: without the
/// condition of M, and the spin of a thin rod about itself counts as much as a leg.
double error_as_forces(const Eigen::MatrixXd& M, const Eigen::MatrixXd& found,
                       const Eigen::MatrixXd& expected);

}  // namespace derivative_reference
