#include "completion.hpp"
#include "words.hpp"

namespace grbda::tool {
namespace {

using Takes = OptionFacts::Takes;

constexpr const char* zsh_head = R"(#compdef grbda
# Completion of grbda in zsh; written by: grbda completion zsh

_grbda() {
    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then
        local -a commands=(
)";

constexpr const char* zsh_middle = R"(        )
        _describe command commands
        return
    fi
    local command=
    if ((CURRENT > 2)); then
        command=$words[2]
        shift words
        ((CURRENT--))
    fi
    case $command in
)";

constexpr const char* zsh_tail = R"(    esac
}

_grbda "$@"
)";

std::string zsh_quoted(const std::string& text) { return "'" + replaced(text, "'", "'\\''") + "'"; }

/// Escapes help for _arguments and _describe.
std::string zsh_help(std::string text) {
    for (const char* special : {"\\", "[", "]", ":"})
        text = replaced(text, special, std::string("\\") + special);
    return text;
}

/// The value of an option: its name, and its completions.
std::string zsh_values(const OptionFacts& option) {
    const std::string name = ":" + zsh_help(option.is_argument ? option.names.front() : option.type) + ":";
    switch (option.takes) {
        case Takes::nothing: return "";
        case Takes::words:
            if (option.is_list) return name + "_values -s , word " + join_words(option.words, " ");
            return name + "(" + join_words(option.words, " ") + ")";
        case Takes::file: return name + "_files";
        case Takes::folder: return name + "_files -/";
        case Takes::model: return name + "_files -g \"*.(" + join_words(model_endings, "|") + ")(-.)\"";
        case Takes::text: break;
    }
    return name + " ";
}

/// One specification per name.
std::string zsh_option(const OptionFacts& option) {
    if (option.is_argument)
        return "            " + zsh_quoted((option.repeats ? "*" : "1") + zsh_values(option));
    const std::string before = option.repeats ? "*" : "(" + join_words(option.names, " ") + ")";
    std::vector<std::string> specifications;
    for (const std::string& name : option.names) {
        const char* joined = option.takes == Takes::nothing ? "" : name[1] == '-' ? "=" : "+";
        specifications.push_back(
            "            " +
            zsh_quoted(before + name + joined + "[" + zsh_help(option.help) + "]" + zsh_values(option)));
    }
    return join_words(specifications, " \\\n");
}

}  // namespace

std::string zsh_completion(const std::vector<CommandFacts>& table) {
    std::string text = zsh_head;
    for (const CommandFacts& command : table)
        if (!command.name.empty())
            text += "            " + zsh_quoted(command.name + ":" + zsh_help(command.help)) + "\n";
    text += zsh_middle;
    for (const CommandFacts& command : table) {
        text += "        '" + command.name + "') _arguments -S";
        for (const OptionFacts& option : command.options) text += " \\\n" + zsh_option(option);
        text += " ;;\n";
    }
    return text + zsh_tail;
}

}  // namespace grbda::tool
