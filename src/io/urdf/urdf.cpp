#include "grbda/io/urdf.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "io/readers.hpp"
#include "elements.hpp"
#include "io/text/xacro.hpp"

namespace grbda {

namespace {

using urdf::Context;

/// Generates names for unnamed loops and couplings.
class ConstraintNames {
public:
    explicit ConstraintNames(pugi::xml_node root) {
        for (const char* kind : {"loop", "coupling"}) {
            for (const pugi::xml_node element : root.children(kind)) {
                taken_.insert(element.attribute("name").value());
            }
        }
    }

    void complete(xml::Document& document, pugi::xml_node element, std::string& name) {
        const int position = ++counts_[element.name()];
        if (!name.empty()) return;
        name = element.name() + ("_" + std::to_string(position));
        while (!taken_.insert(name).second) name += "_";
        document.report(Severity::note, Code::assumed, element, "called '" + name + "'", "it has no name");
    }

private:
    std::set<std::string> taken_;
    std::map<std::string, int> counts_;  ///< of each kind, so far
};

bool check_root(xml::Document& document) {
    const pugi::xml_node root = document.root();
    const std::string name = root.name();
    if (name == "robot") return true;
    std::string hint = nearest_name_hint(name, {"robot"});
    if (name == "mujoco") hint = "this looks like MJCF, the format of MuJoCo";
    if (name == "sdf") hint = "this looks like SDF, the format of Gazebo";
    document.error(Code::unknown_format, root, "the outermost element <robot>", "<" + name + ">", hint);
    return false;
}

void read_robot_attributes(Context& context, RobotDescription& robot) {
    xml::Document& document = context.document;
    const pugi::xml_node root = document.root();
    robot.where = document.where(root);
    robot.name = document.text(root, "name").value_or("");
    if (robot.name.empty()) {
        robot.name = xml::unnamed_robot;
        document.report(Severity::note, Code::assumed, root, "called '" + robot.name + "'", "it has no name");
    }
    const xml::Keywords<int> minor_versions = {{"1.0", 0}, {"1.1", 1}, {"1.2", 2}, {"1", 0}};
    context.quaternions = document.keyword(root, "version", minor_versions).value_or(0) > 0;
    const xml::Keywords<CouplingRatio> readings = {
        {"predecessor/successor", CouplingRatio::predecessor_over_successor},
        {"successor/predecessor", CouplingRatio::successor_over_predecessor}};
    robot.coupling_ratio = document.keyword(root, "coupling_ratio", readings);
}

std::set<std::string> read_children(pugi::xml_node root) {
    std::set<std::string> children;
    for (const pugi::xml_node joint : root.children("joint"))
        for (const char* attribute : {"link", "name"})
            children.insert(joint.child("child").attribute(attribute).value());
    return children;
}

/// A parent called "world" is the world if no link has this name: adds it as a massless root link.
void add_world(Context& context, RobotDescription& robot) {
    const auto is_world = [](const auto& element) { return element.name == "world"; };
    const auto hangs_on_world = [](const JointDescription& joint) { return joint.parent == "world"; };
    const auto joint = std::find_if(robot.joints.begin(), robot.joints.end(), hangs_on_world);
    if (joint == robot.joints.end() || std::any_of(robot.links.begin(), robot.links.end(), is_world)) return;
    LinkDescription world;
    world.name = "world";
    world.where = joint->where;
    robot.links.insert(robot.links.begin(), std::move(world));
    context.document.report(Severity::note, Code::assumed, context.document.root(),
                            "a root link 'world' is added",
                            "joint " + quoted(joint->name) + " has this parent, and no link this name");
}

void read_elements(Context& context, RobotDescription& robot) {
    xml::Document& document = context.document;
    ConstraintNames constraints(document.root());
    for (const pugi::xml_node element : document.root().children()) {
        if (element.type() != pugi::node_element) continue;
        const std::string kind = element.name();
        if (kind == "link") {
            robot.links.push_back(urdf::read_link(context, element));
        } else if (kind == "joint") {
            robot.joints.push_back(urdf::read_joint(context, element));
            if (auto mimic = urdf::read_mimic(context, element)) robot.couplings.push_back(*mimic);
        } else if (kind == "loop") {
            robot.loops.push_back(urdf::read_loop(context, element));
            constraints.complete(document, element, robot.loops.back().name);
        } else if (kind == "coupling") {
            robot.couplings.push_back(urdf::read_coupling(context, element));
            constraints.complete(document, element, robot.couplings.back().name);
        } else if (kind == "coordinate") {
            robot.combined.push_back(urdf::read_coordinate(context, element));
        } else if (kind == "tendon") {
            robot.tendons.push_back(urdf::read_tendon(context, element));
        } else if (kind == "frame") {
            robot.frames.push_back(urdf::read_frame(context, element));
        } else if (kind != "material" && !urdf::is_role(element) && !urdf::is_include(element)) {
            if (kind == "gazebo") urdf::warn_about_gazebo(context, element);
            if (kind == "gazebo" && urdf::is_all_read(element)) continue;
            document.ignore(
                element, {"link", "joint", "loop", "coupling", "coordinate", "tendon", "frame", "material",
                          "transmission", "start", "state", "coordinates", "tool_frame", "gravity", "group"});
        }
    }
    add_world(context, robot);
    urdf::read_roles(context, robot);
    urdf::read_plugins(context, robot);
}

}  // namespace

RobotDescription read_urdf(const std::string& text, const std::string& file, Diagnostics& diagnostics) {
    xml::Document document(text, file, diagnostics);
    return read_urdf(document);
}

RobotDescription read_urdf(xml::Document& document) {
    RobotDescription robot;
    if (!document.root() || !check_root(document)) return robot;
    const bool expanded = xml::is_all_expanded(document);
    Context context{document};
    read_robot_attributes(context, robot);
    context.children = read_children(document.root());
    context.colors = urdf::read_materials(context);
    read_elements(context, robot);
    urdf::check_places(context);
    if (expanded) document.report_ignored();
    return robot;
}

}  // namespace grbda
