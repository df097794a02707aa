#include "man_page.hpp"

#include <algorithm>

#include "grbda/version.hpp"
#include "words.hpp"

namespace grbda::tool {
namespace {

constexpr const char* man_head = R"(.\" written by: grbda --man
.TH GRBDA 1 "" "grbda @VERSION@" "User Commands"
.SH NAME
grbda \- rigid\-body dynamics of robots with kinematic loops
.SH SYNOPSIS
.B grbda
.I COMMAND
[\fIOPTIONS\fR]
.I MODEL\fR...
.SH DESCRIPTION
.B grbda
reads a robot description, tells what it is, checks it, and computes its dynamics. A model is one file in URDF,
URDF+, MJCF or SDF, with any side files of it, Extended URDF's YAML, XRDF or SRDF, in any order; files are told apart
by what they hold. Units are those of the SI, and radians.
)";

constexpr const char* man_tail = R"(.SH EXIT STATUS
.TP
.B 0
What was asked for is there.
.TP
.B 1
A file is at fault: errors in the description or in the states, or it cannot be read or written.
.TP
.B 2
The command line is at fault: options, names that the robot does not have, values that cannot be, an output that is
an input. Or an internal error.
.TP
.B 3
There is no answer to what is asked: loops that cannot be closed, a search that has not converged, a step that fails.
.SH ENVIRONMENT
.TP
.B NO_COLOR
Findings are written without colour, on a terminal too.
)";

/// Escapes text for roff.
std::string man_text(std::string text) {
    text = replaced(replaced(text, "\\", "\\e"), "-", "\\-");
    return text.starts_with('.') || text.starts_with('\'') ? "\\&" + text : text;
}

std::string in_bold(const std::string& text) { return "\\fB" + man_text(text) + "\\fR"; }
std::string in_italics(const std::string& text) { return "\\fI" + man_text(text) + "\\fR"; }

std::string man_option(const OptionFacts& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.names)
        names.push_back(option.is_argument ? in_italics(name) : in_bold(name));
    std::string text = ".TP\n" + join_words(names, ", ");
    if (!option.type.empty() && !option.is_argument) text += " " + in_italics(option.type);
    if (option.repeats) text += " ...";
    text += "\n" + man_text(option.help);
    if (!option.words.empty()) text += "\n.br\nOne of: " + man_text(join_words(option.words, ", "));
    if (!option.standard.empty()) text += "\n.br\nWithout it: " + man_text(option.standard);
    if (option.is_required && !option.is_argument) text += "\n.br\nRequired.";
    return text + "\n";
}

/// Indented lines are kept as they are, the others are filled.
std::string man_footer(const std::string& footer) {
    std::string text;
    bool stands = false;
    for (const std::string& line : split_words(footer, '\n')) {
        const bool set_in = line.starts_with("  ");
        if (set_in != stands) text += set_in ? ".nf\n" : ".fi\n";
        stands = set_in;
        text += (line.empty() ? ".PP" : man_text(line)) + "\n";
    }
    return text + (stands ? ".fi\n" : "");
}

bool reads_model(const CommandFacts& command) {
    return std::any_of(command.options.begin(), command.options.end(),
                       [](const OptionFacts& option) { return option.takes == OptionFacts::Takes::model; });
}

/// Options of all commands on a model.
std::vector<OptionFacts> common_options(const std::vector<CommandFacts>& table) {
    std::vector<OptionFacts> common;
    for (const CommandFacts& command : table) {
        if (!reads_model(command)) continue;
        if (common.empty()) common = command.options;
        std::erase_if(common, [&](const OptionFacts& option) {
            return std::find(command.options.begin(), command.options.end(), option) == command.options.end();
        });
    }
    return common;
}

std::string man_command(const CommandFacts& command, const std::vector<OptionFacts>& common) {
    std::string text = ".SS " + command.name + "\n" + man_text(command.help) + ".\n";
    for (const OptionFacts& option : command.options)
        if (!reads_model(command) || std::find(common.begin(), common.end(), option) == common.end())
            text += man_option(option);
    return text + ".PP\n" + man_footer(command.footer);
}

}  // namespace

std::string man_page(const std::vector<CommandFacts>& table) {
    const std::vector<OptionFacts> common = common_options(table);
    std::string text = replaced(man_head, "@VERSION@", man_text(GRBDA_VERSION));
    text += ".SH OPTIONS\n";
    for (const OptionFacts& option : table.front().options) text += man_option(option);
    text += ".SH COMMANDS\n";
    for (const CommandFacts& command : table)
        if (!command.name.empty()) text += man_command(command, common);
    text += ".SH OPTIONS OF EVERY COMMAND ON A MODEL\n";
    for (const OptionFacts& option : common) text += man_option(option);
    return text + man_tail + ".SH EXAMPLES\n" + man_footer(replaced(table.front().footer, "Examples:\n", ""));
}

}  // namespace grbda::tool
