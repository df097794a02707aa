#pragma once

#include "function.hpp"

// Report on a generated function.

namespace grbda::generated {

GeneratedFunction report(const Model& model, const Function& function);

}  // namespace grbda::generated
