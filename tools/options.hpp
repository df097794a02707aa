#pragma once

#include <cstdint>
#include <optional>
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

/// Adds a number that must be finite: words such as nan and inf are rejected.
CLI::Option* add_number(CLI::App& command, const char* name, std::optional<double>& value, const char* help);

void add_seed(CLI::App& command, std::uint64_t& seed, const char* help);

/// Adds the robot's files, and the options for reading them.
void add_model_options(CLI::App& command, ModelArguments& arguments);
/// Adds only the options that change how files are read; they have a head of their own in the help.
void add_loading_options(CLI::App& command, ModelArguments& arguments);

/// Adds a saved state and positions of joints.
void add_configuration_options(CLI::App& command, ConfigurationArguments& arguments);

/// Adds a command that writes a result for the robot, at a configuration if its arguments contain one.
template <class Arguments>
CLI::App& add_writer(CLI::App& app, const char* name, const char* help, Arguments& arguments,
                     const char* written = "the result") {
    CLI::App& command = *app.add_subcommand(name, help);
    add_model_options(command, arguments.model);
    if constexpr (requires { arguments.at; }) add_configuration_options(command, arguments.at);
    command
        .add_option("-o,--output", arguments.output,
                    std::string("File for ") + written + "; - or none is standard output")
        ->type_name("FILE");
    return command;
}

void add_convert(CLI::App& app, ConvertArguments& arguments);
void add_freeze(CLI::App& app, FreezeArguments& arguments);
void add_mount(CLI::App& app, MountArguments& arguments);
void add_workspace(CLI::App& app, WorkspaceArguments& arguments);
void add_ik(CLI::App& app, IkArguments& arguments);
void add_project(CLI::App& app, ProjectArguments& arguments);
void add_generate(CLI::App& app, GenerateArguments& arguments);
void add_serial(CLI::App& app, SerialArguments& arguments);
void add_plot(CLI::App& app, PlotArguments& arguments);
void add_simulate(CLI::App& app, SimulateArguments& arguments);
/// Adds the options of `view`, except the robot's files and an output.
void add_view_options(CLI::App& command, ViewArguments& arguments);

}  // namespace grbda::tool
