#pragma once

#include <optional>
#include <string_view>
#include <vector>

// Numbers in text files, read the same way under every locale.

namespace grbda {

/// Limits from here on are how files say "none" that must have a finite number.
inline constexpr double no_limit = 1e16;

/// `text` without spaces, tabs and line ends at its two ends.
std::string_view trim(std::string_view text);

/// One decimal number: padding, a leading '+' or '.', scientific notation, inf and nan are read;
/// anything after the number, an overflow or an empty text is not. What is too small becomes zero.
std::optional<double> parse_number(std::string_view text);

/// Numbers separated by spaces, tabs or line ends; nothing if one of them is not a number.
std::optional<std::vector<double>> parse_numbers(std::string_view text);

}  // namespace grbda
