#pragma once

#include <cstddef>
#include <optional>
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

struct OpenElement {
    std::string_view name;
    std::size_t offset = 0;  ///< of its '<'
};

/// The innermost element that is begun and not ended before `end`, of text that is well-formed up to there.
/// cost    O(end)
std::optional<OpenElement> open_element(std::string_view text, std::size_t end);

/// At least as many as the text has elements and attributes.
std::size_t count_markup(std::string_view text);

struct LineAndColumn {
    int line = 1;
    int column = 1;
};

/// Where the lines of a UTF-8 text begin. Lines end in LF, CR LF or CR; a column is a character.
class Lines {
public:
    explicit Lines(std::string_view text);
    LineAndColumn at(std::size_t offset) const;  ///< of a byte; O(log size), also in a file of one line

private:
    /// From the place of byte i to that of the next.
    void step(std::size_t i, LineAndColumn& place) const;

    struct Mark {
        std::size_t offset;
        LineAndColumn place;
    };
    std::string_view text_;
    std::vector<Mark> marks_;  ///< of some characters, in order
};

}  // namespace grbda::xml
