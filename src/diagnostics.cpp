#include "grbda/diagnostics.hpp"

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <utility>

namespace grbda {

namespace {

constexpr std::size_t most_names_in_a_hint = 3;

/// Edit distance (Levenshtein) of two names, or `limit` + 1 where it is larger than `limit`.
/// Only cells within `limit` of the diagonal can matter.
/// cost    O(limit · length)
std::size_t edit_distance(const std::string& a, const std::string& b, std::size_t limit,
                          std::vector<std::size_t>& row) {
    const std::size_t too_far = limit + 1;
    const std::size_t length_difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
    if (length_difference > limit) return too_far;
    row.resize(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) row[j] = std::min(j, too_far);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        const std::size_t first = i > limit ? i - limit : 1;
        const std::size_t last = std::min(b.size(), i + limit);
        std::size_t diagonal = row[first - 1];
        row[first - 1] = first == 1 ? std::min(i, too_far) : too_far;
        std::size_t smallest = row[first - 1];
        for (std::size_t j = first; j <= last; ++j) {
            const std::size_t above = row[j];  // too_far where the row before had no band here
            const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = above;
            row[j] = std::min({replaced, above + 1, row[j - 1] + 1, too_far});
            smallest = std::min(smallest, row[j]);
        }
        if (smallest > limit) return too_far;
    }
    return row[b.size()];
}

std::string location_prefix(const SourceLocation& where) {
    if (where.file.empty()) return {};
    std::string prefix = where.file + ":";
    if (where.line > 0) {
        prefix += std::to_string(where.line) + ":";
        if (where.column > 0) prefix += std::to_string(where.column) + ":";
    }
    return prefix + " ";
}

std::string counted(std::ptrdiff_t count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

std::ptrdiff_t count_of(const Diagnostics& diagnostics, Severity severity) {
    return std::count_if(diagnostics.begin(), diagnostics.end(),
                         [severity](const Diagnostic& entry) { return entry.severity == severity; });
}

std::string summary(const Diagnostics& diagnostics) {
    std::string text =
        "the robot cannot be loaded: " + counted(count_of(diagnostics, Severity::error), "error");
    const std::ptrdiff_t warnings = count_of(diagnostics, Severity::warning);
    if (warnings > 0) text += ", " + counted(warnings, "warning");
    for (const Diagnostic& entry : diagnostics) {
        if (entry.severity == Severity::error) text += "\n  " + to_string(entry);
    }
    return text;
}

}  // namespace

bool has_errors(const Diagnostics& diagnostics) { return count_of(diagnostics, Severity::error) > 0; }

std::string to_string(Severity severity) {
    switch (severity) {
        case Severity::note: return "note";
        case Severity::warning: return "warning";
        case Severity::error: return "error";
    }
    return "unknown";
}

std::string to_string(Code code) {
    switch (code) {
        case Code::unreadable: return "unreadable";
        case Code::unknown_format: return "unknown-format";
        case Code::file_set: return "file-set";
        case Code::include: return "include";
        case Code::syntax: return "syntax";
        case Code::too_large: return "too-large";
        case Code::unexpanded: return "unexpanded";
        case Code::unknown_element: return "unknown-element";
        case Code::unknown_attribute: return "unknown-attribute";
        case Code::misplaced: return "misplaced";
        case Code::missing: return "missing";
        case Code::repeated: return "repeated";
        case Code::conflict: return "conflict";
        case Code::unknown_word: return "unknown-word";
        case Code::bad_number: return "bad-number";
        case Code::wrong_shape: return "wrong-shape";
        case Code::out_of_range: return "out-of-range";
        case Code::unknown_name: return "unknown-name";
        case Code::duplicate_name: return "duplicate-name";
        case Code::wrong_kind: return "wrong-kind";
        case Code::same_ends: return "same-ends";
        case Code::cycle: return "cycle";
        case Code::unsupported: return "unsupported";
        case Code::left_out: return "left-out";
        case Code::ignored: return "ignored";
        case Code::assumed: return "assumed";
        case Code::rewritten: return "rewritten";
        case Code::inertia: return "inertia";
        case Code::unreachable: return "unreachable";
        case Code::passive_forces: return "passive-forces";
        case Code::fixed_together: return "fixed-together";
        case Code::coupling_ratio: return "coupling-ratio";
        case Code::redundant: return "redundant";
        case Code::not_closed: return "not-closed";
        case Code::assembly: return "assembly";
        case Code::locked: return "locked";
        case Code::misfit: return "misfit";
        case Code::independents: return "independents";
        case Code::idle: return "idle";
        case Code::state: return "state";
        case Code::self_collision: return "self-collision";
    }
    return "unknown";
}

Subject Subject::of(const std::string& kind, const std::string& name) {
    return {kind, name, kind + " '" + name + "'"};
}

Diagnostic::Diagnostic(Severity how_severe, Code kind, SourceLocation place, Subject about,
                       std::string must_hold, std::string is, std::string advice, bool is_strict)
    : severity(how_severe),
      code(kind),
      where(std::move(place)),
      subject(std::move(about)),
      expected(std::move(must_hold)),
      found(std::move(is)),
      hint(std::move(advice)),
      strict(is_strict) {}

std::string to_string(const Diagnostic& diagnostic) {
    std::string text = location_prefix(diagnostic.where) + to_string(diagnostic.severity);
    if (!diagnostic.subject.text.empty()) text += ": " + diagnostic.subject.text;
    const bool is_note = diagnostic.severity == Severity::note;
    const char* separator = ": ";
    if (!diagnostic.expected.empty()) {
        text += separator + std::string(is_note ? "" : "expected ") + diagnostic.expected;
        separator = ", ";
    }
    if (!diagnostic.found.empty()) text += separator + ((is_note ? "" : "found ") + diagnostic.found);
    if (!diagnostic.hint.empty()) text += " (" + diagnostic.hint + ")";
    return text;
}

namespace {

/// True if `part` occurs in `whole`, in upper or lower case.
bool occurs_in(const std::string& whole, const std::string& part) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::search(whole.begin(), whole.end(), part.begin(), part.end(),
                       [&](char a, char b) { return lower(a) == lower(b); }) != whole.end();
}

/// Positions of the shortest names in which `part` occurs.
std::vector<std::size_t> names_with(const std::string& part, const std::vector<std::string>& names) {
    constexpr std::size_t shortest = 3;
    std::vector<std::size_t> found;
    if (part.size() < shortest) return found;
    for (std::size_t i = 0; i < names.size(); ++i)
        if (occurs_in(names[i], part)) found.push_back(i);
    std::stable_sort(found.begin(), found.end(),
                     [&](std::size_t a, std::size_t b) { return names[a].size() < names[b].size(); });
    if (found.size() > most_names_in_a_hint) found.resize(most_names_in_a_hint);
    return found;
}

}  // namespace

std::string quoted(const std::string& text) { return "'" + text + "'"; }

std::string nearest_name_hint(const std::string& name, const std::vector<std::string>& names) {
    constexpr std::size_t farthest = 20;  // comparing costs this times the length of the names
    const std::size_t limit = std::clamp<std::size_t>(name.size() / 3, 2, farthest);
    std::vector<std::pair<std::size_t, std::size_t>> nearest;  // distance, position in names
    std::vector<std::size_t> row;
    std::size_t farthest_useful = limit;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].empty()) continue;
        const std::size_t distance = edit_distance(name, names[i], farthest_useful, row);
        // Names without one character in common are not near, however short.
        const bool unrelated = distance >= std::max(name.size(), names[i].size());
        if (distance > farthest_useful || unrelated) continue;
        const auto entry = std::make_pair(distance, i);
        nearest.insert(std::upper_bound(nearest.begin(), nearest.end(), entry), entry);
        if (nearest.size() > most_names_in_a_hint) nearest.pop_back();
        if (nearest.size() == most_names_in_a_hint) farthest_useful = nearest.back().first;
    }
    std::vector<std::size_t> found;
    for (const auto& [distance, i] : nearest) found.push_back(i);
    if (found.empty()) found = names_with(name, names);
    if (found.empty()) return {};
    std::string hint = "did you mean ";
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (i > 0) hint += i + 1 == found.size() ? " or " : ", ";
        hint += quoted(names[found[i]]);
    }
    return hint + "?";
}

void apply_strictness(Diagnostics& diagnostics) {
    for (Diagnostic& entry : diagnostics) {
        if (entry.strict && entry.severity == Severity::warning) entry.severity = Severity::error;
    }
}

LoadError::LoadError(Diagnostics diagnostics)
    : std::runtime_error(summary(diagnostics)), diagnostics_(std::move(diagnostics)) {}

std::ostream& operator<<(std::ostream& out, const Diagnostic& diagnostic) {
    return out << to_string(diagnostic);
}
std::ostream& operator<<(std::ostream& out, const Diagnostics& diagnostics) {
    for (const Diagnostic& diagnostic : diagnostics) out << diagnostic << '\n';
    return out;
}

}  // namespace grbda
