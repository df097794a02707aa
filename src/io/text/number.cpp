#include "number.hpp"

#include "description/number_text.hpp"

namespace grbda {

namespace {

constexpr std::string_view white_space = " \t\r\n";

/// For a number out of range: true if it is too small, not too large. Decides
/// by the sign of the exponent, or without an exponent by the leading digit.
bool underflows(std::string_view number) {
    const std::size_t exponent = number.find_first_of("eE");
    if (exponent != std::string_view::npos) return number.substr(exponent + 1, 1) == "-";
    const std::size_t digit = number.find_first_not_of('-');
    return number[digit] == '0' || number[digit] == '.';
}

}  // namespace

std::string_view trim(std::string_view text) {
    const std::size_t first = text.find_first_not_of(white_space);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

std::optional<double> parse_number(std::string_view text) {
    text = trim(text);
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    double value = 0;
    const char* end = text.data() + text.size();
    const std::from_chars_result result = read_number(text, value);
    if (result.ptr != end) return std::nullopt;
    if (result.ec == std::errc::result_out_of_range && underflows(text)) return 0.0;
    if (result.ec != std::errc()) return std::nullopt;
    return value;
}

std::optional<std::vector<double>> parse_numbers(std::string_view text) {
    std::vector<double> values;
    for (text = trim(text); !text.empty(); text = trim(text)) {
        const std::string_view word = text.substr(0, text.find_first_of(white_space));
        const std::optional<double> value = parse_number(word);
        if (!value) return std::nullopt;
        values.push_back(*value);
        text.remove_prefix(word.size());
    }
    return values;
}

}  // namespace grbda
