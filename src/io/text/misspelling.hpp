#pragma once

#include <string_view>

namespace grbda {

/// True if `written` is most likely a misspelling of `meant`: they differ in case, in one character, or in
/// the order of two neighbours. False for names that differ in a final number, and for very short ones.
bool is_misspelling(std::string_view written, std::string_view meant);

}  // namespace grbda
