#include <algorithm>
#include <array>
#include <cmath>

#include "elements.hpp"

namespace grbda::mjcf {

namespace {

/// More than any model has; it bounds the search through the classes for each attribute.
constexpr int deepest_class = 32;

/// All actuators share their defaults.
std::string shared_kind(const std::string& element) {
    constexpr std::array<const char*, 11> actuators = {"general",     "motor",  "position", "velocity",
                                                       "intvelocity", "damper", "cylinder", "muscle",
                                                       "adhesion",    "plugin", "dcmotor"};
    const bool actuator = std::find(actuators.begin(), actuators.end(), element) != actuators.end();
    return actuator ? "general" : element;
}

int depth_of(pugi::xml_node section) {
    int depth = 0;
    for (; depth <= deepest_class && std::string_view(section.name()) == "default"; ++depth) {
        section = section.parent();
    }
    return depth;
}

}  // namespace

void Names::declare(xml::Document& document, pugi::xml_node element) {
    const std::string name = element.attribute("name").value();
    if (name.empty()) return;
    const auto [entry, is_new] = entries_.try_emplace(name, Entry{-1, element});
    if (is_new) return;
    document.error(
        Code::duplicate_name, element, std::string("a ") + kind_ + " name that no other has",
        "'" + name + "' again" +
            (entry->second.element ? ", first in " + document.line_of(entry->second.element, element)
                                   : std::string()));
}

std::string Names::unused(const std::string& wanted) {
    if (entries_.try_emplace(wanted).second) return wanted;
    for (int& number = next_number_.try_emplace(wanted, 2).first->second;; ++number) {
        const std::string name = wanted + "_" + std::to_string(number);
        if (entries_.try_emplace(name).second) return name;
    }
}

std::optional<int> Names::find(xml::Document& document, pugi::xml_node element, const char* attribute) const {
    const std::optional<std::string> name = document.required_text(element, attribute);
    if (!name) return std::nullopt;
    const auto entry = entries_.find(*name);
    if (entry != entries_.end() && entry->second.index >= 0) return entry->second.index;
    std::vector<std::string> names;
    if (!hints_.are_spent()) {
        for (const auto& [known, value] : entries_)
            if (value.index >= 0) names.push_back(known);
        std::sort(names.begin(), names.end());
    }
    document.error(Code::unknown_name, element, std::string("the name of a ") + kind_ + " in " + attribute,
                   "'" + *name + "'", hints_.nearest(*name, names));
    return std::nullopt;
}

Defaults::Defaults() : classes_(1) {
    names_.unused("main");
    names_.set("main", 0);
}

void Defaults::read(xml::Document& document, pugi::xml_node section) {
    document.expect(section, "class");
    const std::string name = section.attribute("class").value();
    if (!name.empty()) names_.set(name, 0);
    read(document, section, 0);
}

void Defaults::read_apart(xml::Document& document, const std::string& name,
                          const std::vector<pugi::xml_node>& sections) {
    const int index = static_cast<int>(classes_.size());
    classes_.emplace_back();
    names_.set(name, index);
    for (const pugi::xml_node section : sections) {
        const std::string own_name = section.attribute("class").value();
        if (!own_name.empty()) names_.set(own_name, index);
        read(document, section, index);
    }
}

void Defaults::read(xml::Document& document, pugi::xml_node section, int outermost) {
    std::vector<Element> pending{{section, outermost}};
    while (!pending.empty()) {
        const Element next = pending.back();
        pending.pop_back();
        for (const pugi::xml_node element : next.node.children()) {
            if (element.type() == pugi::node_element) add(document, element, next.defaults, pending);
        }
    }
}

void Defaults::add(xml::Document& document, pugi::xml_node element, int parent,
                   std::vector<Element>& pending) {
    if (std::string_view(element.name()) != "default") {
        Class& of = classes_[static_cast<std::size_t>(parent)];
        of.elements[shared_kind(element.name())].push_back(element);
        auto& attributes = of.kinds[shared_kind(element.name())];
        for (const pugi::xml_attribute attribute : element.attributes())
            attributes[attribute.name()] = element;
        return;
    }
    const std::optional<std::string> name = document.required_text(element, "class");
    if (depth_of(element) > deepest_class) {
        document.error(Code::too_large, element,
                       "at most " + std::to_string(deepest_class) + " default classes in each other", "more");
        return;
    }
    const int index = static_cast<int>(classes_.size());
    classes_.emplace_back();
    classes_.back().parent = parent;
    pending.push_back({element, index});
    if (!name) return;
    if (names_.contains(*name)) {
        document.error(Code::duplicate_name, element, "a default class that no other is called",
                       "'" + *name + "' again");
        return;
    }
    names_.set(*name, index);
}

int Defaults::class_of(xml::Document& document, pugi::xml_node element, const char* attribute,
                       int otherwise) const {
    if (element.attribute(attribute).empty()) return otherwise;
    return names_.find(document, element, attribute).value_or(otherwise);
}

pugi::xml_node Defaults::source(int& index, const char* kind, const char* attribute) const {
    while (index != Element::no_class) {
        const Class& entry = classes_[static_cast<std::size_t>(index)];
        index = entry.parent;
        const auto attributes = entry.kinds.find(kind);
        if (attributes == entry.kinds.end()) continue;
        const auto found = attributes->second.find(attribute);
        if (found != attributes->second.end()) return found->second;
    }
    return {};
}

std::vector<std::vector<pugi::xml_node>> Defaults::elements(int index, const char* kind) const {
    std::vector<std::vector<pugi::xml_node>> result;
    for (; index != Element::no_class; index = classes_[static_cast<std::size_t>(index)].parent) {
        const auto& elements = classes_[static_cast<std::size_t>(index)].elements;
        if (const auto found = elements.find(kind); found != elements.end()) result.push_back(found->second);
    }
    std::reverse(result.begin(), result.end());
    return result;
}

pugi::xml_node Context::source(const Element& element, const char* attribute) const {
    document.expect(element.node, attribute);
    if (element.node.attribute(attribute)) return element.node;
    int index = element.defaults;
    return defaults.source(index, element.kind, attribute);
}

std::optional<double> Context::number(const Element& element, const char* attribute) {
    const pugi::xml_node from = source(element, attribute);
    const std::optional<double> value = document.number(from, attribute);
    if (!value) document.refuse(from.attribute(attribute));
    return value;
}

std::optional<std::vector<double>> Context::numbers(const Element& element, const char* attribute,
                                                    std::size_t count) {
    const pugi::xml_node from = source(element, attribute);
    std::optional<std::vector<double>> values = document.numbers(from, attribute, count);
    if (!values) document.refuse(from.attribute(attribute));
    return values;
}

std::optional<std::vector<double>> Context::some_numbers(const Element& element, const char* attribute,
                                                         std::size_t most, Severity severity) {
    std::vector<double> result;
    int index = element.defaults;
    pugi::xml_node from = element.node;
    if (!from.attribute(attribute)) from = defaults.source(index, element.kind, attribute);
    for (; from; from = defaults.source(index, element.kind, attribute)) {
        const std::optional<std::string> text = document.text(from, attribute);
        if (!text) return std::nullopt;
        const std::optional<std::vector<double>> values = parse_numbers(*text);
        const auto is_finite = [](double value) { return std::isfinite(value); };
        if (!values || values->size() > most || !std::all_of(values->begin(), values->end(), is_finite)) {
            document.report(
                severity, Code::bad_number, from,
                (most == 1 ? "a finite number" : "at most " + std::to_string(most) + " finite numbers") +
                    " in '" + attribute + "'",
                "'" + *text + "'", severity == Severity::error ? "" : "it is not used");
            document.refuse(from.attribute(attribute));
            return std::nullopt;
        }
        for (std::size_t i = result.size(); i < values->size(); ++i) result.push_back((*values)[i]);
    }
    return result;
}

bool Context::flag(const Element& element, const char* attribute, bool otherwise) {
    const xml::Keywords<bool> words = {{"true", true}, {"false", false}};
    return keyword(element, attribute, words).value_or(otherwise);
}

bool Context::limited(const Element& element, const char* attribute, bool has_range) {
    const Limited words = keyword(element, attribute, limited_words).value_or(Limited::automatic);
    if (words != Limited::automatic) return words == Limited::yes;
    return has_range && compiler_of(element.node).automatic_limits;
}

void Context::error(Code code, const Element& element, const char* attribute, std::string expected,
                    std::string hint) {
    const pugi::xml_node from = source(element, attribute);
    const pugi::xml_attribute given = from.attribute(attribute);
    const std::string found = given ? "'" + std::string(given.value()) + "' in " + attribute : "none";
    document.error(code, from ? from : element.node, std::move(expected), found, std::move(hint));
    document.refuse(given);
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most = 8;
    std::string list;
    for (std::size_t i = 0; i < names.size() && i < most; ++i) {
        list += (i == 0 ? "'" : ", '") + names[i] + "'";
    }
    if (names.size() > most) list += " and " + std::to_string(names.size() - most) + " more";
    return list;
}

}  // namespace grbda::mjcf
