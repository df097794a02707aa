#include "elements.hpp"

namespace grbda::mjcf {

namespace {

void read_fixed(Context& context, const Tree& tree, const RobotDescription& robot, Tendon& tendon) {
    tendon.fixed = true;
    for (const pugi::xml_node element : tendon.element.children("joint")) {
        const Joint* joint = find_scalar_joint(context, tree, robot, element, "joint");
        const double coefficient = context.document.required_number(element, "coef").value_or(0);
        if (joint == nullptr) continue;
        tendon.terms.push_back(
            {robot.joints[joint->index].name, coefficient, context.document.where(element)});
        tendon.reference += coefficient * joint->reference.front();
    }
}

/// Reads a tendon between two sites without other elements.
void read_straight(Context& context, const Tree& tree, Tendon& tendon) {
    for (const pugi::xml_node element : tendon.element.children()) {
        if (element.type() != pugi::node_element) continue;
        const bool is_site = std::string_view(element.name()) == "site";
        if (!is_site || tendon.sites.size() == 2) return tendon.sites.clear();
        const std::optional<int> site = tree.site_names.find(context.document, element, "site");
        if (!site) return tendon.sites.clear();
        tendon.sites.push_back(*site);
    }
    if (tendon.sites.size() != 2) return tendon.sites.clear();
    const auto place = [&](int i) {
        const Site& site = tree.sites[at(tendon.sites[at(i)])];
        return (tree.bodies[at(site.body)].in_world * site.in_body).translation;
    };
    tendon.reference = (place(0) - place(1)).norm();
}

/// A range without length, the default, is no limit.
bool has_limits(Context& context, pugi::xml_node tendon) {
    const Element element = context.element(tendon, "tendon");
    const auto range = context.numbers(element, "range", 2);
    return context.limited(element, "limited", range && (*range)[0] != (*range)[1]);
}

}  // namespace

void read_tendons(Context& context, const Tree& tree, RobotDescription& robot, Tendons& tendons) {
    xml::Document& document = context.document;
    for (const pugi::xml_node section : document.root().children("tendon")) {
        for (const pugi::xml_node node : section.children()) tendons.names.declare(document, node);
    }
    Finding limited;
    for (const pugi::xml_node section : document.root().children("tendon")) {
        for (const pugi::xml_node node : section.children()) {
            if (node.type() != pugi::node_element) continue;
            Tendon tendon;
            tendon.element = node;
            if (std::string_view(node.name()) == "fixed") read_fixed(context, tree, robot, tendon);
            if (std::string_view(node.name()) == "spatial") read_straight(context, tree, tendon);
            if (context.number(context.element(node, "tendon"), "armature").value_or(0) != 0) {
                document.error(Code::unsupported, node, "a tendon without inertia", "an armature",
                               "give its joints an armature instead");
            }
            std::string name = node.attribute("name").value();
            if (name.empty()) name = tendons.names.unused("tendon_" + std::to_string(tendons.entries.size()));
            tendons.names.set(name, static_cast<int>(tendons.entries.size()));
            if (has_limits(context, node)) limited.add(node, name);
            add_tendon_forces(context, tree, name, tendon, robot);
            tendons.entries.push_back(std::move(tendon));
        }
    }
    if (limited.names.empty()) return;
    document.report(Severity::note, Code::ignored, limited.first, "limits of tendons are not applied",
                    listed(limited.names));
}

}  // namespace grbda::mjcf
