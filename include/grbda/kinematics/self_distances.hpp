#pragma once

#include <span>

#include "grbda/export.hpp"
#include "grbda/model/arguments.hpp"

namespace grbda {

/// Distance between two groups of spheres.
struct GroupDistance {
    double distance = 0;  ///< m, between the two closest spheres, minus both buffers; negative: too close
    int a = 0, b = 0;     ///< indices of those spheres in SelfCollision::spheres
};

/// Computes the distances of the robot from itself, with the spheres of XRDF and SRDF.
///   min over spheres i of a, j of b of |cᵢ − cⱼ| − rᵢ − rⱼ, less the buffers of a and b
/// in      data after forward_kinematics
/// out     distances [model.self_collision.pairs], in their order
/// returns the first pair with the smallest distance; −1 if the model has no pairs
/// errors  std::invalid_argument on a wrong size, or if forward_kinematics was not the last
///         algorithm on data
/// cost    O(pairs of spheres); no allocation
template <class S>
GRBDA_EXPORT int self_distances(const Model& model, const Data<S>& data, std::span<GroupDistance> distances);

}  // namespace grbda
