#pragma once

#include <cmath>

namespace grbda::kernels {

/// Returns x, or x plus whole turns if that is within the limits and x is not.
inline double within_by_turns(double x, double lower, double upper) {
    constexpr double turn = 2 * M_PI;
    if (x >= lower && x <= upper) return x;
    const double turned =
        x < lower ? x + turn * std::ceil((lower - x) / turn) : x - turn * std::ceil((x - upper) / turn);
    return turned >= lower && turned <= upper ? turned : x;
}

}  // namespace grbda::kernels
