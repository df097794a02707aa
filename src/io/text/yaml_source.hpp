#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grbda/diagnostics.hpp"

// The text of a YAML file as an editor shows it: encoding, lines and columns.

namespace grbda::yaml {

struct Place {
    int line = 0, column = 0;  ///< from 1
};

/// The findings of one file.
struct Findings {
    std::string file;
    Diagnostics& diagnostics;

    /// The file as the subject of a finding.
    Subject whole() const { return {"file", file, "file"}; }
    void error(Code code, Place place, Subject subject, std::string expected, std::string found,
               std::string hint) {
        diagnostics.push_back({Severity::error,
                               code,
                               {file, place.line, place.column},
                               std::move(subject),
                               std::move(expected),
                               std::move(found),
                               std::move(hint)});
    }
};

/// Lines and columns in characters, from the parser's, which are in bytes.
class Places {
public:
    explicit Places(std::string_view text);
    /// Place of the byte at `position`; `line` and `column` count from 0. Negative: the file's start.
    Place at(int position, int line, int column) const;

private:
    std::vector<int> continuations_;  ///< number of bytes up to each place that begin no character
};

/// Returns the text in UTF-8, without byte order mark; invalid text is an error.
std::optional<std::string> decode(const std::string& text, Findings& findings);

/// True if the line begins with white space that contains a tab.
bool is_indented_by_tab(std::string_view text, int line);

/// Start of the character that contains this byte.
std::size_t start_of_character(std::string_view text, std::size_t byte);

}  // namespace grbda::yaml
