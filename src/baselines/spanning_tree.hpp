#pragma once

#include <vector>

#include "grbda/baselines/dense.hpp"
#include "joint_model.hpp"

// Dynamics of the spanning tree, with loops cut: recursive Newton–Euler and
// composite rigid bodies in body coordinates with 6×6 transforms
// (Featherstone 2008, Tables 5.1 and 6.2).

namespace grbda::baselines {

struct TreeBody {
    JointState joint;
    Matrix6 X;                    ///< motion transform, parent → body
    Eigen::Matrix3d orientation;  ///< in the world
    Eigen::Vector3d position;     ///< in the world
    Matrix6 inertia;              ///< about the body's origin
    Matrix6 composite;
    Vector6 v;  ///< velocity
    Vector6 a;  ///< acceleration at q̈ = 0, without gravity
    Vector6 f;
};

struct SpanningTree {
    explicit SpanningTree(const Model& model);
    std::vector<TreeBody> bodies;
};

void set_positions(const Model& model, const Eigen::VectorXd& q, SpanningTree& tree);
/// Call it after set_positions.
void set_velocities(const Model& model, const Eigen::VectorXd& qd, SpanningTree& tree);

/// H with armatures. Call it after set_positions.
void mass_matrix(const Model& model, SpanningTree& tree, Eigen::MatrixXd& H);
/// C: spanning forces at q̈ = 0, with gravity and wrenches. Call it after set_velocities with the same q̇.
void bias_force(const Model& model, Wrenches wrenches, const Eigen::VectorXd& qd, SpanningTree& tree,
                Eigen::VectorXd& C);

}  // namespace grbda::baselines
