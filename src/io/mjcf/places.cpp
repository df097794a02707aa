#include <algorithm>
#include <array>

#include "elements.hpp"

// Bodies, joints and constraints count where MJCF has a place for them; anywhere else they would be passed
// over.

namespace grbda::mjcf {

namespace {

using Tags = std::initializer_list<std::string_view>;

bool is_among(std::string_view name, Tags names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Elements that a default class holds.
const Tags in_default = {"default", "mesh",     "material", "joint",       "geom",   "site",
                         "camera",  "light",    "pair",     "equality",    "tendon", "general",
                         "motor",   "position", "velocity", "intvelocity", "damper", "cylinder",
                         "muscle",  "adhesion", "dcmotor",  "plugin",      "skin",   "flex"};

/// The tree's reader judges what stands in these.
bool is_of_tree(std::string_view parent) {
    return is_among(parent, {"worldbody", "body", "frame", "replicate", "attach", "composite", "flexcomp"});
}

/// Where an element of the mechanism belongs, as a hint tells it; empty: it is at its place, or no such
/// element.
std::string_view place_of(std::string_view name, std::string_view parent) {
    constexpr std::string_view tree = "<worldbody>, or a <body> in it";
    if (is_of_tree(parent)) return {};
    if (is_among(name, {"body", "frame", "freejoint", "inertial", "replicate", "composite", "flexcomp"})) {
        return tree;
    }
    if (name == "joint") return is_among(parent, {"default", "equality", "fixed"}) ? "" : tree;
    if (name == "geom" || name == "site") return is_among(parent, {"default", "spatial"}) ? "" : tree;
    if (is_among(name, {"connect", "weld"})) return parent == "equality" ? "" : "<equality>";
    return {};
}

/// Sections of elements whose names mean something else in other sections.
std::string_view section_of(std::string_view name) {
    if (is_among(name, {"fixed", "spatial"})) return "<tendon>";
    if (name == "key") return "<keyframe>";
    if (is_among(name, {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder",
                        "muscle", "adhesion", "dcmotor"})) {
        return "<actuator>";
    }
    return {};
}

/// Of a default class or a tendon: what a reader would take for something else, or pass over.
void check_kind(xml::Document& document, pugi::xml_node element) {
    const std::string_view name = element.name();
    const std::string_view parent = element.parent().name();
    if (parent == "default" && !is_among(name, in_default)) document.ignore(element, in_default);
    if (parent == "tendon" && element.parent().parent() == document.root() &&
        !is_among(name, {"fixed", "spatial"})) {
        document.error(Code::unknown_element, element, "a tendon, <fixed> or <spatial>",
                       "<" + std::string(name) + ">",
                       nearest_name_hint(std::string(name), {"fixed", "spatial"}));
    }
    if (parent == "fixed" && name != "joint") {
        document.error(Code::unknown_element, element, "a <joint> in a <fixed> tendon",
                       "<" + std::string(name) + ">", nearest_name_hint(std::string(name), {"joint"}));
    }
}

}  // namespace

void check_places(xml::Document& document) {
    const pugi::xml_node root = document.root();
    bool has_body = false;
    for (pugi::xml_node element = root; element; element = xml::next_element(element, root)) {
        if (element == root) continue;
        check_kind(document, element);
        const std::string_view name = element.name();
        const std::string parent = element.parent().name();
        has_body = has_body || name == "body";
        // of a tendon it is told once, whatever it holds
        const bool in_tendon = std::string_view(element.parent().parent().name()) == "tendon";
        std::string_view place = in_tendon ? std::string_view() : place_of(name, parent);
        if (element.parent() == root && place.empty()) place = section_of(name);
        if (place.empty()) continue;
        document.error(Code::misplaced, element, "<" + std::string(name) + "> in " + std::string(place),
                       "it in <" + parent + ">",
                       element.parent() == root ? "a file of such parts is one to <include> in a model" : "");
    }
    if (has_body) return;
    document.report(Severity::warning, Code::missing, root, "at least one <body>",
                    "none: nothing of it can move",
                    root.child("worldbody") ? "" : "is it a part that another file includes? load that one");
}

}  // namespace grbda::mjcf
