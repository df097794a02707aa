#pragma once

#include <string>
#include <vector>

namespace grbda::tool {

/// Words of a text with a separator between; of an empty text one empty word.
std::vector<std::string> split_words(const std::string& text, char separator);

std::string join_words(const std::vector<std::string>& words, const std::string& separator);

/// Every `from` in the text gives way to `to`.
std::string replaced(std::string text, const std::string& from, const std::string& to);

}  // namespace grbda::tool
