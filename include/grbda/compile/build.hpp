#pragma once

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// Compiles a mechanism: clusters, assembly, rank, choice of independents, rotors, flat arrays.
/// Findings are appended to `diagnostics`. Returns an empty model if one of them is an error.
GRBDA_EXPORT Model build_model(const Mechanism& mechanism, const LoadOptions& options,
                               Diagnostics& diagnostics);

/// Runs all stages from a description; throws LoadError with every finding if one is an error.
/// Notes and warnings are left in model.diagnostics.
GRBDA_EXPORT Model build_model(const RobotDescription& description, const LoadOptions& options = {});

}  // namespace grbda
