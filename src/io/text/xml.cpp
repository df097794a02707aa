#include "xml.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "misspelling.hpp"

namespace grbda::xml {

namespace {

/// Number of levels upwards in which a named element is searched: enough for every
/// format, and with it many findings in a deeply nested file have linear cost.
constexpr int described_levels = 8;

/// Inside them, parts of the mechanism would be lost.
bool may_be_passed_over(Code code) { return code != Code::misplaced && code != Code::unsupported; }

std::string written(pugi::xml_node element) {
    std::ostringstream text;
    element.print(text, "", pugi::format_raw);
    return text.str();
}

std::string number_hint(const std::string& text) {
    if (text.find(',') == std::string::npos) return {};
    return "write a decimal point and separate numbers by spaces";
}

}  // namespace

const Document::Source* Document::source_of(const char* text) const {
    auto after = begins_.upper_bound(text);
    if (after == begins_.begin()) return nullptr;
    const Source& source = sources_[std::prev(after)->second];
    return text < source.begin + source.text.size() ? &source : nullptr;
}

std::size_t Document::file_of(pugi::xml_node element) const {
    for (; element; element = element.parent()) {
        const Source* const source = source_of(element.name());
        if (source != nullptr) return begins_.at(source->begin);
    }
    return 0;
}

SourceLocation Document::where(pugi::xml_node element) const {
    const Source* source = source_of(element.name());
    while (source == nullptr && element) {
        element = element.parent();
        source = source_of(element.name());
    }
    if (source == nullptr) return {sources_.front().file, 1, 1};
    // The parser keeps the offset of the name; the element begins at its '<'.
    const std::ptrdiff_t name = element.name() - source->begin;
    const LineAndColumn place = source->lines->at(name > 0 ? static_cast<std::size_t>(name - 1) : 0);
    return {source->file, place.line, place.column};
}

std::string Document::line_of(pugi::xml_node element, pugi::xml_node from) const {
    const SourceLocation place = where(element);
    const std::string line = "line " + std::to_string(place.line);
    return file_of(element) == file_of(from) ? line : line + " of " + place.file;
}

Subject Document::subject_of(pugi::xml_node element) const {
    pugi::xml_node named = element;
    for (int level = 0; level < described_levels && named.type() == pugi::node_element; ++level) {
        const std::string_view name = named.attribute("name").value();
        if (!name.empty()) {
            Subject subject = Subject::of(named.name(), std::string(name));
            if (named != element) subject.text = tag(element.name()) + " of " + subject.text;
            return subject;
        }
        named = named.parent();
    }
    return {element.name(), "", tag(element.name())};
}

void Document::report(Severity severity, Code code, pugi::xml_node element, std::string expected,
                      std::string found, std::string hint) {
    const SourceLocation place = where(element);
    if (severity == Severity::error && may_be_passed_over(code) &&
        (is_appearance(element) || is_not_needed(element))) {
        severity = Severity::warning;
        ++spared_;
        if (hint.empty()) hint = "it is not used";
    }
    if (has_copies_) {
        const std::string key = place.file + ":" + std::to_string(place.line) + ":" +
                                std::to_string(place.column) + ":" + expected;
        if (!told_.insert(key).second) return;
    }
    diagnostics_.push_back(
        {severity, code, place, subject_of(element), std::move(expected), std::move(found), std::move(hint)});
}

bool Document::is_not_needed(pugi::xml_node element) const {
    for (int level = 0; level < described_levels && element; ++level, element = element.parent())
        if (not_needed_.count(element.internal_object()) > 0) return true;
    return false;
}

void Document::report_left_out(pugi::xml_node element, std::string expected, std::string found,
                               std::string hint) {
    report(Severity::warning, Code::left_out, element, std::move(expected), std::move(found),
           std::move(hint));
    diagnostics_.back().strict = true;
}

std::string_view Document::raw_value(pugi::xml_attribute attribute) const {
    const Source* const source = source_of(attribute.name());
    if (source == nullptr) return attribute.value();
    const std::string_view text = source->text;
    const std::size_t name = static_cast<std::size_t>(attribute.name() - source->begin);
    const std::size_t open = text.find_first_of("\"'", name);
    const std::size_t close = text.find(text[open], open + 1);
    return text.substr(open + 1, close - open - 1);
}

void Document::expect(pugi::xml_node element, const char* attribute) {
    if (!element) return;
    std::vector<const std::string*>& names = expected_[element.internal_object()];
    const std::string* const name = &*attribute_names_.emplace(attribute).first;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

void Document::report_misspelt_attributes() {
    for (pugi::xml_node element = root_; element; element = next_element(element, root_)) {
        const auto expected = expected_.find(element.internal_object());
        if (expected == expected_.end()) continue;
        const std::vector<const std::string*>& names = expected->second;
        std::vector<const std::string*> absent;
        for (const std::string* name : names) {
            if (!element.attribute(name->c_str())) absent.push_back(name);
        }
        for (const pugi::xml_attribute attribute : element.attributes()) {
            const std::string_view written = attribute.name();
            const auto is_written = [&](const std::string* name) { return *name == written; };
            const auto is_meant = [&](const std::string* name) { return is_misspelling(written, *name); };
            const auto meant = std::find_if(absent.begin(), absent.end(), is_meant);
            if (meant == absent.end() || std::any_of(names.begin(), names.end(), is_written)) continue;
            error(Code::unknown_attribute, element, "attributes that " + tag(element.name()) + " has",
                  quoted(std::string(written)), "did you mean " + quoted(**meant) + "?");
        }
    }
}

std::optional<std::string> Document::text(pugi::xml_node element, const char* attribute) {
    expect(element, attribute);
    const pugi::xml_attribute given = element.attribute(attribute);
    if (!given || refused_.count(given.name()) != 0) return std::nullopt;
    const std::string_view entity = unresolved_entity(raw_value(given));
    if (entity.empty()) return given.value();
    refuse(given);
    error(Code::unexpanded, element, "text without references to entities in " + std::string(attribute),
          std::string(entity),
          "write its value in place; only &lt; &gt; &amp; &apos; &quot; and &#number; are replaced");
    return std::nullopt;
}

std::optional<std::string> Document::required_text(pugi::xml_node element, const char* attribute) {
    const pugi::xml_attribute given = element.attribute(attribute);
    expect(element, attribute);
    if (given && *given.value() != '\0') return text(element, attribute);
    error(Code::missing, element, "attribute " + quoted(attribute), given ? "an empty one" : "none");
    return std::nullopt;
}

std::optional<double> Document::number(pugi::xml_node element, const char* attribute, Range range) {
    const std::optional<std::string> given = text(element, attribute);
    if (!given) return std::nullopt;
    const bool infinity_allowed = range == Range::infinity_allowed;
    const std::optional<double> value = parse_number(*given);
    if (value && (std::isfinite(*value) || (infinity_allowed && std::isinf(*value)))) return value;
    const std::string kind = infinity_allowed ? "a number or inf in " : "a finite number in ";
    error(Code::bad_number, element, kind + quoted(attribute), quoted(*given), number_hint(*given));
    return std::nullopt;
}

std::optional<double> Document::required_number(pugi::xml_node element, const char* attribute) {
    expect(element, attribute);
    if (element.attribute(attribute)) return number(element, attribute);
    error(Code::missing, element, "attribute " + quoted(attribute), "none");
    return std::nullopt;
}

std::optional<std::vector<double>> Document::numbers(pugi::xml_node element, const char* attribute,
                                                     std::size_t count) {
    const std::optional<std::string> given = text(element, attribute);
    if (!given) return std::nullopt;
    std::optional<std::vector<double>> values = parse_numbers(*given);
    const auto is_finite = [](double value) { return std::isfinite(value); };
    const bool finite = values && std::all_of(values->begin(), values->end(), is_finite);
    if (finite && values->size() == count) return values;
    const std::string found = finite ? std::to_string(values->size()) + ": " : "";
    error(Code::bad_number, element, std::to_string(count) + " finite numbers in " + quoted(attribute),
          found + quoted(*given), number_hint(*given));
    return std::nullopt;
}

void Document::keyword_error(pugi::xml_node element, const char* attribute, const std::string& found,
                             const std::vector<std::string>& names) {
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
    error(Code::unknown_word, element, std::string(attribute) + " to be one of " + list, quoted(found),
          nearest_name_hint(found, names));
}

pugi::xml_node Document::child(pugi::xml_node element, const char* name) {
    const pugi::xml_node first = element.child(name);
    const pugi::xml_node second = first.next_sibling(name);
    if (second) {
        const bool equal = written(first) == written(second);
        const bool first_counts = equal || is_appearance(second);
        report(first_counts ? Severity::warning : Severity::error, Code::repeated, second,
               "one " + tag(name) + " in " + subject_of(element).text, equal ? "the same again" : "another",
               first_counts ? "the first is used" : "delete one of them");
    }
    return first;
}

pugi::xml_node Document::required_child(pugi::xml_node element, const char* name) {
    const pugi::xml_node found = child(element, name);
    if (!found) error(Code::missing, element, "an element " + tag(name), "none");
    return found;
}

void Document::ignore(pugi::xml_node element, std::initializer_list<std::string_view> known) {
    const auto meant = std::find_if(known.begin(), known.end(), [&](std::string_view name) {
        return is_misspelling(element.name(), name);
    });
    if (meant != known.end()) {
        error(Code::unknown_element, element, "elements that " + tag(element.parent().name()) + " has",
              tag(element.name()), "did you mean " + tag(*meant) + "?");
        return;
    }
    if (ignored_.empty()) first_ignored_ = element;
    const auto [entry, is_new] = ignored_index_.try_emplace(element.name(), ignored_.size());
    if (is_new) ignored_.emplace_back(element.name(), 0);
    ++ignored_[entry->second].second;
}

void Document::ignore_children_except(pugi::xml_node element, std::initializer_list<std::string_view> names) {
    for (const pugi::xml_node child : element.children()) {
        if (child.type() != pugi::node_element) continue;
        if (std::find(names.begin(), names.end(), child.name()) == names.end()) ignore(child, names);
    }
}

void Document::report_ignored() {
    report_misspelt_attributes();
    if (ignored_.empty()) return;
    std::string list;
    for (const auto& [name, count] : ignored_) {
        list += (list.empty() ? "" : ", ") + tag(name);
        if (count > 1) list += " (" + std::to_string(count) + " times)";
    }
    diagnostics_.push_back({Severity::note, Code::ignored, where(first_ignored_), subject_of(root_),
                            "ignored elements: " + list, "", ""});
}

bool is_appearance(pugi::xml_node element) {
    constexpr std::string_view names[] = {"visual", "collision", "shape", "material", "texture"};
    for (int level = 0; level < described_levels && element; ++level, element = element.parent())
        if (std::find(std::begin(names), std::end(names), element.name()) != std::end(names)) return true;
    return false;
}

pugi::xml_node next_element(pugi::xml_node element, pugi::xml_node top) {
    pugi::xml_node next = element.first_child();
    for (pugi::xml_node from = element;;) {
        while (next && next.type() != pugi::node_element) next = next.next_sibling();
        if (next || from == top) return next;
        next = from.next_sibling();
        from = from.parent();
    }
}

}  // namespace grbda::xml
