#pragma once

// The version of these headers; CMakeLists.txt states it too and compares both at configuration.
#define GRBDA_VERSION_MAJOR 0
#define GRBDA_VERSION_MINOR 2
#define GRBDA_VERSION_PATCH 0
#define GRBDA_VERSION "0.2.0"

#include "grbda/export.hpp"

namespace grbda {

/// Returns the version of the library that the program runs with, for example "0.2.0".
GRBDA_EXPORT const char* version();

}  // namespace grbda
