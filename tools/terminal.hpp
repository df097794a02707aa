#pragma once

#include <cstdio>

#include "grbda/diagnostics.hpp"

namespace grbda::tool {

/// One line for each finding of at least this severity; in colour if `stream` is a terminal and
/// NO_COLOR is not set.
void print(std::FILE* stream, const Diagnostics& diagnostics, Severity least = Severity::note);

/// The same on standard error, with notes or only their number.
void print_findings(const Diagnostics& diagnostics, bool notes);

/// "2 errors, 1 warning, 3 notes".
std::string counts(const Diagnostics& diagnostics);
int count_of(const Diagnostics& diagnostics, Severity severity);

/// `text` inside ANSI colour codes, or unchanged.
std::string coloured(std::FILE* stream, Severity severity, const std::string& text);

}  // namespace grbda::tool
