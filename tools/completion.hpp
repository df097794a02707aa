#pragma once

#include <string>

#include "arguments.hpp"
#include "command_table.hpp"

// The script with which bash completes a command line.

namespace grbda::tool {

std::string bash_completion(const std::vector<CommandFacts>& table);

void add_completion(CLI::App& app, CompletionArguments& arguments);
/// Adds the command that the completion script calls: names of joints, frames or states, one a line. The
/// help does not list it.
void add_names(CLI::App& app, NamesArguments& arguments);
int print_names(const NamesArguments& arguments);

int completion(const CLI::App& app, const CompletionArguments& arguments);

}  // namespace grbda::tool
