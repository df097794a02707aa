#pragma once

#include "file.hpp"

// Inertias as inputs of functions instead of constants.

namespace grbda::generated {

/// Empty if there are none.
std::string parameter_declarations(const File& file);
std::string parameter_definitions(const File& file);

}  // namespace grbda::generated
