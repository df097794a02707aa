#include "completion.hpp"
#include "words.hpp"

namespace grbda::tool {
namespace {

using Takes = OptionFacts::Takes;

constexpr const char* bash_head = R"(# Completion of grbda in bash; written by: grbda completion bash

_grbda_models() {  # folders, and files whose names end as those of models
    local ending
    compgen -d -- "$1"
    for ending in @ENDINGS@; do compgen -f -X "!*.$ending" -- "$1"; done
}

_grbda_names() {  # names in the robot on the line: joint, frame or state
    local each ending files=()
    for each in "${COMP_WORDS[@]:2}"; do
        for ending in @ENDINGS@; do [[ $each != *.$ending || ! -f $each ]] || files+=("$each"); done
    done
    ((${#files[@]} == 0)) || "${COMP_WORDS[0]}" names "$1" "${files[@]}" 2> /dev/null
}

_grbda() {
    local command=${COMP_WORDS[1]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local words= files= names= value=
    COMPREPLY=()
    [[ $word != = ]] || word=
    [[ $before != = ]] || before=${COMP_WORDS[COMP_CWORD - 2]}  # --option=value comes as three words
    ((COMP_CWORD > 1)) || command=

)";

constexpr const char* bash_tail = R"(
    [[ -z $names ]] || words=$(_grbda_names "$names")
    [[ -z $value ]] || words=${words//$'\n'/=$'\n'}=
    local given=
    if [[ $word == *,* && $word != -* ]]; then
        given=${word%,*},
        word=${word##*,}
    fi
    case $files in
        '') mapfile -t COMPREPLY < <(compgen -P "$given" -W "$words" -- "$word") ;;
        models) mapfile -t COMPREPLY < <(_grbda_models "$given$word") ;;
        folder) mapfile -t COMPREPLY < <(compgen -d -- "$given$word") ;;
    esac
    if [[ $files == any || ($files == models && ${#COMPREPLY[@]} == 0) ]]; then
        mapfile -t COMPREPLY < <(compgen -f -- "$given$word")
    fi
    [[ -z $value ]] || compopt -o nospace 2> /dev/null
    [[ -z $files ]] || compopt -o filenames 2> /dev/null
}
complete -F _grbda grbda
)";

/// Completions for the value of an option, as variables of the script.
std::string bash_values(const OptionFacts& option) {
    switch (option.takes) {
        case Takes::words: return "words='" + join_words(option.words, " ") + "'";
        case Takes::file: return "files=any";
        case Takes::folder: return "files=folder";
        case Takes::model: return "files=models";
        case Takes::name: return "names=" + option.kind + (option.has_value ? " value=1" : "");
        case Takes::text:
        case Takes::nothing: break;
    }
    return ":";
}

/// Completions without a known preceding word: options, or positional arguments of a command.
std::string bash_command(const CommandFacts& command, const std::string& commands) {
    std::vector<std::string> names;
    std::string place = command.name.empty() ? "words='" + commands + "'" : ":";
    for (const OptionFacts& option : command.options) {
        if (option.is_argument)
            place = bash_values(option);
        else
            names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return "        '" + command.name + " '-*) words='" + join_words(names, " ") + "' ;;\n        '" +
           command.name + " '*) " + place + " ;;\n";
}

/// A pattern for each name of the option, after the command's.
std::string bash_patterns(const CommandFacts& command, const OptionFacts& option) {
    std::vector<std::string> patterns;
    for (const std::string& name : option.names) patterns.push_back("'" + command.name + " " + name + "'");
    return join_words(patterns, " | ");
}

}  // namespace

std::string bash_completion(const std::vector<CommandFacts>& table) {
    std::vector<std::string> commands;
    for (const CommandFacts& command : table)
        if (!command.name.empty()) commands.push_back(command.name);
    std::string text = replaced(bash_head, "@ENDINGS@", join_words(model_endings, " "));
    text += "    case \"$command $before\" in\n";
    for (const CommandFacts& command : table)
        for (const OptionFacts& option : command.options)
            if (option.takes != Takes::nothing && !option.is_argument)
                text += "        " + bash_patterns(command, option) + ") " + bash_values(option) + " ;;\n";
    text += "        *) case \"$command $word\" in\n";
    for (const CommandFacts& command : table) text += bash_command(command, join_words(commands, " "));
    return text + "        esac ;;\n    esac\n" + bash_tail;
}

}  // namespace grbda::tool
