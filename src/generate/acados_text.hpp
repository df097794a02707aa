#pragma once

#include <string>

#include "file.hpp"

// Writes discrete dynamics as acados calls them, and a module for its Python interface.

namespace grbda::generated {

std::string acados_functions(const File& file);
/// Writes the sizes, names and arguments of these functions, for the header.
std::string acados_declarations(const File& file);
std::string acados_module(const File& file);

}  // namespace grbda::generated
