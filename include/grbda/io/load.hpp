#pragma once

#include <string>
#include <vector>

#include "grbda/model/model.hpp"

namespace grbda {

/// Reads one robot from a file, told apart by content. Findings are appended.
RobotDescription read_description(const std::string& path, Diagnostics& diagnostics);

/// From a file to a model; throws LoadError with every finding if one is an error.
Model load(const std::string& path, const LoadOptions& options = {});

}  // namespace grbda
