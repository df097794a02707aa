#include "xml_source.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace grbda::xml {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Number of bytes of the UTF-8 character with this first byte; 0 if it is invalid.
std::size_t character_size(char first) {
    const unsigned byte = static_cast<unsigned char>(first);
    if (byte < 0x80U) return 1;
    if (byte >= 0xC2U && byte < 0xE0U) return 2;
    if (byte >= 0xE0U && byte < 0xF0U) return 3;
    if (byte >= 0xF0U && byte < 0xF5U) return 4;
    return 0;
}

bool is_predefined(std::string_view entity) {
    constexpr std::array<std::string_view, 5> names = {"lt", "gt", "amp", "apos", "quot"};
    return entity[0] == '#' || std::find(names.begin(), names.end(), entity) != names.end();
}

bool is_name_character(char c) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    const bool sign = std::string_view("_-.:#").find(c) != std::string_view::npos;
    return letter || sign || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80U;
}

/// The end of the markup that begins at `begin`: one past its last character, or the end of the text.
std::size_t markup_end(std::string_view text, std::size_t begin) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> bracketed = {
        {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}}};
    for (const auto& [open, close] : bracketed) {
        if (text.substr(begin, open.size()) != open) continue;
        const std::size_t end = text.find(close, begin + open.size());
        return end == std::string_view::npos ? text.size() : end + close.size();
    }
    const bool is_declaration = text.substr(begin, 2) == "<!";
    char quote = 0;
    int depth = 0;  // a DOCTYPE contains declarations of its own
    for (std::size_t i = begin; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != 0) {
            quote = c == quote ? 0 : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '<') {
            ++depth;
        } else if (c == '>' && (--depth == 0 || !is_declaration)) {
            return i + 1;
        }
    }
    return text.size();
}

}  // namespace

std::optional<OpenElement> open_element(std::string_view text, std::size_t end) {
    text = text.substr(0, end);
    std::vector<OpenElement> open;
    for (std::size_t begin = text.find('<'); begin != std::string_view::npos;) {
        const std::size_t after = markup_end(text, begin);
        const std::string_view markup = text.substr(begin, after - begin);
        const bool is_element =
            markup.size() > 2 && markup[1] != '!' && markup[1] != '?' && markup.back() == '>';
        if (is_element && markup[1] == '/') {
            if (!open.empty()) open.pop_back();
        } else if (is_element && markup[markup.size() - 2] != '/') {
            const std::string_view name = markup.substr(1, markup.find_first_of(" \t\r\n>", 1) - 1);
            open.push_back({name, begin});
        }
        begin = text.find('<', after);
    }
    if (open.empty()) return std::nullopt;
    return open.back();
}

bool is_utf8(std::string_view text) {
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t size = character_size(text[i]);
        if (size == 0 || i + size > text.size()) return false;
        for (std::size_t j = 1; j < size; ++j) {
            if (!is_continuation(text[i + j])) return false;
        }
        i += size;
    }
    return true;
}

std::string latin1_to_utf8(std::string_view text) {
    const auto is_two_bytes = [](char c) { return static_cast<unsigned char>(c) >= 0x80U; };
    std::string utf8;
    utf8.reserve(text.size() +
                 static_cast<std::size_t>(std::count_if(text.begin(), text.end(), is_two_bytes)));
    for (const char c : text) {
        const unsigned byte = static_cast<unsigned char>(c);
        if (byte < 0x80U) {
            utf8 += c;
        } else {
            utf8 += static_cast<char>(0xC0U | (byte >> 6U));
            utf8 += static_cast<char>(0x80U | (byte & 0x3FU));
        }
    }
    return utf8;
}

std::string_view unresolved_entity(std::string_view raw_text) {
    for (std::size_t i = raw_text.find('&'); i != std::string_view::npos; i = raw_text.find('&', i + 1)) {
        std::size_t end = i + 1;
        while (end < raw_text.size() && is_name_character(raw_text[end])) ++end;
        const bool reference = end > i + 1 && end < raw_text.size() && raw_text[end] == ';';
        if (reference && !is_predefined(raw_text.substr(i + 1, end - i - 1))) {
            return raw_text.substr(i, end - i + 1);
        }
    }
    return {};
}

std::size_t count_markup(std::string_view text) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '=') ++count;
        if (text[i] != '<') continue;
        const char next = i + 1 < text.size() ? text[i + 1] : '/';
        if (next != '/' && next != '!' && next != '?') ++count;
    }
    return count;
}

Lines::Lines(std::string_view text) : text_(text) {
    constexpr std::size_t spacing = 512;  // bytes between marks: little memory, and short counts from one
    const bool marked = text.substr(0, byte_order_mark.size()) == byte_order_mark;
    marks_.push_back({marked ? byte_order_mark.size() : 0, {1, 1}});
    LineAndColumn place;
    for (std::size_t i = marks_.front().offset; i < text.size(); ++i) {
        step(i, place);
        const bool is_far = i + 1 - marks_.back().offset >= spacing;
        const bool is_character = i + 1 < text.size() && !is_continuation(text[i + 1]);
        if (is_far && is_character) marks_.push_back({i + 1, place});
    }
}

void Lines::step(std::size_t i, LineAndColumn& place) const {
    const bool ends =
        text_[i] == '\n' || (text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n'));
    if (ends) {
        place = {place.line + 1, 1};
    } else if (!is_continuation(text_[i])) {
        ++place.column;
    }
}

LineAndColumn Lines::at(std::size_t offset) const {
    offset = std::clamp(offset, marks_.front().offset, std::max(marks_.front().offset, text_.size()));
    const Mark& mark =
        *(std::upper_bound(marks_.begin(), marks_.end(), offset,
                           [](std::size_t place, const Mark& other) { return place < other.offset; }) -
          1);
    LineAndColumn place = mark.place;
    for (std::size_t i = mark.offset; i < offset; ++i) step(i, place);
    return place;
}

}  // namespace grbda::xml
