#pragma once

#include <string>

#include "grbda/model/model.hpp"

namespace grbda::tool {

/// Says which commands fail because bodies have no mass, and offers --density if they have shapes. Empty if
/// dynamics works.
std::string mass_hint(const Model& model);

}  // namespace grbda::tool
