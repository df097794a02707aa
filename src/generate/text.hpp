#pragma once

#include <string>
#include <string_view>

namespace grbda::generated {

/// Replaces a word in braces at all its occurrences in `text`.
inline std::string with(std::string_view text, std::string_view word, std::string_view other) {
    std::string result(text);
    for (std::size_t i = result.find(word); i != std::string::npos; i = result.find(word, i + other.size()))
        result.replace(i, word.size(), other);
    return result;
}

}  // namespace grbda::generated
