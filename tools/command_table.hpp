#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

// Table of the parser's commands and options. Completions and the
// manual page are generated from it, so that both stay up to date.

namespace grbda::tool {

struct OptionFacts {
    enum class Takes { nothing, words, file, folder, model, text };

    std::vector<std::string> names;  ///< as typed, -o, --output; for a positional argument its name
    std::string type;                ///< name of its value; empty: a flag
    std::vector<std::string> words;  ///< all valid values; empty: any
    std::string standard;            ///< its default value; empty: none to show
    std::string help;
    Takes takes = Takes::nothing;
    bool is_argument = false;  ///< positional, without a name
    bool is_required = false;
    bool is_list = false;  ///< its value can be several words separated by commas
    bool repeats = false;  ///< may be given several times

    bool operator==(const OptionFacts&) const = default;
};

struct CommandFacts {
    std::string name;  ///< empty: the tool itself
    std::string help, footer;
    std::vector<OptionFacts> options;
};

/// The tool itself, then its commands, in the order of --help.
std::vector<CommandFacts> command_table(const CLI::App& app);

/// Extensions of the names of model files.
extern const std::vector<std::string> model_endings;

}  // namespace grbda::tool
