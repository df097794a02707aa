#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "grbda/diagnostics.hpp"

namespace grbda {

/// Gives nearest_name_hint until a fixed amount of work is spent: a file
/// with as many wrong names as right ones must not take quadratic time.
class NameHints {
public:
    bool are_spent() const { return compared_ > most_comparisons; }
    std::string nearest(const std::string& name, const std::vector<std::string>& names) {
        if (are_spent()) return {};
        compared_ += names.size();
        return nearest_name_hint(name, names);
    }

private:
    static constexpr std::size_t most_comparisons = 1'000'000;
    std::size_t compared_ = 0;
};

/// Names in order; of equal names the first is valid.
class NameIndex {
public:
    void add(const std::string& name) {
        positions_.emplace(name, static_cast<int>(names_.size()));
        names_.push_back(name);
    }
    /// Returns −1 if the name does not exist.
    int find(const std::string& name) const {
        const auto entry = positions_.find(name);
        return entry == positions_.end() ? -1 : entry->second;
    }
    std::string hint(const std::string& name) const { return hints_.nearest(name, names_); }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, int> positions_;
    mutable NameHints hints_;
};

}  // namespace grbda
