#pragma once

#include <array>

#include "distance.hpp"
#include "gather.hpp"

namespace grbda::collision {

/// The part of a body that lies flat, or nearly so, on a plane that touches it: a face, an edge or a point.
struct Patch {
    static constexpr int most = 5;
    std::array<Vector, most> points;  ///< about its normal, counter-clockwise; of an edge its ends
    int count = 0;
    Vector normal;
};

/// Patch of the side of a solid through which a direction leaves it; seen from `origin`.
Patch patch_towards(const Placed& shape, const Vector& direction, const Vector& origin);

/// Corners of what two patches share along a normal from b to a, as touches with the features of
/// collide_convex(); positions from the patches' origin. Adds none if one is a point, or edges cross.
void share(const Patch& a, const Patch& b, const Vector& normal, Gather& touches);

}  // namespace grbda::collision
