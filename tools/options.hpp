#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "arguments.hpp"

// Options shared by several commands.

namespace grbda::tool {

/// Adds an option with one value per occurrence.
CLI::Option* add_repeated(CLI::App& command, const char* name, std::vector<std::string>& values,
                          const char* type, const char* help);

/// Adds an option with several values per occurrence that may be repeated.
CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                      const char* help);

/// Adds the robot's files, and the options for reading them.
void add_model_options(CLI::App& command, ModelArguments& arguments);

/// Adds a saved state and positions of joints.
void add_configuration_options(CLI::App& command, ConfigurationArguments& arguments);

void add_generate(CLI::App& app, GenerateArguments& arguments);
void add_serial(CLI::App& app, SerialArguments& arguments);
void add_simulate(CLI::App& app, SimulateArguments& arguments);
/// Adds the options of `view`, except the robot's files and an output.
void add_view_options(CLI::App& command, ViewArguments& arguments);

}  // namespace grbda::tool
