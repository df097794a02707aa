#include "grbda/io/mjcf.hpp"

#include <algorithm>
#include <array>

#include "mjcf_elements.hpp"

namespace grbda {

namespace {

using mjcf::Context;

/// No element of MJCF has as many; it bounds the search for an attribute in a default class.
constexpr int most_attributes = 200;

bool check_root(xml::Document& document) {
    const std::string name = document.root().name();
    if (name == "mujoco") return true;
    document.error(document.root(), "the outermost element <mujoco>", "<" + name + ">",
                   nearest_name_hint(name, {"mujoco"}));
    return false;
}

/// Without what it includes, a file would be full of names that are not there.
bool is_whole(xml::Document& document) {
    bool whole = true;
    const pugi::xml_node root = document.root();
    for (pugi::xml_node element = root; element; element = xml::next_element(element, root)) {
        const auto attributes = element.attributes();
        if (std::distance(attributes.begin(), attributes.end()) > most_attributes) {
            document.error(element, "at most " + std::to_string(most_attributes) + " attributes", "more");
            whole = false;
        }
        if (std::string_view(element.name()) != "include") continue;
        whole = false;
        document.error(element, "a model in one file",
                       "'" + std::string(element.attribute("file").value()) + "' included",
                       "load it in MuJoCo and save it (mj_saveLastXML): that writes one file");
    }
    return whole;
}

void read_settings(Context& context, RobotDescription& robot) {
    const pugi::xml_node root = context.document.root();
    for (const pugi::xml_node section : root.children("compiler")) mjcf::read_compiler(context, section);
    for (const pugi::xml_node section : root.children("option")) mjcf::read_option(context, section, robot);
    for (const pugi::xml_node section : root.children("default")) {
        context.defaults.read(context.document, section);
    }
    context.document.ignore_children_except(
        root, {"compiler", "option", "default", "worldbody", "equality", "tendon", "actuator", "keyframe"});
}

}  // namespace

RobotDescription read_mjcf(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
    RobotDescription robot;
    xml::Document document(text, file, diagnostics);
    if (!document.root() || !check_root(document) || !is_whole(document)) return robot;
    Context context{document, {}, {}, {}};
    robot.where = document.where(document.root());
    robot.name = document.text(document.root(), "model").value_or("MuJoCo Model");
    read_settings(context, robot);
    mjcf::Tree tree;
    mjcf::read_tree(context, tree, robot);
    mjcf::Tendons tendons;
    mjcf::read_tendons(context, tree, robot, tendons);
    mjcf::read_equalities(context, tree, tendons, robot);
    mjcf::read_actuators(context, tree, robot);
    mjcf::read_keyframes(context, tree, robot);
    document.report_ignored();
    return robot;
}

}  // namespace grbda
