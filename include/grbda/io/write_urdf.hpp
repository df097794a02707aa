#pragma once

#include <string>

#include "grbda/export.hpp"
#include "grbda/mechanism.hpp"

namespace grbda {

/// The mechanism as URDF+ that reads back as the same mechanism to rounding: bodies as links with all inertia
/// fused into them, frames as massless links on fixed joints, loops and couplings resolved, numbers with all
/// their digits, every element that other readers of URDF know in the form in which they know it. What was
/// read from this text gives the same text again.
///
/// Two things get names of their own. A body whose topmost link does not stand in the joint's frame becomes
/// the link "<joint>_frame", and that link a frame on it. With a floating base the root link is "world", and
/// "root_joint" an ordinary joint; such a file is read without that option.
///
/// in      what make_mechanism returned without errors
/// errors  std::invalid_argument for a coupling that no file can state, which make_mechanism returns none of
/// cost    O(size of the mechanism)
GRBDA_EXPORT std::string write_urdf(const Mechanism& mechanism);

}  // namespace grbda
