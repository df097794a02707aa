#pragma once

#include <string_view>

namespace grbda {

/// True where `written` is most likely meant to be `meant`: they differ in case, in one character, or in the
/// order of two neighbours. Not so for names that differ in a number at their end, and for very short ones.
bool is_misspelling(std::string_view written, std::string_view meant);

}  // namespace grbda
