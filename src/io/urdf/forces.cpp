#include <cmath>

#include "io/text/number.hpp"
#include "elements.hpp"

// Forces that a URDF states only in one program's format: they are ignored, with a warning.

namespace grbda::urdf {

namespace {

bool is_zero(const std::string& text) {
    const std::optional<double> value = parse_number(text);
    return value && *value == 0;
}

bool says_no(std::string_view word) { return word == "false" || word == "0"; }

/// True if a child of <gazebo> adds or removes forces on its link or joint.
bool has_forces(pugi::xml_node child) {
    const std::string_view kind = child.name();
    const std::string text(trim(child.child_value()));
    if (kind == "turnGravityOff") return !says_no(text);
    if (kind == "gravity") return says_no(text) || text == "False";
    return (kind == "springStiffness" || kind == "dampingFactor") && !is_zero(text);
}

}  // namespace

bool is_all_read(pugi::xml_node gazebo) {
    for (const pugi::xml_node child : gazebo.children()) {
        if (child.type() != pugi::node_element || std::string_view(child.name()) == "sensor") continue;
        if (std::string_view(child.name()) != "plugin" || !is_read_plugin(child)) return false;
    }
    return gazebo.child("sensor") || gazebo.child("plugin");
}

void warn_about_gazebo(Context& context, pugi::xml_node element) {
    if (!element.attribute("reference")) return;
    for (const pugi::xml_node child : element.children()) {
        if (child.type() != pugi::node_element || !has_forces(child)) continue;
        const std::string reference = element.attribute("reference").value();
        context.document.report_left_out(
            child, "joint forces as <dynamics> and <gravity_compensation> tell them",
            "<" + std::string(child.name()) + "> in <gazebo> for '" + reference + "'", "it is left out");
    }
}

void warn_about_joint_properties(Context& context, pugi::xml_node joint) {
    const pugi::xml_node properties = joint.child("joint_properties");
    for (const char* attribute : {"damping", "friction"}) {
        const pugi::xml_attribute given = properties.attribute(attribute);
        if (!given || is_zero(given.value())) continue;
        context.document.report_left_out(properties, "damping and friction in <dynamics>",
                                         std::string(attribute) + " in <joint_properties>", "it is left out");
    }
}

}  // namespace grbda::urdf
