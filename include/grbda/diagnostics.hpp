#pragma once

#include <iosfwd>
#include <stdexcept>
#include <string>
#include <vector>

#include "grbda/export.hpp"

namespace grbda {

/// Location in a file. Line 0 means that the element was not read from a file.
struct SourceLocation {
    std::string file;
    int line = 0;
    int column = 0;
};

enum class Severity { note, warning, error };

/// The kind of a finding. Codes are stable; the text of messages may change. docs/diagnostics.md explains
/// each code and how to respond.
enum class Code {
    // Files and their text
    unreadable,
    unknown_format,
    file_set,
    include,
    syntax,
    too_large,
    unexpanded,
    // Elements and values
    unknown_element,
    unknown_attribute,
    misplaced,
    missing,
    repeated,
    conflict,
    unknown_word,
    bad_number,
    wrong_shape,
    out_of_range,
    // Names
    unknown_name,
    duplicate_name,
    wrong_kind,
    same_ends,
    cycle,
    // Treatment of what the file contains
    unsupported,
    left_out,
    ignored,
    assumed,
    rewritten,
    // The mechanism
    inertia,
    unreachable,
    passive_forces,
    fixed_together,
    coupling_ratio,
    redundant,
    // Its assembly
    not_closed,
    assembly,
    locked,
    misfit,
    independents,
    idle,
    state,
    self_collision,
};

/// All codes are below this number.
inline constexpr int code_count = static_cast<int>(Code::self_collision) + 1;

/// The subject of a finding.
struct GRBDA_EXPORT Subject {
    std::string kind;  ///< "joint", "loop", "file", …; for a part, the kind of its owner
    std::string name;  ///< "knee"; empty if it has none
    std::string text;  ///< as in messages: "joint 'knee'", "<limit> of joint 'knee'"

    /// Makes the subject "joint 'knee'".
    static Subject of(const std::string& kind, const std::string& name);
};

/// One finding about the user's input: its kind, place and element, what was
/// expected, what was found, and how to fix it.
struct GRBDA_EXPORT Diagnostic {
    Diagnostic(Severity severity, Code code, SourceLocation where, Subject subject, std::string expected = {},
               std::string found = {}, std::string hint = {}, bool strict = false);

    Severity severity;
    Code code;
    SourceLocation where;
    Subject subject;
    std::string expected;  ///< the condition; for a note, what was done
    std::string found;     ///< the content of the file; may be empty
    std::string hint;      ///< how to fix it; may be empty
    bool strict;           ///< for a warning: an error if the options require strictness
};

/// All findings, in the order in which they were made.
using Diagnostics = std::vector<Diagnostic>;

[[nodiscard]] GRBDA_EXPORT bool has_errors(const Diagnostics& diagnostics);

/// Turns warnings that are marked strict into errors.
GRBDA_EXPORT void apply_strictness(Diagnostics& diagnostics);

/// Formats a finding: "file:line:column: error: joint 'knee': expected …, found … (hint)".
GRBDA_EXPORT std::string to_string(const Diagnostic& diagnostic);
/// Prints a finding in one line, or all findings in one line each.
GRBDA_EXPORT std::ostream& operator<<(std::ostream& out, const Diagnostic& diagnostic);
GRBDA_EXPORT std::ostream& operator<<(std::ostream& out, const Diagnostics& diagnostics);
GRBDA_EXPORT std::string to_string(Severity severity);
/// Returns the code as in messages: "unknown-name".
GRBDA_EXPORT std::string to_string(Code code);

/// Quotes a name or a value as in messages: "'knee'".
GRBDA_EXPORT std::string quoted(const std::string& text);

/// Returns a hint with the entries of `names` nearest to `name` in edit distance, or if none is near, with
/// those that contain it: "did you mean 'left_knee' or 'left_knee_2'?"; empty without such names.
GRBDA_EXPORT std::string nearest_name_hint(const std::string& name, const std::vector<std::string>& names);

/// Thrown if a robot cannot be loaded; contains every finding made before loading stopped.
class GRBDA_EXPORT LoadError : public std::runtime_error {
public:
    explicit LoadError(Diagnostics diagnostics);
    const Diagnostics& diagnostics() const { return diagnostics_; }

private:
    Diagnostics diagnostics_;
};

}  // namespace grbda
