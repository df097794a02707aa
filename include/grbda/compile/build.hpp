#pragma once

#include "grbda/export.hpp"
#include "grbda/model/model.hpp"

namespace grbda {

/// Compiles a mechanism: finds clusters, assembles it, determines ranks and independent coordinates, reduces
/// rotors.
/// Findings are appended to `diagnostics`. Returns an empty model if one of them is an error.
GRBDA_EXPORT Model build_model(const Mechanism& mechanism, const LoadOptions& options,
                               Diagnostics& diagnostics);

/// Compiles a description; throws LoadError with all findings if one is an error. Notes and warnings are in
/// model.diagnostics.
GRBDA_EXPORT Model build_model(const RobotDescription& description, const LoadOptions& options = {});

}  // namespace grbda
