#pragma once

#include <string>

#include "arguments.hpp"
#include "command_table.hpp"

// The script with which bash completes a command line.

namespace grbda::tool {

std::string bash_completion(const std::vector<CommandFacts>& table);

void add_completion(CLI::App& app, CompletionArguments& arguments);
int completion(const CLI::App& app, const CompletionArguments& arguments);

}  // namespace grbda::tool
