#include <utility>

#include "elements.hpp"

namespace grbda::srdf {

namespace {

/// Connection of the robot to a frame that its URDF does not contain.
struct VirtualJoint {
    pugi::xml_node element;
    std::string name, parent_frame, child_link;
    JointType type = JointType::fixed;
};

std::optional<VirtualJoint> read(xml::Document& document, pugi::xml_node element) {
    const xml::Keywords<JointType> types = {
        {"fixed", JointType::fixed}, {"planar", JointType::planar}, {"floating", JointType::floating}};
    document.ignore_children_except(element, {});
    const auto name = document.required_text(element, "name");
    const bool has_type = document.required_text(element, "type").has_value();
    const auto type = has_type ? document.keyword(element, "type", types) : std::nullopt;
    const auto parent = document.required_text(element, "parent_frame");
    const auto child = document.required_text(element, "child_link");
    if (!name || !type || !parent || !child) return std::nullopt;
    return VirtualJoint{element, *name, *parent, *child, *type};
}

/// Checks that the child is the robot's root, and that the robot does not use the joint's name.
bool check(xml::Document& document, const RobotIndex& index, const VirtualJoint& joint) {
    const int child = index.links.find(joint.child_link);
    if (child < 0) {
        const std::string hint = index.links.hint(joint.child_link);
        document.report_left_out(joint.element, "a known link in 'child_link'", "'" + joint.child_link + "'",
                                 "the robot stays fixed in the world" + (hint.empty() ? "" : "; " + hint));
        return false;
    }
    if (index.joints.find(joint.name) >= 0) {
        document.error(Code::duplicate_name, joint.element, "a joint name that no other has",
                       "'" + joint.name + "' again");
        return false;
    }
    if (index.joint_above[static_cast<std::size_t>(child)] < 0) return true;
    const bool is_fixed = joint.type == JointType::fixed;
    document.report(is_fixed ? Severity::warning : Severity::error, Code::wrong_kind, joint.element,
                    "the robot's root in 'child_link'",
                    "'" + joint.child_link + "', which has a joint above it",
                    is_fixed ? "this virtual joint has no effect" : "");
    return false;
}

/// Returns true if the joint is above the robot's root.
bool add(xml::Document& document, const RobotIndex& index, const VirtualJoint& joint,
         RobotDescription& robot) {
    if (robot.joints.size() > index.child.size()) {
        document.error(Code::repeated, joint.element, "one virtual joint that moves the robot",
                       "a second one");
        return false;
    }
    if (index.places.find(joint.parent_frame) >= 0) {
        document.error(Code::wrong_kind, joint.element, "a frame outside the robot in 'parent_frame'",
                       "'" + joint.parent_frame + "', which is part of it",
                       "here stands what the world is called, such as 'world' or 'odom'");
        return false;
    }
    LinkDescription world;
    world.name = joint.parent_frame;
    world.where = document.where(joint.element);
    JointDescription added;
    added.name = joint.name;
    added.type = joint.type;
    added.parent = joint.parent_frame;
    added.child = joint.child_link;
    added.axis = Eigen::Vector3d::UnitZ();  // planar: x, y and heading, as for a mobile base
    added.where = world.where;
    robot.links.push_back(std::move(world));
    robot.joints.push_back(std::move(added));
    return true;
}

/// Returns true if the joint was added to the robot.
bool apply(xml::Document& document, const RobotIndex& index, const VirtualJoint& joint,
           RobotDescription& robot) {
    if (!check(document, index, joint)) return false;
    if (joint.type != JointType::fixed) return add(document, index, joint, robot);
    document.report(Severity::note, Code::assumed, joint.element,
                    "the root link '" + joint.child_link + "' stays fixed in the world", "");
    return false;
}

}  // namespace

std::set<std::string> read_virtual_joints(xml::Document& document, RobotDescription& robot) {
    const RobotIndex index(robot);
    std::set<std::string> names;
    std::string added;
    for (const pugi::xml_node element : document.root().children("virtual_joint")) {
        const std::optional<VirtualJoint> joint = read(document, element);
        const bool is_new = names.insert(element.attribute("name").value()).second;
        if (joint && !is_new) {
            document.error(Code::duplicate_name, element, "a joint name that no other has",
                           "'" + joint->name + "' again");
        } else if (joint && apply(document, index, *joint, robot)) {
            added = joint->name;
        }
    }
    names.erase(added);
    return names;
}

}  // namespace grbda::srdf
