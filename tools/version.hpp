#pragma once

#include <string>

namespace grbda::tool {

/// Returns "grbda X.Y.Z", then the build's settings and its use of this machine.
std::string version_text();

}  // namespace grbda::tool
