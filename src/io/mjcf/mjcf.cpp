#include "grbda/io/mjcf.hpp"

#include <algorithm>
#include <array>

#include "actuators.hpp"
#include "expand.hpp"
#include "io/readers.hpp"
#include "io/text/xacro.hpp"

namespace grbda {

namespace {

using mjcf::Context;

/// More attributes than any element of MJCF has; it bounds the search in a default class.
constexpr int most_attributes = 200;

bool check_root(xml::Document& document) {
    const std::string name = document.root().name();
    if (name == "mujoco") return true;
    document.error(Code::unknown_format, document.root(), "the outermost element <mujoco>", "<" + name + ">",
                   nearest_name_hint(name, {"mujoco"}));
    return false;
}

bool check_attributes(xml::Document& document) {
    bool good = true;
    const pugi::xml_node root = document.root();
    for (pugi::xml_node element = root; element; element = xml::next_element(element, root)) {
        const auto attributes = element.attributes();
        if (std::distance(attributes.begin(), attributes.end()) <= most_attributes) continue;
        document.error(Code::too_large, element, "at most " + std::to_string(most_attributes) + " attributes",
                       "more");
        good = false;
    }
    return good;
}

/// Removes the models, which are attached by now.
void remove_models(pugi::xml_node root) {
    for (pugi::xml_node section = root.child("asset"); section;) {
        const pugi::xml_node next = section.next_sibling("asset");
        bool had_models = false;
        while (section.remove_child("model")) had_models = true;
        if (had_models && !section.first_child()) root.remove_child(section);
        section = next;
    }
}

void read_settings(Context& context, RobotDescription& robot) {
    const pugi::xml_node root = context.document.root();
    for (const pugi::xml_node section : root.children("option")) mjcf::read_option(context, section, robot);
    for (const pugi::xml_node section : root.children("default")) {
        context.defaults.read(context.document, section);
    }
    remove_models(root);
    mjcf::read_assets(context);
    context.document.ignore_children_except(
        root, {"compiler", "option", "default", "asset", "worldbody", "equality", "tendon", "actuator",
               "keyframe", "contact", "sensor"});
}

}  // namespace

RobotDescription read_mjcf(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
    xml::Document document(text, file, diagnostics);
    Includes none;
    return read_mjcf(document, none);
}

RobotDescription read_mjcf(xml::Document& document, Includes& includes) {
    RobotDescription robot;
    if (!document.root() || !check_root(document)) return robot;
    Context context{document, {}, {}, {}};
    context.includes = &includes;
    if (!mjcf::expand(context, includes) || !check_attributes(document)) return robot;
    if (!xml::is_expanded(document)) return robot;
    mjcf::check_places(document);
    robot.where = document.where(document.root());
    robot.name = document.text(document.root(), "model").value_or("MuJoCo Model");
    read_settings(context, robot);
    mjcf::Tree tree;
    mjcf::read_tree(context, tree, robot);
    mjcf::Tendons tendons;
    mjcf::read_tendons(context, tree, robot, tendons);
    mjcf::read_equalities(context, tree, tendons, robot);
    mjcf::read_excluded_pairs(context, tree, robot);
    const std::vector<mjcf::Actuator> actuators = mjcf::read_actuators(context, tree, tendons, robot);
    mjcf::read_keyframes(context, tree, actuators, robot);
    mjcf::read_sensors(context, tree, robot);
    for (const pugi::xml_node section : document.root().children("deformable")) {
        for (const pugi::xml_node flex : section.children("flex")) {
            context.summary.flexes.add(flex, flex.attribute("name").value());
        }
    }
    mjcf::report_left_out_forces(context);
    mjcf::report_shapes(context);
    document.report_ignored();
    return robot;
}

}  // namespace grbda
