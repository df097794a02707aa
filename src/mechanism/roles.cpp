#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "steps.hpp"

namespace grbda::mechanism {

namespace {

using Positions = std::map<std::string, std::vector<double>>;

/// Length of the quaternion at the end of the position of a spherical or floating joint.
double quaternion_length(const std::vector<double>& position) {
    double squares = 0;
    for (auto entry = position.end() - 4; entry != position.end(); ++entry) squares += *entry * *entry;
    return std::sqrt(squares);
}

/// Type of a joint, also of the one that a floating base adds.
JointType type_of(const Context& context, const std::string& joint) {
    const int index = context.joints.find(joint);
    return index < 0 ? JointType::floating : context.description.joints[at(index)].type;
}

/// A position in a state, or in the start.
Subject position_in(const Subject& whole, const std::string& joint) {
    return {whole.kind, whole.name, whole.text + " of joint " + quoted(joint)};
}

/// The subject of all positions of a state.
Subject positions_of(const StateDescription& state) {
    return {"state", state.name, "state " + quoted(state.name) + ": position"};
}

Subject start() { return {"start", "", "start"}; }

/// A joint with its role in the description: "actuated joint 'knee'".
Subject named_as(const std::string& what, const std::string& joint) {
    return {"joint", joint, what + " " + quoted(joint)};
}

void check_positions(const Context& context, const Positions& positions, const SourceLocation& where,
                     const Subject& whole) {
    for (const auto& [joint, values] : positions) {
        const Subject owner = position_in(whole, joint);
        if (!check_joint_name(context, joint, where, owner)) continue;
        check_position(context, type_of(context, joint), values, where, owner);
    }
}

void check_states(const Context& context) {
    std::set<std::string> names;
    for (const StateDescription& state : context.description.states) {
        if (!names.insert(state.name).second) {
            context.error(Code::duplicate_name, state.where, Subject::of("state", state.name),
                          "a state name that no other has", quoted(state.name) + " again");
        }
        const Subject owner = Subject::of("state", state.name);
        if (check_literal(context, state.name, state.where, owner))
            check_literal(context, state.group, state.where, owner);
        check_positions(context, state.positions, state.where, positions_of(state));
        for (const auto& [joint, target] : state.targets)
            if (!std::isfinite(target))
                context.error(Code::bad_number, state.where, owner,
                              "a finite target of joint " + quoted(joint), number(target));
    }
}

void check_coordinates(const Context& context) {
    std::set<std::string> names;
    for (const std::string& joint : context.description.coordinates) {
        const Subject owner = named_as("coordinate", joint);
        const SourceLocation& where = context.description.where;
        if (!check_joint_name(context, joint, where, owner)) continue;
        if (!names.insert(joint).second)
            context.error(Code::repeated, where, owner, "each joint once", "it twice");
    }
}

void check_tool_frames(const Context& context) {
    if (context.description.tool_frames.empty()) return;
    NameIndex names;
    for (const LinkDescription& link : context.description.links) names.add(link.name);
    for (const FrameDescription& frame : context.description.frames) names.add(frame.name);
    for (const std::string& tool : context.description.tool_frames) {
        if (names.find(tool) >= 0) continue;
        context.error(Code::unknown_name, context.description.where,
                      {"tool_frame", tool, "tool frame " + quoted(tool)}, "a known link or frame",
                      quoted(tool), names.hint(tool));
    }
}

Positions resolved(const Context& context, const Fusion& fusion, const Positions& positions,
                   const SourceLocation& where, const Subject& whole) {
    Positions result;
    for (const auto& [joint, values] : positions) {
        if (values.empty()) continue;  // a fixed joint
        if (!moved_body(context, fusion, joint, where, position_in(whole, joint))) continue;
        result[joint] = with_unit_quaternion(type_of(context, joint), values);
    }
    return result;
}

/// Those of servos on joints that move.
std::map<std::string, double> targets_of(const Context& context, const Fusion& fusion,
                                         const StateDescription& state) {
    std::map<std::string, double> targets;
    for (const auto& [joint, target] : state.targets) {
        const int index = context.joints.find(joint);
        if (index < 0 || fusion.joint_body[at(index)] < 0 || !context.description.joints[at(index)].servo)
            continue;
        targets[joint] = target;
    }
    return targets;
}

void mark_named_motors(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    const RobotDescription& description = context.description;
    for (const std::string& joint : description.actuated) {
        const std::optional<int> body =
            moved_body(context, fusion, joint, description.where, named_as("actuated joint", joint));
        if (body) mechanism.bodies[at(*body)].actuated = true;
    }
}

void mark_all_but_passive(const Context& context, Mechanism& mechanism) {
    const std::set<std::string> without = joints_without_motor(context.description);
    for (MechanismBody& body : mechanism.bodies)
        body.actuated = body.type != JointType::floating && without.count(body.joint) == 0;
}

void mark_actuated(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    const RobotDescription& description = context.description;
    if (!description.actuated.empty())
        mark_named_motors(context, fusion, mechanism);
    else if (!description.passive.empty())
        mark_all_but_passive(context, mechanism);
    if (description.actuated.empty()) return;
    const std::set<std::string> passive(description.passive.begin(), description.passive.end());
    for (MechanismBody& body : mechanism.bodies) {
        if (!body.actuated || passive.count(body.joint) == 0) continue;
        context.report(Severity::warning, Code::conflict, body.where, Subject::of("joint", body.joint),
                       "a motor, or the mark of a passive joint", "both", "it counts as passive");
        body.actuated = false;
    }
}

/// Removes joints that do not move: the model does not contain them.
GroupDescription moving_part(const Context& context, const Fusion& fusion, GroupDescription group) {
    std::erase_if(group.joints, [&](const std::string& joint) {
        const int index = context.joints.find(joint);
        return index < 0 ? joint != root_joint_name : fusion.joint_body[at(index)] < 0;
    });
    return group;
}

}  // namespace

void check_groups(const Context& context) {
    std::set<std::string> names;
    for (const GroupDescription& group : context.description.groups) {
        const Subject owner = Subject::of("group", group.name);
        check_literal(context, group.name, group.where, owner);
        if (!names.insert(group.name).second) {
            context.report(Severity::warning, Code::duplicate_name, group.where, owner,
                           "a group name that no other has", quoted(group.name) + " again", "it is left out");
            continue;
        }
        for (const std::string& joint : group.joints) check_joint_name(context, joint, group.where, owner);
        for (const std::string& link : group.links)
            check_link_name(context, link, "member", group.where, owner);
    }
}

void check_position(const Context& context, JointType type, const std::vector<double>& values,
                    const SourceLocation& where, const Subject& owner) {
    const std::size_t size = at(position_size(type));
    if (values.size() != size) {
        context.error(Code::wrong_shape, where, owner,
                      std::to_string(size) + " numbers for a " + to_string(type) + " joint",
                      std::to_string(values.size()));
    } else if (!std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); })) {
        context.error(Code::bad_number, where, owner, finite_numbers, "NaN or infinity");
    } else if (has_quaternion(type) && !(quaternion_length(values) > smallest_axis)) {
        context.error(Code::out_of_range, where, owner, "a quaternion other than zero",
                      "length " + number(quaternion_length(values)));
    }
}

std::vector<double> with_unit_quaternion(JointType type, std::vector<double> position) {
    if (!has_quaternion(type) || position.size() != at(position_size(type))) return position;
    constexpr double rounding = 1e-14;  // of a unit quaternion, whose bits are then unchanged
    const double length = quaternion_length(position);
    if (std::abs(length - 1) <= rounding) return position;
    for (auto entry = position.end() - 4; entry != position.end(); ++entry) *entry /= length;
    return position;
}

void check_roles(const Context& context) {
    const RobotDescription& description = context.description;
    for (const std::string& joint : description.actuated)
        check_joint_name(context, joint, description.where, named_as("actuated joint", joint));
    for (const std::string& joint : description.passive)
        check_joint_name(context, joint, description.where, named_as("passive joint", joint));
    check_positions(context, description.start, description.where, start());
    check_states(context);
    check_coordinates(context);
    check_tool_frames(context);
    if (description.gravity && !description.gravity->allFinite())
        context.error(Code::bad_number, description.where, Subject::of("robot", description.name),
                      std::string(finite_numbers) + " as gravity", "NaN or infinity");
}

void add_roles(const Context& context, const Fusion& fusion, Mechanism& mechanism) {
    const RobotDescription& description = context.description;
    mark_actuated(context, fusion, mechanism);
    mechanism.start = resolved(context, fusion, description.start, description.where, start());
    for (const StateDescription& state : description.states) {
        mechanism.states.push_back(
            {state.name, resolved(context, fusion, state.positions, state.where, positions_of(state)),
             state.where, targets_of(context, fusion, state)});
    }
    for (const std::string& joint : description.coordinates) {
        const std::optional<int> body =
            moved_body(context, fusion, joint, description.where, named_as("coordinate", joint));
        if (body) mechanism.coordinates.push_back(*body);
    }
    std::set<std::string> groups;
    for (const GroupDescription& group : description.groups)
        if (groups.insert(group.name).second) mechanism.groups.push_back(moving_part(context, fusion, group));
    mechanism.tool_frames = description.tool_frames;
    mechanism.gravity = description.gravity;
}

}  // namespace grbda::mechanism
