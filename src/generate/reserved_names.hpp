#pragma once

#include <string>

namespace grbda::generated {

/// True for the name of a header of C, POSIX, glibc or the compilers: where the folder of a robot's header is
/// searched first, theirs would include the robot's in its place. Case counts for nothing, as in some file
/// systems.
bool is_system_header(std::string name);

}  // namespace grbda::generated
