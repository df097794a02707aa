#pragma once

#include <span>

#include "grbda/algorithms/arguments.hpp"
#include "grbda/export.hpp"

namespace grbda {

/// Smallest distance between two groups of spheres.
struct GroupDistance {
    double distance = 0;  ///< m, between the two nearest spheres, less both buffers; below zero: too near
    int a = 0, b = 0;     ///< those spheres, in SelfCollision::spheres
};

/// Distances of the robot from itself, by the spheres of XRDF and SRDF.
///   min over spheres i of a, j of b of |cᵢ − cⱼ| − rᵢ − rⱼ, less the buffers of a and b
/// in      data after forward_kinematics
/// out     distances [model.self_collision.pairs], in their order
/// returns the pair with the least one, of equal ones the first; −1 where there is no pair
/// errors  std::invalid_argument on a wrong size, or if forward_kinematics was not the last
///         algorithm on data
/// cost    O(pairs of spheres); no allocation
template <class S>
GRBDA_EXPORT int self_distances(const Model& model, const Data<S>& data, std::span<GroupDistance> distances);

}  // namespace grbda
