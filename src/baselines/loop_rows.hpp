#pragma once

#include <array>
#include <span>

#include "spanning_tree.hpp"

// Rows of the loops and couplings, derived from classical kinematics of points
// and axes: K = ∂φ̇/∂q̇, and k such that K q̈ = k.

namespace grbda::baselines {

/// All rows of K, in the user's order of q̇. Call it after set_positions.
void constraint_jacobian(const Model& model, const SpanningTree& tree, const Eigen::VectorXd& q,
                         Eigen::MatrixXd& K);

/// Call it after set_velocities.
void constraint_bias(const Model& model, const SpanningTree& tree, const Eigen::VectorXd& q,
                     const Eigen::VectorXd& qd, Eigen::VectorXd& k);

/// An end of a loop in the world: classical velocity and acceleration (at q̈ = 0) of its origin.
struct EndState {
    Eigen::Matrix3d axes;
    Eigen::Vector3d position;
    Eigen::Vector3d velocity = Eigen::Vector3d::Zero(), acceleration = Eigen::Vector3d::Zero();
    Eigen::Vector3d omega = Eigen::Vector3d::Zero(), alpha = Eigen::Vector3d::Zero();
};

EndState place(const SpanningTree& tree, const LoopEnd& end);
/// Velocity and acceleration of a placed end of a loop on this body. Call it after set_velocities.
void move(const SpanningTree& tree, int body, EndState& end);

/// One row: its functional on the motion of Q relative to P.
struct Row {
    Eigen::Vector3d force = Eigen::Vector3d::Zero();  ///< at the origin of Q
    Eigen::Vector3d couple = Eigen::Vector3d::Zero();
};

/// Rows of a loop whose ends are P and Q.
void loop_rows(std::span<const LoopRow> kept, const Loop& loop, const EndState& P, const EndState& Q,
               std::array<Row, 6>& rows);
/// k of these rows: −φ̈ at q̈ = 0.
void row_accelerations(std::span<const LoopRow> kept, const Loop& loop, const EndState& P, const EndState& Q,
                       double* k);

/// Nearest common ancestor of two bodies; parents have smaller numbers than children.
int common_ancestor(const Model& model, int a, int b);

/// Derivative of a coupling's polynomial by its leader, of order 1 or 2.
double derivative(const Model& model, const Coupling& coupling, const Eigen::VectorXd& q, int order);
/// Index in q̇ of a coupling's term.
int column_of(const Model& model, const Coupling& coupling, int term);

}  // namespace grbda::baselines
