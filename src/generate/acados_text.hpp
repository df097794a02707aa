#pragma once

#include <string>

#include "file.hpp"

// Discrete dynamics as acados calls them, and a module for its Python interface.

namespace grbda::generated {

std::string acados_functions(const File& file);
/// Sizes, names and arguments of these functions, for the header.
std::string acados_declarations(const File& file);
std::string acados_module(const File& file);

}  // namespace grbda::generated
