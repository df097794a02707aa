#pragma once

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

// Conversion of numbers from and to text. If the standard library lacks std::from_chars and std::to_chars for
// doubles, as libc++ 13 does, the C library computes the same values: such programs must keep the C locale.

namespace grbda {

#if defined(__cpp_lib_to_chars)

/// The shortest text that reads back as the same number.
inline std::string shortest_text(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

/// Writes at most this many significant digits.
inline std::string rounded_text(double value, int digits) {
    char text[32];  // sign, digits, point, exponent
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits).ptr};
}

/// Same as std::from_chars.
inline std::from_chars_result read_number(std::string_view text, double& value) {
    return std::from_chars(text.data(), text.data() + text.size(), value);
}

#else

inline std::string rounded_text(double value, int digits) {
    char text[32];
    return {text, static_cast<std::size_t>(std::snprintf(text, sizeof text, "%.*g", digits, value))};
}

inline std::string shortest_text(double value) {
    for (int digits = 15; digits < 17; ++digits) {
        const std::string text = rounded_text(value, digits);
        if (std::strtod(text.c_str(), nullptr) == value) return text;
    }
    return rounded_text(value, 17);
}

namespace description {

/// Length of the number at the start of the text, by the grammar of std::from_chars; 0 without one.
inline std::size_t number_length(std::string_view text) {
    const auto digits_from = [&](std::size_t i) {
        while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
        return i;
    };
    const std::size_t begin = !text.empty() && text[0] == '-' ? 1 : 0;
    for (const char* word : {"infinity", "inf", "nan"}) {
        const std::string_view name(word);
        std::size_t i = 0;
        while (i < name.size() && begin + i < text.size() && (text[begin + i] | 0x20) == name[i]) ++i;
        if (i == name.size()) return begin + i;
    }
    std::size_t end = digits_from(begin), digits = end - begin;
    if (end < text.size() && text[end] == '.') {
        const std::size_t last = digits_from(end + 1);
        digits += last - end - 1;
        end = last;
    }
    if (digits == 0) return 0;
    if (end < text.size() && (text[end] | 0x20) == 'e') {
        std::size_t exponent = end + 1;
        if (exponent < text.size() && (text[exponent] == '-' || text[exponent] == '+')) ++exponent;
        if (digits_from(exponent) > exponent) end = digits_from(exponent);
    }
    return end;
}

}  // namespace description

inline std::from_chars_result read_number(std::string_view text, double& value) {
    const std::size_t length = description::number_length(text);
    if (length == 0) return {text.data(), std::errc::invalid_argument};
    const std::string number(text.substr(0, length));
    const double read = std::strtod(number.c_str(), nullptr);
    const bool has_digit = number.find_first_of("123456789") < number.find_first_of("eE");
    const bool is_word =
        (number.back() | 0x20) == 'y' || (number.back() | 0x20) == 'f' || (number.back() | 0x20) == 'n';
    const bool too_large = !is_word && (read > 1.7976931348623157e308 || read < -1.7976931348623157e308);
    if (too_large || (has_digit && !is_word && read == 0))
        return {text.data() + length, std::errc::result_out_of_range};
    value = read;
    return {text.data() + length, std::errc()};
}

#endif

}  // namespace grbda
