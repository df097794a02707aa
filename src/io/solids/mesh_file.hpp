#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "grbda/export.hpp"

namespace grbda {

/// Returns the path of a mesh file if it exists, otherwise an empty path. Searches the address beside a file
/// of the robot and in `folders`; an address with a scheme, such as package://, also in the folders above,
/// with and without the package's name.
GRBDA_EXPORT std::filesystem::path mesh_file(const std::string& mesh, const std::filesystem::path& robot,
                                             const std::vector<std::string>& folders = {});

}  // namespace grbda
