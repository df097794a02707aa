#pragma once

#include "function.hpp"

// What is said of a generated function.

namespace grbda::generated {

GeneratedFunction report(const Model& model, const Function& function);

}  // namespace grbda::generated
