#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "io/plugins.hpp"
#include "elements.hpp"

// MJCF accepts bodies, joints and constraints only in certain
// places; elsewhere a reader would silently ignore them.

namespace grbda::mjcf {

namespace {

using Tags = std::initializer_list<std::string_view>;

bool is_among(std::string_view name, Tags names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Elements allowed in a default class.
const Tags in_default = {"default", "mesh",     "material", "joint",       "geom",   "site",
                         "camera",  "light",    "pair",     "equality",    "tendon", "general",
                         "motor",   "position", "velocity", "intvelocity", "damper", "cylinder",
                         "muscle",  "adhesion", "dcmotor",  "plugin",      "skin",   "flex"};

/// The tree's reader checks the content of these.
bool is_of_tree(std::string_view parent) {
    return is_among(parent, {"worldbody", "body", "frame", "replicate", "attach", "composite", "flexcomp"});
}

/// The right place of an element of the mechanism, as a hint
/// states it; empty if it is there, or if it is no such element.
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

/// Sections whose elements mean something else in other sections.
std::string_view section_of(std::string_view name) {
    if (is_among(name, {"fixed", "spatial"})) return "<tendon>";
    if (name == "key") return "<keyframe>";
    if (is_among(name, {"general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder",
                        "muscle", "adhesion", "dcmotor"})) {
        return "<actuator>";
    }
    return {};
}

/// Checks elements of a default class or a tendon that a reader would misinterpret or ignore.
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

bool is_section(std::string_view name) {
    return is_among(name, {"compiler", "option", "size", "visual", "statistic", "default", "custom",
                           "extension", "asset", "worldbody", "contact", "deformable", "equality", "tendon",
                           "actuator", "sensor", "keyframe", "include", "frame"});
}

/// Warns of sections that MuJoCo does not know, if they name parts of the mechanism.
void warn_about_sections(xml::Document& document) {
    std::set<std::string> names;
    const pugi::xml_node root = document.root();
    for (pugi::xml_node element = root; element; element = xml::next_element(element, root))
        if (is_among(element.name(), {"body", "joint", "freejoint", "site"}))
            names.insert(element.attribute("name").value());
    names.erase("");
    for (const pugi::xml_node section : root.children()) {
        if (section.type() != pugi::node_element || is_section(section.name())) continue;
        const bool is_misplaced =
            !place_of(section.name(), root.name()).empty() || !section_of(section.name()).empty();
        if (is_misplaced) continue;  // an error already
        warn_about_unknown(document, section,
                           [&names](const std::string& word) { return names.count(word) > 0; });
    }
}

}  // namespace

void check_places(xml::Document& document) {
    const pugi::xml_node root = document.root();
    bool has_body = false;
    warn_about_sections(document);
    for (pugi::xml_node element = root; element; element = xml::next_element(element, root)) {
        if (element == root) continue;
        check_kind(document, element);
        const std::string_view name = element.name();
        const std::string parent = element.parent().name();
        has_body = has_body || name == "body";
        // for a tendon, reported once, whatever it contains
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
