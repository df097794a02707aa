#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

struct Mechanism;

/// Reads the parts of SDF, the format of Gazebo, that describe mechanisms, from `text`. `file` is the name
/// that diagnostics show. Findings are appended; the description is valid only without errors.
GRBDA_EXPORT RobotDescription read_sdf(const std::string& text, const std::string& file,
                                       Diagnostics& diagnostics);

/// Writes the mechanism as SDF 1.11 with the same motion: bodies as links in the frames of their joints,
/// placed at q = 0; frames as <frame>; inside a <world> if gravity is given.
///   joints     revolute, continuous, prismatic, screw, universal and ball; a floating joint on the world
///              is not written
///   loops      loops of these types and fixed loops are joints whose child already has a parent joint. SDF
///              has one frame for both ends, which must coincide at q = 0
///   couplings  linear couplings between two joints with one coordinate each are <mimic>
/// Links, joints and frames share one namespace: a joint with the name of a link is renamed.
///
/// in      mechanism, from make_mechanism() without errors
/// errors  an error in `diagnostics` and an empty text for everything that SDF cannot represent exactly,
///         including armatures and tendons. Notes and warnings list what is omitted without effect on the
///         motion
/// cost    O(size of the mechanism)
/// source  http://sdformat.org/spec?ver=1.11
GRBDA_EXPORT std::string write_sdf(const Mechanism& mechanism, Diagnostics& diagnostics);

}  // namespace grbda
