#include "yaml.hpp"

#include <algorithm>
#include <cmath>

#include "misspelling.hpp"
#include "number.hpp"
#include "yaml_builder.hpp"

namespace grbda::yaml {

namespace {

std::string found_instead(const Node& node) {
    switch (node.kind) {
        case Kind::null: return "nothing";
        case Kind::scalar: return quoted(node.scalar);
        case Kind::sequence: return "a list";
        case Kind::mapping: return "a mapping";
    }
    return "nothing";
}

/// Decimal numbers in the form of YAML 1.2; .inf and .nan are not finite.
std::optional<double> finite_number(const Node& node) {
    if (node.kind != Kind::scalar || node.quoted) return std::nullopt;
    if (node.scalar.find_first_not_of("0123456789+-.eE") != std::string::npos) return std::nullopt;
    const std::optional<double> value = parse_number(node.scalar);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string number_hint(const Node& node) {
    if (node.kind != Kind::scalar) return {};
    Node bare = node;
    bare.quoted = false;
    if (node.quoted && finite_number(bare)) return "without quotes";
    if (node.scalar.find("0x") < 2 || node.scalar.find("0o") < 2) return "write it in decimals";
    if (node.scalar.find(',') != std::string::npos) return "write a decimal point";
    return {};
}

}  // namespace

const Node* Node::find(std::string_view key) const {
    for (const auto& [name, value] : entries) {
        if (name == key) return &value;
    }
    return nullptr;
}

Document::Document(const std::string& text, std::string file, Diagnostics& diagnostics)
    : file_(std::move(file)), diagnostics_(diagnostics), root_(parse(text, file_, diagnostics)) {
    if (root_.line == 0) root_.line = root_.column = 1;
}

SourceLocation Document::where(const Node& node) const { return {file_, node.line, node.column}; }

void Document::report(Severity severity, Code code, const Node& node, std::string expected, std::string found,
                      std::string hint) {
    diagnostics_.push_back({severity, code, where(node), subject_of(node, file_), std::move(expected),
                            std::move(found), std::move(hint)});
}

void Document::report_left_out(const Node& node, std::string expected, std::string found, std::string hint) {
    report(Severity::warning, Code::left_out, node, std::move(expected), std::move(found), std::move(hint));
    diagnostics_.back().strict = true;
}

void Document::error(Code code, const Node& node, std::string expected, std::string found, std::string hint) {
    report(Severity::error, code, node, std::move(expected), std::move(found), std::move(hint));
}

std::optional<std::string> Document::text(const Node& node) {
    if (node.kind == Kind::scalar && !trim(node.scalar).empty()) return node.scalar;
    error(Code::wrong_shape, node, "text", node.kind == Kind::scalar ? "an empty one" : found_instead(node));
    return std::nullopt;
}

std::optional<double> Document::number(const Node& node) {
    const std::optional<double> value = finite_number(node);
    if (!value) error(Code::bad_number, node, "a finite number", found_instead(node), number_hint(node));
    return value;
}

std::optional<std::vector<double>> Document::numbers(const Node& node, std::size_t count) {
    if (node.kind != Kind::sequence || node.items.size() != count) {
        const bool sequence = node.kind == Kind::sequence;
        error(Code::wrong_shape, node, "a list of " + std::to_string(count) + " numbers",
              sequence ? std::to_string(node.items.size()) : found_instead(node));
        return std::nullopt;
    }
    std::vector<double> values;
    for (const Node& item : node.items) {
        if (const std::optional<double> value = number(item)) values.push_back(*value);
    }
    if (values.size() != count) return std::nullopt;
    return values;
}

std::optional<std::vector<std::string>> Document::texts(const Node& node) {
    if (!is_sequence(node)) return std::nullopt;
    std::vector<std::string> values;
    for (const Node& item : node.items) {
        if (std::optional<std::string> value = text(item)) values.push_back(std::move(*value));
    }
    if (values.size() != node.items.size()) return std::nullopt;
    return values;
}

bool Document::is_mapping(const Node& node) {
    if (node.kind == Kind::mapping) return true;
    error(Code::wrong_shape, node, "a mapping", found_instead(node));
    return false;
}

bool Document::is_sequence(const Node& node) {
    if (node.kind == Kind::sequence) return true;
    error(Code::wrong_shape, node, "a list", found_instead(node),
          node.kind == Kind::scalar ? "write [" + quoted(node.scalar) + "]" : "");
    return false;
}

const Node* Document::required(const Node& mapping, std::string_view key) {
    if (!is_mapping(mapping)) return nullptr;
    const Node* const entry = mapping.find(key);
    if (entry == nullptr) {
        std::vector<std::string> names;
        for (const auto& [name, value] : mapping.entries)
            if (name.find(key) == std::string::npos)
                names.push_back(name);  // a longer one has its own meaning
        error(Code::missing, mapping, "the key " + quoted(std::string(key)), "none",
              nearest_name_hint(std::string(key), names));
    }
    return entry;
}

void Document::ignore_keys_except(const Node& mapping, const std::vector<std::string_view>& keys) {
    for (const auto& [name, value] : mapping.entries) {
        if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
        const auto meant = std::find_if(keys.begin(), keys.end(), [&, &written = name](std::string_view key) {
            return mapping.find(key) == nullptr && is_misspelling(written, key);
        });
        if (meant != keys.end()) {
            error(Code::unknown_attribute, value, "keys that belong here", quoted(name),
                  "did you mean " + quoted(std::string(*meant)) + "?");
            continue;
        }
        const auto [place, is_new] = ignored_index_.try_emplace(name, ignored_.size());
        if (is_new) ignored_.emplace_back(name, 0);
        ++ignored_[place->second].second;
        if (first_ignored_ == nullptr) first_ignored_ = &value;
    }
}

void Document::report_ignored() {
    if (first_ignored_ == nullptr) return;
    std::string list;
    for (const auto& [name, count] : ignored_) {
        list += (list.empty() ? "" : ", ") + quoted(name);
        if (count > 1) list += " (" + std::to_string(count) + " times)";
    }
    diagnostics_.push_back({Severity::note,
                            Code::ignored,
                            where(*first_ignored_),
                            {"file", file_, "file"},
                            "ignored keys: " + list,
                            "",
                            ""});
}

}  // namespace grbda::yaml
