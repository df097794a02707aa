#pragma once

#include "model/workspace.hpp"
#include "grbda/status.hpp"

// Displacements Θ of all joints from a configuration q₀, per entry of q̇. They are the coordinates of a step:
// joints with a quaternion move along exp(Θ), and no quaternion has to be normalized.
// source  Hairer, Lubich, Wanner 2006, IV.8: Munthe-Kaas methods

namespace grbda::simulation {

/// Turns q̇ into Θ' = dexp⁻¹(Θ) q̇, in place.
void displacement_rate(const Model& model, const VectorX<double>& displacement, VectorX<double>& rate);

/// Closes the loops, starting from q₀ displaced by Θ, where they may be open.
Result displace_joints(const Model& model, Workspace<double>& data, const VectorX<double>& q,
                       const VectorX<double>& displacement, VectorX<double>& displaced);

}  // namespace grbda::simulation
