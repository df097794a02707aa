#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "grbda/export.hpp"

namespace grbda {

/// Place in a user's file. Line 0: the thing was not read from a file.
struct SourceLocation {
    std::string file;
    int line = 0;
    int column = 0;
};

enum class Severity { note, warning, error };

/// What kind of finding it is. Codes stay what they are while the words of messages may change;
/// docs/diagnostics.md says of each what to do about it.
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
    // What becomes of what is written
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

/// All codes are the numbers below this one.
inline constexpr int code_count = static_cast<int>(Code::self_collision) + 1;

/// What a finding is about.
struct GRBDA_EXPORT Subject {
    std::string kind;  ///< "joint", "loop", "file", …; of a part, what it belongs to
    std::string name;  ///< "knee"; empty where it has none
    std::string text;  ///< as messages call it: "joint 'knee'", "<limit> of joint 'knee'"

    /// "joint 'knee'".
    static Subject of(const std::string& kind, const std::string& name);
};

/// One finding about what the user gave: what kind, where, on which element, what was
/// expected, what was found, and what to do about it.
struct GRBDA_EXPORT Diagnostic {
    Diagnostic(Severity severity, Code code, SourceLocation where, Subject subject, std::string expected = {},
               std::string found = {}, std::string hint = {}, bool strict = false);

    Severity severity;
    Code code;
    SourceLocation where;
    Subject subject;
    std::string expected;  ///< what must hold; for a note, what was done
    std::string found;     ///< what the file says instead; may be empty
    std::string hint;      ///< how to mend it; may be empty
    bool strict;           ///< of a warning: an error where the options ask for strictness
};

/// All findings, in the order in which they were made.
using Diagnostics = std::vector<Diagnostic>;

[[nodiscard]] GRBDA_EXPORT bool has_errors(const Diagnostics& diagnostics);

/// Warnings marked strict become errors.
GRBDA_EXPORT void apply_strictness(Diagnostics& diagnostics);

/// "file:line:column: error: joint 'knee': expected …, found … (hint)".
GRBDA_EXPORT std::string to_string(const Diagnostic& diagnostic);
GRBDA_EXPORT std::string to_string(Severity severity);
/// "unknown-name".
GRBDA_EXPORT std::string to_string(Code code);

/// A name or a value as messages show it: "'knee'".
GRBDA_EXPORT std::string quoted(const std::string& text);

/// The entries of `names` nearest to `name` in edit distance, as a hint:
/// "did you mean 'left_knee' or 'left_knee_2'?"; empty where none is near.
GRBDA_EXPORT std::string nearest_name_hint(const std::string& name, const std::vector<std::string>& names);

/// A robot that cannot be loaded, with every finding made before giving up.
class GRBDA_EXPORT LoadError : public std::runtime_error {
public:
    explicit LoadError(Diagnostics diagnostics);
    const Diagnostics& diagnostics() const { return diagnostics_; }

private:
    Diagnostics diagnostics_;
};

}  // namespace grbda
