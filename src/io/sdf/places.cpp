#include <algorithm>

#include "io/foreign.hpp"
#include "io/text/number.hpp"
#include "elements.hpp"

// Finds parts of the mechanism that are misplaced in SDF, or belong to one program only. In
// elements of other programs (plugins, actors) SDF's names have other meanings: these are skipped.

namespace grbda::sdf {

namespace {

using Tags = std::initializer_list<std::string_view>;

bool is_among(std::string_view name, Tags names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string tag(std::string_view name) { return "<" + std::string(name) + ">"; }

/// Elements that are searched.
bool is_container(std::string_view name) {
    return is_among(name, {"sdf", "world", "model", "link", "joint", "frame", "inertial", "axis", "axis2"});
}

/// The right place of an element of the mechanism; empty if it may be in `parent`, or is no such element.
std::string_view place_of(std::string_view name, std::string_view parent) {
    const auto only_in = [&](Tags parents, std::string_view place) {
        return is_among(parent, parents) ? std::string_view() : place;
    };
    if (name == "model") return only_in({"sdf", "world", "model"}, "<world>");
    if (name == "link") return only_in({"model"}, "<model>");
    if (name == "joint") return only_in({"model", "world"}, "<model>");
    if (name == "inertial") return only_in({"link"}, "<link>");
    if (name == "axis" || name == "axis2") return only_in({"joint"}, "<joint>");
    if (name == "mimic") return only_in({"axis", "axis2"}, "<axis>");
    return {};
}

/// Attributes of the elements that are searched; nullptr for other elements.
const Tags* attributes_of(std::string_view element) {
    static const Tags of_world = {"name"}, of_axis = {}, of_inertial = {"auto"},
                      of_model = {"name", "canonical_link", "placement_frame"}, of_link = {"name"},
                      of_joint = {"name", "type"}, of_frame = {"name", "attached_to"};
    if (element == "world") return &of_world;
    if (element == "model") return &of_model;
    if (element == "link") return &of_link;
    if (element == "joint") return &of_joint;
    if (element == "frame") return &of_frame;
    if (element == "inertial") return &of_inertial;
    return element == "axis" || element == "axis2" ? &of_axis : nullptr;
}

/// Attributes with a prefix belong to other programs.
void warn_about_attributes(Context& context, pugi::xml_node element) {
    const Tags* const known = attributes_of(element.name());
    if (known == nullptr) return;
    for (const pugi::xml_attribute attribute : element.attributes()) {
        const std::string_view name = attribute.name();
        if (is_among(name, *known) || name.find(':') != std::string_view::npos || name == "xmlns") continue;
        context.report(Severity::warning, Code::unknown_attribute, element,
                       "attributes that SDF gives to " + tag(element.name()), quoted(attribute.name()),
                       "it is not used");
    }
}

}  // namespace

void check_places(Context& context, pugi::xml_node root) {
    Findings rotors;
    std::vector<pugi::xml_node> pending{root};
    while (!pending.empty()) {
        const pugi::xml_node parent = pending.back();
        pending.pop_back();
        for (const pugi::xml_node element : parent.children()) {
            if (element.type() != pugi::node_element) continue;
            const std::string_view name = element.name();
            warn_about_attributes(context, element);
            if (const std::string_view place = place_of(name, parent.name()); !place.empty()) {
                context.error(Code::misplaced, element, tag(name) + " in a " + std::string(place),
                              "it in " + tag(parent.name()));
            } else if (name == "population") {
                context.error(Code::unsupported, element, "models written one by one", tag(name));
            } else if (is_foreign_constraint(name) && is_among(parent.name(), {"world", "model", "link"})) {
                context.error(Code::unsupported, element, "joints and constraints of SDF itself", tag(name),
                              "write it as a <joint> of a type that SDF has");
            } else if (is_container(name)) {
                pending.push_back(element);
            }
            // The reader of joints handles those inside joints.
            const bool is_of_joint = std::string_view(parent.name()) == "joint";
            if (is_rotor_inertia(name) && !is_of_joint && parse_number(text_of(element)) != 0.)
                rotors.add(element, parent.attribute("name").value());
        }
    }
    if (rotors.names.empty()) return;
    context.document.report_left_out(
        rotors.first, "a mechanism whose rotors are links",
        tag(rotors.first.name()) + " of " + rotors.listed(),
        "it is left out; URDF+ has <dynamics armature=\"…\">: the rotor's inertia times the "
        "square of its gear ratio");
}

}  // namespace grbda::sdf
