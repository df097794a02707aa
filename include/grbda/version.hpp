#pragma once

// The version of these headers; CMakeLists.txt states it too and compares both at configuration.
#define GRBDA_VERSION_MAJOR 0
#define GRBDA_VERSION_MINOR 2
#define GRBDA_VERSION_PATCH 0
#define GRBDA_VERSION "0.2.0"
