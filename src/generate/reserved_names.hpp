#pragma once

#include <string>

namespace grbda::generated {

/// Returns whether a name is that of a header of C, POSIX, glibc or the compilers. If the folder of a robot's
/// header is searched first, their headers would include the robot's instead. Case is ignored, as in some
/// file systems.
bool is_system_header(std::string name);

}  // namespace grbda::generated
