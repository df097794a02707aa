#pragma once

#include <algorithm>

#include "kinematics/configuration.hpp"
#include "support/motion.hpp"
#include "support/robots.hpp"

// Derivatives along closed configurations by differences.

namespace differences {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using grbda::Model;
using grbda::Workspace;

/// Result of integrate() in `out`; false if it fails.
bool moved(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& delta,
           VectorXd& out);
VectorXd moved(const Model& model, Workspace<double>& data, const VectorXd& q, const VectorXd& delta);
VectorXd between(const Model& model, Workspace<double>& data, const VectorXd& q0, const VectorXd& q1);

/// Columns of what unit vectors [n] do to a function that is zero, or known, at zero.
template <class Function>
MatrixXd columns(int n, Eigen::Index rows, Function&& function, double h = motion::kStep) {
    MatrixXd result(rows, n);
    for (int j = 0; j < n; ++j)
        result.col(j) =
            motion::derivative([&](double t) -> VectorXd { return function(t * VectorXd::Unit(n, j)); }, h);
    return result;
}

/// Half of what changes in function(state) from one unit step back to one ahead, for each entry of a part of
/// the state: the derivative of a quadratic polynomial.
template <class Function>
MatrixXd over_unit_steps(test_robots::State x, VectorXd test_robots::State::*part, const Function& function) {
    const VectorXd start = x.*part;
    MatrixXd columns(function(x).size(), start.size());
    for (Eigen::Index k = 0; k < start.size(); ++k) {
        x.*part = start + VectorXd::Unit(start.size(), k);
        const VectorXd ahead = function(x);
        x.*part = start - VectorXd::Unit(start.size(), k);
        columns.col(k) = (ahead - function(x)) / 2;
    }
    return columns;
}

/// Columns of function(state) along closed configurations. False if the loops cannot be followed that far.
template <class Function>
bool along_configurations(const Model& model, const test_robots::State& state, const Function& function,
                          MatrixXd& derivatives) {
    Workspace<double> data(model);
    bool followed = true;
    derivatives = columns(model.nv, function(state).size(), [&](const VectorXd& delta) -> VectorXd {
        test_robots::State x = state;
        followed = moved(model, data, state.q, delta, x.q) && followed;
        return function(followed ? x : state);
    });
    return followed;
}

/// A joint of the model has a quaternion and is in a cluster that loops hold.
bool is_looped(const Model& model);

}  // namespace differences
