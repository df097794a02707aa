#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// The text of an XML file as a user sees it in an editor: encoding, lines and columns.

namespace grbda::xml {

/// Is this UTF-8 (of which ASCII is a part)?
bool is_utf8(std::string_view text);

/// Each byte taken as the Unicode character of its number.
std::string latin1_to_utf8(std::string_view text);

/// Does it hold a reference such as &width; that XML itself does not define? Returns it, or "".
std::string_view unresolved_entity(std::string_view raw_text);

struct LineAndColumn {
    int line = 1;
    int column = 1;
};

/// Where the lines of a UTF-8 text begin. Lines end in LF, CR LF or CR; a column is a character.
class Lines {
public:
    explicit Lines(std::string_view text);
    LineAndColumn at(std::size_t offset) const;  ///< of a byte; O(log lines + length of the line)

private:
    std::string_view text_;
    std::vector<std::size_t> starts_;
};

}  // namespace grbda::xml
