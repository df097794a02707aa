#pragma once

#include <string>

#include "grbda/description.hpp"
#include "grbda/export.hpp"

namespace grbda {

struct Mechanism;

/// Reads the parts of MJCF, the format of MuJoCo, that describe mechanisms, from `text`. `file` is the
/// name that diagnostics show. Findings are appended; the description is valid only without errors.
GRBDA_EXPORT RobotDescription read_mjcf(const std::string& text, const std::string& file,
                                        Diagnostics& diagnostics);

/// Writes the mechanism as MJCF with the same motion: each body is a <body> in the frame of its joint, the
/// root link is the world, frames are sites, shapes are geoms without mass. The reference pose is q = 0, with
/// unit quaternions; angles are in radians.
///   joints      hinge, slide, ball; a floating joint is free, below a body three slides and a ball. Helical,
///               cylindrical, universal and planar joints J become hinges and slides J_1, J_2, … in the order
///               of their coordinates (a helical one: hinge and slide, coupled). A body without mass and its
///               only child become one <body> with the joints of both
///   loops       fixed: <weld>; spherical: <connect>, or <weld torquescale="0"> if its ends are apart at
///               q = 0; revolute: the same for two points of the axis; distance: a <spatial> tendon of fixed
///               length between two sites; universal: a point, and the distance of the tips of its axes
///   couplings   <equality> of joints up to the fourth power, or of a fixed tendon
///   states      keys; the start is the first one, "start"
///
/// in      mechanism, from make_mechanism() without errors
/// errors  an error in `diagnostics` and an empty text for loops, couplings, bodies, forces and shapes that
///         MuJoCo cannot represent exactly. Notes list what is omitted without effect on the motion
/// cost    O(size of the mechanism)
/// source  https://mujoco.readthedocs.io/en/stable/XMLreference.html
GRBDA_EXPORT std::string write_mjcf(const Mechanism& mechanism, Diagnostics& diagnostics);

}  // namespace grbda
