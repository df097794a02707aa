#include "yaml_source.hpp"

#include <algorithm>

#include "xml_source.hpp"

namespace grbda::yaml {

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

/// Converts to UTF-8 without a byte order mark.
std::string to_utf8(const std::string& text, Findings& findings) {
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    const bool marked = std::string_view(text).substr(0, byte_order_mark.size()) == byte_order_mark;
    const std::string rest = text.substr(marked ? byte_order_mark.size() : 0);
    if (xml::is_utf8(rest)) return rest;
    findings.diagnostics.push_back({Severity::note,
                                    Code::assumed,
                                    {findings.file, 1, 1},
                                    findings.whole(),
                                    "bytes that are not UTF-8 were read as Latin-1",
                                    "",
                                    "save the file as UTF-8"});
    return xml::latin1_to_utf8(rest);
}

/// YAML allows no other control characters; the parser takes one of them for the end of the file.
bool is_text(const std::string& text, Findings& findings) {
    const auto is_control = [](char c) {
        const unsigned byte = static_cast<unsigned char>(c);
        return (byte < 0x20U && c != '\t' && c != '\n' && c != '\r') || byte == 0x7FU;
    };
    const auto first = std::find_if(text.begin(), text.end(), is_control);
    if (first == text.end()) return true;
    const xml::LineAndColumn place = xml::Lines(text).at(static_cast<std::size_t>(first - text.begin()));
    const int code = static_cast<unsigned char>(*first);
    findings.error(Code::syntax, {place.line, place.column}, findings.whole(), "text in UTF-8",
                   code == 0 ? "a zero byte" : "the control character " + std::to_string(code),
                   "save the file as UTF-8");
    return false;
}

}  // namespace

Places::Places(std::string_view text) {
    continuations_.reserve(text.size() + 1);
    continuations_.push_back(0);
    for (const char c : text) continuations_.push_back(continuations_.back() + (is_continuation(c) ? 1 : 0));
}

Place Places::at(int position, int line, int column) const {
    if (line < 0 || column < 0) return {1, 1};
    const int end = std::clamp(position, 0, static_cast<int>(continuations_.size()) - 1);
    const int start = std::clamp(position - column, 0, end);
    const int inner =
        continuations_[static_cast<std::size_t>(end)] - continuations_[static_cast<std::size_t>(start)];
    return {line + 1, std::max(1, column - inner + 1)};
}

std::optional<std::string> decode(const std::string& text, Findings& findings) {
    std::string source = to_utf8(text, findings);
    if (!is_text(source, findings)) return std::nullopt;
    return source;
}

bool is_indented_by_tab(std::string_view text, int line) {
    std::size_t start = 0;
    for (int i = 1; i < line && start < text.size(); ++i) {
        const std::size_t end = text.find('\n', start);
        start = end == std::string_view::npos ? text.size() : end + 1;
    }
    const std::size_t first = text.find_first_not_of(' ', start);
    return first != std::string_view::npos && text[first] == '\t';
}

std::size_t start_of_character(std::string_view text, std::size_t byte) {
    while (byte > 0 && is_continuation(text[byte])) --byte;
    return byte;
}

}  // namespace grbda::yaml
