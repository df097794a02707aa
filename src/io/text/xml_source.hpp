#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The text of an XML file as an editor shows it: encoding, lines and columns.

namespace grbda::xml {

/// True if the text is valid UTF-8 (which includes ASCII).
bool is_utf8(std::string_view text);

/// Converts each byte to the Unicode character of its number.
std::string latin1_to_utf8(std::string_view text);

/// Returns a reference such as &width; that XML itself does not define, or "".
std::string_view unresolved_entity(std::string_view raw_text);

struct OpenElement {
    std::string_view name;
    std::size_t offset = 0;  ///< of its '<'
};

/// The innermost element that is open at `end`, for
/// text that is well-formed up to there. cost    O(end)
std::optional<OpenElement> open_element(std::string_view text, std::size_t end);

/// An upper bound on the number of elements and attributes in the text.
std::size_t count_markup(std::string_view text);

struct LineAndColumn {
    int line = 1;
    int column = 1;
};

/// Positions of line starts in a UTF-8 text. Lines end in LF, CR LF or CR; a column is a character.
class Lines {
public:
    explicit Lines(std::string_view text);
    LineAndColumn at(std::size_t offset) const;  ///< of a byte; O(log size), also in a file of one line

private:
    /// Moves from the place of byte i to that of the next.
    void step(std::size_t i, LineAndColumn& place) const;

    struct Mark {
        std::size_t offset;
        LineAndColumn place;
    };
    std::string_view text_;
    std::vector<Mark> marks_;  ///< of some characters, in order
};

}  // namespace grbda::xml
