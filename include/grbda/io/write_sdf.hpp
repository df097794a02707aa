#pragma once

#include <string>

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"

namespace grbda {

/// Writes the mechanism as SDF 1.11 with the same motion: bodies as links in the frames of their joints,
/// placed at q = 0; frames as <frame>; inside a <world> if gravity is given.
///   joints     revolute, continuous, prismatic, screw, universal and ball; a floating joint on the world
///              is not written
///   loops      of these types and fixed ones are joints whose child already has a joint above it. SDF has
///              one frame for both ends: they must meet at q = 0
///   couplings  linear ones between two joints with one coordinate each are mimics
/// Links, joints and frames share one namespace: a joint with the name of a link is renamed.
///
/// in      what make_mechanism returned without errors
/// errors  in `diagnostics`, and an empty text: what SDF cannot represent exactly, including armatures and
///         tendons. Notes and warnings: what is omitted without effect on the motion
/// cost    O(size of the mechanism)
/// source  http://sdformat.org/spec?ver=1.11
GRBDA_EXPORT std::string write_sdf(const Mechanism& mechanism, Diagnostics& diagnostics);

}  // namespace grbda
