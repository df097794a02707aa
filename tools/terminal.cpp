#include "terminal.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include <unistd.h>

namespace grbda::tool {
namespace {

bool is_colour_wanted(std::FILE* stream) {
    const char* no_colour = std::getenv("NO_COLOR");
    if (no_colour != nullptr && *no_colour != '\0') return false;
    const char* terminal = std::getenv("TERM");
    if (terminal != nullptr && std::string(terminal) == "dumb") return false;
    return isatty(fileno(stream)) == 1;
}

std::string counted(int count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

bool is_at_least(Severity severity, Severity least) {
    switch (least) {
        case Severity::note: return true;
        case Severity::warning: return severity != Severity::note;
        case Severity::error: break;
    }
    return severity == Severity::error;
}

}  // namespace

std::string coloured(std::FILE* stream, Severity severity, const std::string& text) {
    if (!is_colour_wanted(stream)) return text;
    const char* code = severity == Severity::error ? "31" : severity == Severity::warning ? "33" : "36";
    return std::string("\033[1;") + code + "m" + text + "\033[0m";
}

void print(std::FILE* stream, const Diagnostics& diagnostics, Severity least) {
    for (Diagnostic entry : diagnostics) {
        if (!is_at_least(entry.severity, least)) continue;
        const std::string line = to_string(entry);
        entry.where = {};
        const std::string said = to_string(entry);  // without its place: starts with the severity
        const std::string severity = to_string(entry.severity);
        std::fprintf(stream, "%s%s%s\n", line.substr(0, line.size() - said.size()).c_str(),
                     coloured(stream, entry.severity, severity).c_str(),
                     said.substr(severity.size()).c_str());
    }
}

void print_findings(const Diagnostics& diagnostics, bool notes) {
    print(stderr, diagnostics, notes ? Severity::note : Severity::warning);
    const int count = count_of(diagnostics, Severity::note);
    if (!notes && count > 0)
        std::fprintf(stderr, "%s (--notes shows %s)\n", counted(count, "note").c_str(),
                     count == 1 ? "it" : "them");
}

int count_of(const Diagnostics& diagnostics, Severity severity) {
    return static_cast<int>(
        std::count_if(diagnostics.begin(), diagnostics.end(),
                      [&](const Diagnostic& entry) { return entry.severity == severity; }));
}

std::string counts(const Diagnostics& diagnostics) {
    return counted(count_of(diagnostics, Severity::error), "error") + ", " +
           counted(count_of(diagnostics, Severity::warning), "warning") + ", " +
           counted(count_of(diagnostics, Severity::note), "note");
}

}  // namespace grbda::tool
