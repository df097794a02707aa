#include "text.hpp"

#include <bit>
#include <cstdio>
#include <stdexcept>

#include "grbda/io/file.hpp"

namespace grbda::viewer {

std::string content_of(const std::string& path) {
    std::string found;
    std::optional<std::string> text = read_file(path, largest_states_file, found);
    if (!text) throw std::runtime_error(path + ": expected a file, found " + found);
    return *std::move(text);
}

void append_base64(std::string_view bytes, std::string& text) {
    constexpr const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        unsigned word = 0;
        for (std::size_t k = 0; k < 3; ++k)
            word = word << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        const std::size_t whole = std::min<std::size_t>(bytes.size() - i, 3) + 1;
        for (std::size_t k = 0; k < 4; ++k) text += k < whole ? digits[word >> (18 - 6 * k) & 63U] : '=';
    }
}

void append_base64(std::span<const double> numbers, std::string& text) {
    static_assert(std::endian::native == std::endian::little, "the page reads little-endian numbers");
    append_base64({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}, text);
}

std::string json_string(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            (out += '\\') += c;
        } else if (byte < 0x20 || c == '<') {
            char escaped[8];
            std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(byte));
            out += escaped;
        } else {
            out += c;
        }
    }
    return out + "\"";
}

}  // namespace grbda::viewer
