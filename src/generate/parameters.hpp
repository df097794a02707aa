#pragma once

#include "file.hpp"

// Makes inertias inputs of functions instead of constants.

namespace grbda::generated {

/// Writes the declarations; empty if there are no parameters.
std::string parameter_declarations(const File& file);
std::string parameter_definitions(const File& file);

}  // namespace grbda::generated
