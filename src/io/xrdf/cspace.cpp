#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "description/rules.hpp"
#include "io/text/xml_text.hpp"
#include "sections.hpp"

namespace grbda::xrdf {

namespace {

bool has_range(const JointDescription& joint) {
    return facts(joint.type).has_range && joint.limits.lower <= joint.limits.upper;
}

void read_default_position(Context& context, const yaml::Node& node, const std::string& name) {
    const int position = context.free_joint(node, name);
    const std::optional<double> value = context.document.number(node);
    if (position < 0 || !value) return;
    const JointDescription& joint = context.robot.joints[at(position)];
    if (has_range(joint) && !is_within(joint.limits, *value)) {
        context.document.error(Code::out_of_range, node,
                               "a position within the joint's limits, " + xml::exact(joint.limits.lower) +
                                   " to " + xml::exact(joint.limits.upper),
                               xml::exact(*value));
        return;
    }
    context.robot.start[joint.name] = {*value};
}

/// Joints without a position start at 0, or at the nearest position within their limits.
void clamp_others(Context& context, const yaml::Node& node) {
    constexpr int most_named = 5;
    int count = 0;
    std::string names;
    for (std::size_t position = 0; position < context.robot.joints.size(); ++position) {
        const JointDescription& joint = context.robot.joints[position];
        const int child = context.index.child[position];
        const bool in_tree = child >= 0 && context.index.joint_above[at(child)] == static_cast<int>(position);
        if (!in_tree || !has_range(joint) || context.index.followers.count(joint.name) != 0) continue;
        const double start = std::clamp(0.0, joint.limits.lower, joint.limits.upper);
        if (start == 0 || !context.robot.start.emplace(joint.name, std::vector<double>{start}).second)
            continue;
        if (++count <= most_named) names += (count > 1 ? ", " : "") + quoted(joint.name);
    }
    if (count == 0) return;
    if (count > most_named) names += " and " + std::to_string(count - most_named) + " more";
    context.document.report(Severity::note, Code::assumed, node,
                            "joints without a position, whose limits exclude 0, start at the limit", names);
}

/// Reads one positive limit for each joint of cspace; returns nothing if one is invalid.
std::optional<std::vector<double>> read_limits(Context& context, const yaml::Node& cspace, const char* key,
                                               std::size_t joints) {
    yaml::Document& document = context.document;
    const yaml::Node* node = document.required(cspace, key);
    if (node == nullptr || !document.is_sequence(*node)) return std::nullopt;
    std::vector<double> limits;
    for (const yaml::Node& item : node->items) {
        const std::optional<double> limit = document.number(item);
        if (limit && *limit > 0) {
            limits.push_back(*limit);
        } else if (limit) {
            document.error(Code::out_of_range, item, "a limit above zero", xml::exact(*limit));
        }
    }
    if (node->items.size() == joints) {
        return limits.size() == joints ? std::optional(std::move(limits)) : std::nullopt;
    }
    document.error(Code::wrong_shape, *node, std::to_string(joints) + " limits, one for each of joint_names",
                   std::to_string(node->items.size()));
    return std::nullopt;
}

/// Index of each joint; −1 for those that cannot be coordinates.
std::vector<int> read_joints(Context& context, const yaml::Node& names) {
    yaml::Document& document = context.document;
    std::vector<int> joints;
    std::set<std::string> known;
    for (const yaml::Node& item : names.items) {
        joints.push_back(-1);
        const std::optional<std::string> name = document.text(item);
        if (!name) continue;
        if (known.insert(*name).second) {
            joints.back() = context.free_joint(item, *name);
        } else {
            document.error(Code::repeated, item, "each joint once", quoted(*name) + " again");
        }
    }
    if (joints.empty()) document.error(Code::missing, names, "at least one joint", "none");
    return joints;
}

}  // namespace

void read_default_positions(Context& context) {
    const yaml::Node* defaults = context.document.root().find("default_joint_positions");
    if (defaults != nullptr && defaults->kind != yaml::Kind::null && context.document.is_mapping(*defaults)) {
        for (const auto& [name, node] : defaults->entries) read_default_position(context, node, name);
    }
    clamp_others(context, defaults != nullptr ? *defaults : context.document.root());
}

void read_cspace(Context& context) {
    yaml::Document& document = context.document;
    const yaml::Node* cspace = document.required(document.root(), "cspace");
    if (cspace == nullptr || !document.is_mapping(*cspace)) return;
    document.ignore_keys_except(*cspace, {"joint_names", "acceleration_limits", "jerk_limits"});
    const yaml::Node* names = document.required(*cspace, "joint_names");
    if (names == nullptr || !document.is_sequence(*names)) return;
    const std::vector<int> joints = read_joints(context, *names);
    const auto accelerations = read_limits(context, *cspace, "acceleration_limits", joints.size());
    const auto jerks = read_limits(context, *cspace, "jerk_limits", joints.size());
    context.robot.coordinates.clear();
    for (std::size_t i = 0; i < joints.size(); ++i) {
        if (joints[i] < 0) continue;
        JointDescription& joint = context.robot.joints[at(joints[i])];
        context.robot.coordinates.push_back(joint.name);
        if (accelerations) joint.limits.acceleration = (*accelerations)[i];
        if (jerks) joint.limits.jerk = (*jerks)[i];
    }
}

void read_tool_frames(Context& context) {
    yaml::Document& document = context.document;
    const yaml::Node* tools = document.root().find("tool_frames");
    if (tools == nullptr || tools->kind == yaml::Kind::null || !document.is_sequence(*tools)) return;
    std::vector<std::string>& list = context.robot.tool_frames;
    std::set<std::string> here;
    const std::set<std::string> before(list.begin(), list.end());
    for (const yaml::Node& item : tools->items) {
        const std::optional<std::string> name = document.text(item);
        if (!name || !context.is_place(item, *name)) continue;
        if (!here.insert(*name).second) {
            document.error(Code::repeated, item, "each frame once", quoted(*name) + " again");
        } else if (before.count(*name) == 0) {
            list.push_back(*name);
        }
    }
}

}  // namespace grbda::xrdf
