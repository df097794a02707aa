#pragma once

#include "arguments.hpp"
#include "grbda/description.hpp"
#include "grbda/mechanism.hpp"
#include "grbda/model/arguments.hpp"

// Common parts of the commands that change a robot at a configuration.

namespace grbda::tool {

struct Resolved {
    RobotDescription robot;
    Mechanism mechanism;
    Model model;
    Diagnostics diagnostics;  ///< without those of building the model
};

/// Reads the robot, with the masses that --density gives. Throws LoadError with every finding.
RobotDescription read_robot(const ModelArguments& arguments, Diagnostics& diagnostics);

/// Throws LoadError with every finding.
Resolved resolve(const ModelArguments& arguments);

/// Throws LoadError if one of the findings is an error.
void stop_on_errors(const Diagnostics& diagnostics);

/// Closed configuration from the saved state, or the neutral one, with the positions on
/// the command line. Throws CallError; NoAnswer if the loops cannot be closed there.
VectorX<double> configuration(const Model& model, const ConfigurationArguments& arguments);

}  // namespace grbda::tool
