#pragma once

#include "spanning_tree.hpp"

// Rods by their whole kinetic energy: ½ m_AA |v_A|² + m_AB v_A·v_B + ½ m_BB |v_B|², and ½ I_s ω_s² with a
// universal joint at A: about x = e₁ × e₂, the cross product of its axes, the rod turns with the body at
// A.
// Struts are a rigid body at each end, and both turn alike.

namespace grbda::baselines {

/// Adds rods to H. After set_positions.
void add_rod_masses(const Model& model, const SpanningTree& tree, Eigen::MatrixXd& H);
/// Adds rods to C. After set_velocities.
void add_rod_forces(const Model& model, const SpanningTree& tree, Eigen::VectorXd& C);

}  // namespace grbda::baselines
