#pragma once

#include <string>

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"

namespace grbda {

/// Writes the mechanism as URDF+, which reads back as the same mechanism to rounding: bodies
/// as links with all inertia fused into them, frames as massless links on fixed joints, loops
/// and couplings resolved, numbers with all digits, every element in the form that other
/// readers of URDF accept. A mechanism that was read from this text gives the same text again.
///
/// New names arise in two cases. If a body's topmost link is not in the joint's frame, the body becomes
/// the link "<joint>_frame", and that link a frame on it. With a floating base the root link is "world", and
/// "root_joint" is an ordinary joint; such a file is read without that option.
///
/// in      what make_mechanism returned without errors
/// errors  std::invalid_argument for a coupling that no file can state; make_mechanism never returns one
/// cost    O(size of the mechanism)
GRBDA_EXPORT std::string write_urdf(const Mechanism& mechanism);

}  // namespace grbda
