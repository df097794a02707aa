#include "misspelling.hpp"

#include <algorithm>
#include <cstddef>

namespace grbda {

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string_view without_number(std::string_view name) {
    while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
    return name;
}

}  // namespace

bool is_misspelling(std::string_view written, std::string_view meant) {
    constexpr std::size_t shortest = 3;
    if (written == meant || std::min(written.size(), meant.size()) + 1 < shortest || meant.size() < shortest)
        return false;
    if (without_number(written) == without_number(meant)) return false;
    const std::string_view longer = written.size() < meant.size() ? meant : written;
    const std::string_view shorter = written.size() < meant.size() ? written : meant;
    if (longer.size() - shorter.size() > 1) return false;
    std::size_t same = 0;
    while (same < shorter.size() && lower(longer[same]) == lower(shorter[same])) ++same;
    const auto equal_from = [&](std::size_t in_longer, std::size_t in_shorter) {
        const std::string_view a = longer.substr(std::min(in_longer, longer.size()));
        const std::string_view b = shorter.substr(std::min(in_shorter, shorter.size()));
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](char x, char y) { return lower(x) == lower(y); });
    };
    if (longer.size() != shorter.size()) return equal_from(same + 1, same);
    if (equal_from(same + 1, same + 1)) return true;
    return same + 1 < longer.size() && lower(longer[same]) == lower(shorter[same + 1]) &&
           lower(longer[same + 1]) == lower(shorter[same]) && equal_from(same + 2, same + 2);
}

}  // namespace grbda
