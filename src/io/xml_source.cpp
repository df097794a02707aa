#include "xml_source.hpp"

#include <algorithm>
#include <array>

namespace grbda::xml {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Bytes of the UTF-8 character that begins so; 0 if none does.
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

}  // namespace

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
    std::string utf8;
    utf8.reserve(text.size() + text.size() / 8);
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

Lines::Lines(std::string_view text) : text_(text) {
    starts_.push_back(text.substr(0, byte_order_mark.size()) == byte_order_mark ? byte_order_mark.size() : 0);
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool ends = text[i] == '\n' || (text[i] == '\r' && text.substr(i + 1, 1) != "\n");
        if (ends) starts_.push_back(i + 1);
    }
}

LineAndColumn Lines::at(std::size_t offset) const {
    offset = std::clamp(offset, starts_.front(), std::max(starts_.front(), text_.size()));
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    const std::size_t start = *(after - 1);
    const std::string_view before = text_.substr(start, offset - start);
    const auto continuations = std::count_if(before.begin(), before.end(), is_continuation);
    return {static_cast<int>(after - starts_.begin()),
            static_cast<int>(static_cast<std::ptrdiff_t>(before.size()) - continuations) + 1};
}

}  // namespace grbda::xml
