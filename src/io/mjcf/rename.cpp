#include <algorithm>
#include <iterator>

#include "expand.hpp"

namespace grbda::mjcf {

namespace {

struct Reference {
    const char* attribute;
    const char* kind;
};

/// Attributes of equalities, tendons and actuators that name others.
constexpr Reference all_references[] = {
    {"body", "body"},      {"body1", "body"},          {"body2", "body"},
    {"joint", "joint"},    {"joint1", "joint"},        {"joint2", "joint"},
    {"site", "site"},      {"site1", "site"},          {"site2", "site"},
    {"refsite", "site"},   {"cranksite", "site"},      {"slidersite", "site"},
    {"sidesite", "site"},  {"jointinparent", "joint"}, {"tendon", "tendon"},
    {"tendon1", "tendon"}, {"tendon2", "tendon"},      {"geom", "geom"}};

/// The kind of an element in the tree, for references to it.
const char* kind_of(std::string_view element) {
    if (element == "body") return "body";
    if (element == "joint" || element == "freejoint") return "joint";
    if (element == "site") return "site";
    if (element == "geom") return "geom";
    return nullptr;
}

std::string key(const char* kind, const std::string& name) { return std::string(kind) + " " + name; }

template <class Visit>
void for_each_reference(pugi::xml_node top, Visit&& visit) {
    for (pugi::xml_node element = top; element; element = xml::next_element(element, top)) {
        for (const Reference& reference : all_references) {
            const pugi::xml_attribute attribute = element.attribute(reference.attribute);
            if (!attribute.empty() && *attribute.value() != '\0') visit(attribute, reference.kind);
        }
    }
}

}  // namespace

void collect_names(pugi::xml_node top, NameSet& names) {
    for (pugi::xml_node element = top; element; element = xml::next_element(element, top)) {
        const char* const kind = kind_of(element.name());
        const std::string name = element.attribute("name").value();
        if (kind != nullptr && !name.empty()) names.insert(key(kind, name));
    }
}

void rename_tree(pugi::xml_node top, const Rename& rename, const Rename& classes) {
    const auto change = [](pugi::xml_attribute attribute, const Rename& to) {
        if (*attribute.value() != '\0') attribute.set_value(to(attribute.value()).c_str());
    };
    for (pugi::xml_node element = top; element; element = xml::next_element(element, top)) {
        change(element.attribute("name"), rename);
        if (!classes) continue;
        change(element.attribute("class"), classes);
        change(element.attribute("childclass"), classes);
        change(element.attribute("mesh"), classes);
        change(element.attribute("material"), classes);
    }
}

Refers references(pugi::xml_node element, const NameSet& names) {
    bool inside = false, outside = false;
    for_each_reference(element, [&](pugi::xml_attribute attribute, const char* kind) {
        const bool found = names.count(key(kind, attribute.value())) != 0;
        inside = inside || found;
        outside = outside || !found;
    });
    if (inside && outside) return Refers::both;
    if (inside) return Refers::inside;
    return outside ? Refers::outside : Refers::nowhere;
}

void rename_reference(pugi::xml_node element, const NameSet& names, const Rename& rename) {
    for_each_reference(element, [&](pugi::xml_attribute attribute, const char* kind) {
        if (names.count(key(kind, attribute.value())) == 0) return;
        attribute.set_value(rename(attribute.value()).c_str());
    });
    const pugi::xml_attribute name = element.attribute("name");
    if (*name.value() != '\0') element.attribute("name").set_value(rename(name.value()).c_str());
}

void add_places(pugi::xml_node top, Places& places) {
    for (pugi::xml_node element = top; element; element = xml::next_element(element, top)) {
        const std::string_view kind = element.name();
        const std::string name = element.attribute("name").value();
        const bool is_place = kind == "body" || kind == "frame";
        if (is_place && !name.empty()) places.emplace(key(element.name(), name), element);
    }
}

Places places_in(pugi::xml_node root) {
    Places places;
    for (const pugi::xml_node section : root.children("worldbody")) add_places(section, places);
    return places;
}

void References::fill(pugi::xml_node root) {
    is_filled_ = true;
    for (const char* kind : referring_sections) {
        for (const pugi::xml_node section : root.children(kind)) {
            for (const pugi::xml_node element : section.children()) {
                if (element.type() == pugi::node_element) add(element);
            }
        }
    }
}

void References::add(pugi::xml_node element) {
    if (!is_filled_) return;
    const auto [entry, is_new] = place_of_.emplace(element, elements_.size());
    if (is_new) elements_.push_back(element);
    for_each_reference(element, [&, place = entry->second](pugi::xml_attribute attribute, const char* kind) {
        referring_[key(kind, attribute.value())].push_back(place);
    });
}

std::vector<pugi::xml_node> References::find(pugi::xml_node root, const char* section, const NameSet& names) {
    if (!is_filled_) fill(root);
    std::vector<std::size_t> places;
    for (const std::string& name : names) {
        const auto others = referring_.find(name);
        if (others == referring_.end()) continue;
        places.insert(places.end(), others->second.begin(), others->second.end());
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    std::vector<pugi::xml_node> found;
    for (const std::size_t place : places) {
        if (std::string_view(elements_[place].parent().name()) == section) found.push_back(elements_[place]);
    }
    return found;
}

std::string name_of_tendon(pugi::xml_node element) {
    const std::string name = element.attribute("name").value();
    const bool is_tendon = std::string_view(element.parent().name()) == "tendon";
    return is_tendon && !name.empty() ? key("tendon", name) : "";
}

std::size_t count_elements(pugi::xml_node top) {
    std::size_t count = 0;
    for (pugi::xml_node element = top; element; element = xml::next_element(element, top)) {
        const auto attributes = element.attributes();
        count += 1 + static_cast<std::size_t>(std::distance(attributes.begin(), attributes.end()));
    }
    return count;
}

}  // namespace grbda::mjcf
