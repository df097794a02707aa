#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

// Table of the parser's commands and options, from which the completion script is generated.

namespace grbda::tool {

struct OptionFacts {
    enum class Takes { nothing, words, file, folder, model, name, text };

    std::vector<std::string> names;  ///< as typed, -o, --output; for a positional argument its name
    std::vector<std::string> words;  ///< all valid values; empty: any
    Takes takes = Takes::nothing;
    std::string kind;          ///< of a name: "joint", "frame" or "state"
    bool has_value = false;    ///< '=' and a value follow the name
    bool is_argument = false;  ///< positional, without a name
};

struct CommandFacts {
    std::string name;  ///< empty: the tool itself
    std::vector<OptionFacts> options;
};

/// The tool itself, then its commands, in the order of --help.
std::vector<CommandFacts> command_table(const CLI::App& app);

/// Extensions of the names of model files.
extern const std::vector<std::string> model_endings;

}  // namespace grbda::tool
