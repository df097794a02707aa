#pragma once

#include "file.hpp"

// Inertias that are given to functions instead of standing in them.

namespace grbda::generated {

/// Empty where there are none.
std::string parameter_declarations(const File& file);
std::string parameter_definitions(const File& file);

}  // namespace grbda::generated
