#pragma once

#include "distance.hpp"
#include "grbda/collision/height_field.hpp"

namespace grbda::collision {

/// From the ground to a point; infinite if `reach` or more. Below the ground, which is under the point, it is
/// negative and never out of reach.
Distance distance_to(const HeightField& field, const Vector& point, double reach);

/// Normal of the ground under a point; up outside the ground.
Vector normal_under(const HeightField& field, const Vector& point);

}  // namespace grbda::collision
