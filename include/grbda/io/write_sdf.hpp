#pragma once

#include <string>

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"

namespace grbda {

/// The mechanism as SDF 1.11, with the same motion: bodies as links in the frames of their joints, placed at
/// q = 0; frames as <frame>; in a <world> where gravity is said.
///   joints     revolute, continuous, prismatic, screw, universal and ball; a floating joint on the world
///              is none
///   loops      of these types and fixed ones are joints whose child has another joint above it. SDF has
///              one frame for both ends: they must meet at q = 0
///   couplings  linear ones of two joints with one coordinate are mimics
/// Links, joints and frames share one namespace: where a joint has the name of a link it gets another one.
///
/// in      what make_mechanism returned without errors
/// errors  in `diagnostics`, and an empty text: what SDF cannot move as it is, armatures and tendons
///         among it. Notes and warnings: what is left out without another motion
/// cost    O(size of the mechanism)
/// source  http://sdformat.org/spec?ver=1.11
GRBDA_EXPORT std::string write_sdf(const Mechanism& mechanism, Diagnostics& diagnostics);

}  // namespace grbda
