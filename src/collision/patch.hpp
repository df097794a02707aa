#pragma once

#include <array>
#include <optional>

#include "distance.hpp"
#include "gather.hpp"

namespace grbda::collision {

/// The feature of the deepest point, if it is no corner of what patches share.
inline constexpr int deepest_feature = 20;

/// The part of a body that lies flat, or nearly so, on a plane that touches it: a face, an edge or a point.
struct Patch {
    static constexpr int most = 5;
    std::array<Vector, most> points;  ///< about its normal, counter-clockwise; of an edge its ends
    int count = 0;
    Vector normal;
    std::optional<Placed> round = {};  ///< of a line: the cylinder or capsule on whose side it lies
};

/// Patch of the side of a solid through which a direction leaves it; seen from `origin`.
Patch patch_towards(const Placed& shape, const Vector& direction, const Vector& origin);

/// Corners of what two patches share along a normal from b to a, as touches with the features of
/// collide_convex(); positions from the patches' origin. Both ends of a gap are on the bodies. Adds none if
/// one patch is a point, or edges cross.
void share(const Patch& a, const Patch& b, const Vector& normal, Gather& touches);

}  // namespace grbda::collision
