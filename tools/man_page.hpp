#pragma once

#include <string>

#include "command_table.hpp"

namespace grbda::tool {

/// Returns grbda(1) in roff, the format of man.
std::string man_page(const std::vector<CommandFacts>& table);

}  // namespace grbda::tool
