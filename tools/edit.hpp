#pragma once

#include "arguments.hpp"
#include "grbda/algorithms/arguments.hpp"
#include "grbda/description.hpp"
#include "grbda/mechanism.hpp"

// What the commands have in common that take a robot at a configuration and make something else of it.

namespace grbda::tool {

struct Resolved {
    RobotDescription robot;
    Mechanism mechanism;
    Model model;
    Diagnostics diagnostics;  ///< without those of building the model
};

/// Throws LoadError with every finding.
Resolved resolve(const ModelArguments& arguments);

/// Throws LoadError if one of the findings is an error.
void stop_on_errors(const Diagnostics& diagnostics);

/// The saved state, or the neutral configuration, with the positions that the command line gives, closed.
/// Throws CallError; NoAnswer if the loops cannot be closed there.
VectorX<double> configuration(const Model& model, const ConfigurationArguments& arguments);

}  // namespace grbda::tool
