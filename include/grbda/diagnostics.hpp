#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace grbda {

/// Place in a user's file. Line 0: the thing was not read from a file.
struct SourceLocation {
    std::string file;
    int line = 0;
    int column = 0;
};

enum class Severity { note, warning, error };

/// One finding about what the user gave: where, on which element, what was
/// expected, what was found, and what to do about it.
struct Diagnostic {
    Severity severity = Severity::error;
    SourceLocation where;
    std::string element;   ///< kind and name, as in "joint 'knee'"
    std::string expected;  ///< what must hold; for a note, what was done
    std::string found;     ///< what the file says instead; may be empty
    std::string hint;      ///< how to mend it; may be empty
    bool strict = false;   ///< of a warning: an error where the options ask for strictness
};

/// All findings, in the order in which they were made.
using Diagnostics = std::vector<Diagnostic>;

bool has_errors(const Diagnostics& diagnostics);

/// Warnings marked strict become errors.
void apply_strictness(Diagnostics& diagnostics);

/// "file:line:column: error: joint 'knee': expected …, found … (hint)".
std::string to_string(const Diagnostic& diagnostic);
std::string to_string(Severity severity);

/// The entries of `names` nearest to `name` in edit distance, as a hint:
/// "did you mean 'left_knee' or 'left_knee_2'?"; empty where none is near.
std::string nearest_name_hint(const std::string& name, const std::vector<std::string>& names);

/// A robot that cannot be loaded, with every finding made before giving up.
class LoadError : public std::runtime_error {
public:
    explicit LoadError(Diagnostics diagnostics);
    const Diagnostics& diagnostics() const { return diagnostics_; }

private:
    Diagnostics diagnostics_;
};

}  // namespace grbda
