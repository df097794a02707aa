#pragma once

#include "rod_ends.hpp"

// The conditions that a link, or two on a slide, must meet to be a rod or a strut.

namespace grbda::mechanism {

/// As for rotors: figures that agree in all printed digits.
inline constexpr double rod_tolerance = 1e-9;

/// Bodies whose joint something else refers to, and bodies with shapes or spheres that touch others.
struct RodUses {
    explicit RodUses(const Mechanism& mechanism);
    Table<char> referred, touched;
};

/// False for a link with a revolute end that is a crank or another ordinary link, by what acts on its joints.
bool resembles_rod(const Mechanism& mechanism, const RodUses& uses, const RodChain& chain);

/// Why a link stays a body; empty: it is a rod.
std::string reason_to_stay(const Mechanism& mechanism, const RodUses& uses, const RodChain& chain);

}  // namespace grbda::mechanism
