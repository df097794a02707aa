#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "arguments.hpp"

// Options that several commands have.

namespace grbda::tool {

/// One value each time that the option is given.
CLI::Option* add_repeated(CLI::App& command, const char* name, std::vector<std::string>& values,
                          const char* type, const char* help);

/// Names and values that may come many at a time and many times over.
CLI::Option* add_list(CLI::App& command, const char* name, std::vector<std::string>& values, const char* type,
                      const char* help);

/// The robot's files, and how they are read.
void add_model_options(CLI::App& command, ModelArguments& arguments);

void add_generate(CLI::App& app, GenerateArguments& arguments);
void add_simulate(CLI::App& app, SimulateArguments& arguments);
/// What `view` has besides the robot's files and an output.
void add_view_options(CLI::App& command, ViewArguments& arguments);

}  // namespace grbda::tool
