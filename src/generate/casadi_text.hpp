#pragma once

#include <string>

#include "file.hpp"

// Writes functions that CasADi's external() loads, with their derivatives.

namespace grbda::generated {

std::string casadi_functions(const File& file);
/// Writes the names and arguments of these functions, for the header.
std::string casadi_meaning(const File& file);

}  // namespace grbda::generated
