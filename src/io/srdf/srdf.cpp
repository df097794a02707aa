#include "grbda/io/side_files.hpp"

#include <utility>

#include "io/readers.hpp"
#include "elements.hpp"
#include "io/text/xacro.hpp"

namespace grbda {

namespace srdf {

int Context::known(pugi::xml_node element, const char* attribute, const char* kind, const NameIndex& names,
                   Severity severity) {
    const std::optional<std::string> name = document.required_text(element, attribute);
    if (!name) return -1;
    const int position = names.find(*name);
    if (position < 0) {
        const std::string hint = names.hint(*name);
        const bool left_out = severity != Severity::error;
        document.report(
            severity, Code::unknown_name, element, std::string("a known ") + kind + " in '" + attribute + "'",
            "'" + *name + "'",
            (left_out ? "it is left out" : "") + std::string(left_out && !hint.empty() ? "; " : "") + hint);
    }
    return position;
}

int Context::link(pugi::xml_node element, const char* attribute) {
    return known(element, attribute, "link", index.links);
}

int Context::joint(pugi::xml_node element, const char* attribute, Severity severity) {
    if (no_joints.count(element.attribute(attribute).value()) != 0) return -1;
    return known(element, attribute, "joint", index.joints, severity);
}

int Context::group(pugi::xml_node element, const char* attribute) {
    return known(element, attribute, "group", groups);
}

namespace {

void check_robot_name(xml::Document& document, const RobotDescription& robot) {
    const std::optional<std::string> name = document.required_text(document.root(), "name");
    if (!name || *name == robot.name) return;
    document.report(Severity::warning, Code::file_set, document.root(),
                    "the name of the robot, '" + robot.name + "'", "'" + *name + "'",
                    "is this the SRDF of another robot?");
}

/// Names in a list, each once.
class Names {
public:
    explicit Names(std::vector<std::string>& list) : list_(list), known_(list.begin(), list.end()) {}
    void add(const std::string& name) {
        if (known_.insert(name).second) list_.push_back(name);
    }

private:
    std::vector<std::string>& list_;
    std::set<std::string> known_;
};

void read_passive_joint(Context& context, pugi::xml_node element, Names& passive) {
    xml::Document& document = context.document;
    document.ignore_children_except(element, {});
    const int position = context.joint(element, "name");
    if (position < 0) return;
    const JointDescription& joint = context.robot.joints[static_cast<std::size_t>(position)];
    if (joint.type == JointType::fixed) {
        document.report(Severity::note, Code::ignored, element, "without effect", "a fixed joint");
    } else {
        passive.add(joint.name);
    }
}

void read_end_effector(Context& context, pugi::xml_node element, Names& tools) {
    xml::Document& document = context.document;
    document.ignore_children_except(element, {});
    document.required_text(element, "name");
    context.group(element, "group");
    if (element.attribute("parent_group")) context.group(element, "parent_group");
    const int link = context.link(element, "parent_link");
    if (link < 0) return;
    const std::string& name = context.robot.links[static_cast<std::size_t>(link)].name;
    tools.add(name);
    document.report(Severity::note, Code::assumed, element, "its parent_link '" + name + "' is a tool frame",
                    "");
}

void read_other_elements(Context& context) {
    xml::Document& document = context.document;
    Names passive(context.robot.passive);
    Names tools(context.robot.tool_frames);
    for (const pugi::xml_node element : document.root().children()) {
        const std::string kind = element.name();
        if (kind == "passive_joint") read_passive_joint(context, element, passive);
        if (kind == "end_effector") read_end_effector(context, element, tools);
    }
    document.ignore_children_except(
        document.root(),
        {"virtual_joint", "group", "group_state", "passive_joint", "end_effector", "disable_collisions",
         "enable_collisions", "disable_default_collisions", "link_sphere_approximation"});
}

}  // namespace

}  // namespace srdf

void apply_srdf(const std::string& text, const std::string& file, RobotDescription& robot,
                Diagnostics& diagnostics) {
    xml::Document document(text, file, diagnostics);
    apply_srdf(document, robot);
}

void apply_srdf(xml::Document& document, RobotDescription& robot) {
    if (!document.root()) return;
    if (std::string(document.root().name()) != "robot") {
        document.error(Code::unknown_format, document.root(), "the outermost element <robot>",
                       "<" + std::string(document.root().name()) + ">");
        return;
    }
    if (!xml::is_expanded(document)) return;
    srdf::check_robot_name(document, robot);
    std::set<std::string> no_joints = srdf::read_virtual_joints(document, robot);
    srdf::Context context{document, robot, RobotIndex(robot), std::move(no_joints), {}, {}};
    srdf::read_groups(context);
    srdf::read_states(context);
    srdf::read_other_elements(context);
    srdf::read_collisions(context);
    srdf::read_spheres(context);
    document.report_ignored();
}

}  // namespace grbda
