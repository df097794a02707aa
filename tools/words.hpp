#pragma once

#include <string>
#include <vector>

namespace grbda::tool {

/// Splits a text at a separator; an empty text gives one empty word.
std::vector<std::string> split_words(const std::string& text, char separator);

std::string join_words(const std::vector<std::string>& words, const std::string& separator);

/// Replaces every `from` in the text by `to`.
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace grbda::tool
