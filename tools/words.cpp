#include "words.hpp"

namespace grbda::tool {

std::vector<std::string> split_words(const std::string& text, char separator) {
    std::vector<std::string> words(1);
    for (const char letter : text) {
        if (letter == separator)
            words.emplace_back();
        else
            words.back() += letter;
    }
    return words;
}

std::string join_words(const std::vector<std::string>& words, const std::string& separator) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : separator) + words[i];
    return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace grbda::tool
