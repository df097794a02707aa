#pragma once

// The version of these headers; CMakeLists.txt has it too and compares when it configures.
#define GRBDA_VERSION_MAJOR 0
#define GRBDA_VERSION_MINOR 2
#define GRBDA_VERSION_PATCH 0
#define GRBDA_VERSION "0.2.0"
