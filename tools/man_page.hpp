#pragma once

#include <string>

#include "command_table.hpp"

namespace grbda::tool {

/// grbda(1) in roff, as man reads it.
std::string man_page(const std::vector<CommandFacts>& table);

}  // namespace grbda::tool
