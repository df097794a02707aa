#pragma once

#include <span>

#include "difference.hpp"

namespace grbda::collision {

/// A direction of length 1 and h of it.
struct Height {
    Vector m;
    double h = 0;
};

/// Newton steps to the least h(m) from near to it, where D is curved; across an edge or a face of D m is
/// right already. Steps that do not lower h are not taken.
void polish(const Difference& difference, double size, Height& best);

/// The least h(m), where a polytope does not tell it from others: as deep in a cylinder, near to its axis,
/// where many ways out are nearly as short. h is lowest where it is smooth, at a crease, or where creases
/// meet. A hull has many creases, so the search tries the faces near to the best directions.
/// in      `tried` directions, of which the lowest h is above the least by at most `slack`
void find_lowest(const Difference& difference, double size, std::span<const Height> tried, double slack,
                 Height& best);

}  // namespace grbda::collision
