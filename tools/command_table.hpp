#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

// What the parser knows of commands and options, as a table. Completions and the manual page are written from
// it, so that neither can be out of date.

namespace grbda::tool {

struct OptionFacts {
    enum class Takes { nothing, words, file, folder, model, text };

    std::vector<std::string> names;  ///< as they are typed, -o, --output; of an argument by place its name
    std::string type;                ///< what its value is called; empty: a flag
    std::vector<std::string> words;  ///< all that it takes; empty: any
    std::string standard;            ///< its value where it is not given; empty: none to tell
    std::string help;
    Takes takes = Takes::nothing;
    bool is_argument = false;  ///< by its place, without a name
    bool is_required = false;
    bool is_list = false;  ///< its value can be several words with commas between
    bool repeats = false;  ///< can be given several times

    bool operator==(const OptionFacts&) const = default;
};

struct CommandFacts {
    std::string name;  ///< empty: the tool itself
    std::string help, footer;
    std::vector<OptionFacts> options;
};

/// The tool itself, then its commands, in the order of --help.
std::vector<CommandFacts> command_table(const CLI::App& app);

/// Endings of the names of model files.
extern const std::vector<std::string> model_endings;

}  // namespace grbda::tool
