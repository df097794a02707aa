#pragma once

#include <optional>

#include "grbda/collision/collide.hpp"

namespace grbda::collision {

/// The displacement that moves a out of b, or the distance between them.
struct WayOut {
    Vector3<double> normal;  ///< unit, out of b into a
    double gap = 0;          ///< m: of all directions the largest one
    Vector3<double> point;   ///< from the centre of b: midway between both surfaces
};

/// For solids that are not both round. Empty if the gap is not below the margin, or both are flat.
std::optional<WayOut> way_out(const Placed& a, const Placed& b, double margin);

}  // namespace grbda::collision
