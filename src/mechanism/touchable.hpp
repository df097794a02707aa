#pragma once

#include "grbda/mechanism.hpp"

namespace grbda::mechanism {

/// Tells for each body whether a shape that collides, or a sphere, is fixed in it. Such a body is reduced
/// neither to a rotor nor to a rod, because contacts and distances need its motion in every pass.
Table<char> touchable_bodies(const Mechanism& mechanism);

}  // namespace grbda::mechanism
