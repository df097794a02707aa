#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grbda/mechanism.hpp"

// Explains, from axes and lengths in the file, why a loop does not close or does not move.

namespace grbda::compile {

/// An axis that does not fit the other axes of its loop.
struct AxisFault {
    SourceLocation where;
    Subject subject;       ///< the joint or loop with this axis
    std::string expected;  ///< "an axis along y of 'base', as joint 'a', joint 'b' and loop 'l' have"
    std::string found;     ///< "one along x, 90° from it"
    std::string hint;
    bool is_small = false;   ///< the axis nearly fits
    std::string difference;  ///< "the axes of joint 'a' and loop 'l' differ by 0.057°"
};

/// Finds axes that keep a loop from being planar although most of its joints turn about parallel axes.
/// Considers loops that can only move if they are planar: those with four to six freedoms.
std::vector<AxisFault> axis_faults(const Mechanism& mechanism, const std::vector<int>& loops);

/// Explains why the lengths of a loop cannot close it; empty if they can, or if they change. For example
/// "'coupler' is 1.8 m long, the others together 1.1 m: 'crank' 0.2 m, 'base' 0.5 m, 'rocker' 0.4 m".
std::string unmet_lengths(const Mechanism& mechanism, int loop);

}  // namespace grbda::compile
