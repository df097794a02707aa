#pragma once

#include <string>

namespace grbda::tool {

/// "grbda X.Y.Z", and below it what was built, how, and what it takes of this machine.
std::string version_text();

}  // namespace grbda::tool
