#pragma once

#include <optional>
#include <string_view>
#include <vector>

// Parsing of numbers in text files, independent of the locale.

namespace grbda {

/// Files that must state a finite limit use numbers from here on to mean "none".
inline constexpr double no_limit = 1e16;

/// `text` without spaces, tabs and line ends at its two ends.
std::string_view trim(std::string_view text);

/// Parses one decimal number: padding, a leading '+' or '.', scientific notation, inf and nan are
/// allowed; text after the number, an overflow or an empty text are not. Underflow gives zero.
std::optional<double> parse_number(std::string_view text);

/// Parses numbers separated by spaces, tabs or line ends; returns nothing if one is invalid.
std::optional<std::vector<double>> parse_numbers(std::string_view text);

}  // namespace grbda
