#pragma once

#include <cmath>

// Numbers that a reader recomputes, such as unit vectors, change in their
// last digits with each writing and reading. The numbers written here do not.

namespace grbda {

/// Finds a vector that `normalize` does not change, a few units in the last
/// place of one entry from `unit` or from its normalized form. (Repeated
/// normalization alone can change small entries thousands of times.)
template <class Vector, class Normalize>
Vector settled_unit(Vector unit, Normalize&& normalize) {
    constexpr int most_starts = 8, most_units = 16;
    for (int start = 0; start < most_starts; ++start) {
        const Vector next = normalize(unit);
        if (next == unit) return unit;
        for (auto entry = unit.begin(); entry != unit.end(); ++entry) {
            Vector up = unit, down = unit;
            double& more = *(up.begin() + (entry - unit.begin()));
            double& less = *(down.begin() + (entry - unit.begin()));
            for (int i = 0; i < most_units; ++i) {
                more = std::nextafter(more, 2 * more);
                if (normalize(up) == up) return up;
                less = std::nextafter(less, 0.0);
                if (normalize(down) == down) return down;
            }
        }
        unit = next;
    }
    return unit;
}

}  // namespace grbda
