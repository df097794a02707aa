#pragma once

#include "grbda/model/model.hpp"

namespace grbda {

/// Builds the model of a description that was read from files. Throws LoadError with all findings if one is
/// an error.
GRBDA_EXPORT Model model_of_files(const RobotDescription& description, Diagnostics diagnostics,
                                  const LoadOptions& options);

}  // namespace grbda
