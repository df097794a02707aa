#include <algorithm>
#include <utility>

#include "description/rules.hpp"
#include "elements.hpp"
#include "io/text/xml_text.hpp"

namespace grbda::srdf {

namespace {

void check_limits(Context& context, pugi::xml_node element, const JointDescription& joint, double value) {
    if (!facts(joint.type).has_range || is_within(joint.limits, value)) return;
    context.document.report(
        Severity::warning, Code::out_of_range, element,
        "a value between " + xml::exact(joint.limits.lower) + " and " + xml::exact(joint.limits.upper),
        element.attribute("value").value());
}

std::optional<std::vector<double>> read_values(Context& context, pugi::xml_node element, JointType type) {
    xml::Document& document = context.document;
    if (!document.required_text(element, "value")) return std::nullopt;
    const int count = position_size(type);
    if (count > 1) return document.numbers(element, "value", static_cast<std::size_t>(count));
    const std::optional<double> value = document.number(element, "value");
    return value ? std::optional(std::vector<double>{*value}) : std::nullopt;
}

/// A joint's entry in a state; nothing if the joint is unknown, does not move or is not in the group.
void read_position(Context& context, pugi::xml_node element, int group, StateDescription& state) {
    xml::Document& document = context.document;
    document.ignore_children_except(element, {});
    const int position = context.joint(element, "name", Severity::error);
    if (position < 0) return;
    const JointDescription& joint = context.robot.joints[static_cast<std::size_t>(position)];
    if (joint.type == JointType::fixed) {
        document.report(Severity::warning, Code::wrong_kind, element, "a joint that moves",
                        quoted(joint.name) + ", which is fixed", "its value is not used");
        return;
    }
    std::optional<std::vector<double>> values = read_values(context, element, joint.type);
    if (!values) return;
    if (group >= 0) {
        const std::vector<int>& joints = context.joints_of_group[static_cast<std::size_t>(group)];
        if (!std::binary_search(joints.begin(), joints.end(), position)) {
            document.report(
                Severity::warning, Code::unknown_name, element, "a joint of group " + quoted(state.group),
                quoted(joint.name) + ", which is not in it", "its value is left out, as MoveIt does");
            return;
        }
    }
    check_limits(context, element, joint, values->front());
    if (state.positions.emplace(joint.name, std::move(*values)).second) return;
    document.error(Code::repeated, element, "one value for joint " + quoted(joint.name), "a second one");
}

/// Notes movable joints of the group without a value, until a fixed amount of work is spent.
void note_missing(Context& context, pugi::xml_node element, int group, const StateDescription& state,
                  std::size_t& work) {
    constexpr std::size_t most_work = 1'000'000;
    constexpr int most_named = 5;
    if (work > most_work) return;
    work += context.joints_of_group[static_cast<std::size_t>(group)].size();
    int count = 0;
    std::string names;
    for (const int position : context.joints_of_group[static_cast<std::size_t>(group)]) {
        const JointDescription& joint = context.robot.joints[static_cast<std::size_t>(position)];
        const bool follows = context.index.followers.count(joint.name) != 0;
        if (joint.type == JointType::fixed || follows || state.positions.count(joint.name) != 0) continue;
        if (++count <= most_named) names += (count > 1 ? ", " : "") + quoted(joint.name);
    }
    if (count == 0) return;
    if (count > most_named) names += " and " + std::to_string(count - most_named) + " more";
    context.document.report(Severity::note, Code::assumed, element,
                            "joints without a value stay where assembly starts", names);
}

/// Groups distinguish equal names of states here, but not in the description.
class StateNames {
public:
    explicit StateNames(const Context& context) {
        for (const StateDescription& state : context.robot.states) ++count_[state.name];
        for (const pugi::xml_node element : context.document.root().children("group_state")) {
            const std::string name = element.attribute("name").value();
            if (groups_[name].insert(element.attribute("group").value()).second) ++count_[name];
        }
    }
    bool is_shared(const std::string& name) const { return count_.at(name) > 1; }
    /// Returns false if the group already had it.
    bool take(const std::string& name, const std::string& group) { return groups_[name].erase(group) != 0; }

private:
    std::map<std::string, int> count_;
    std::map<std::string, std::set<std::string>> groups_;  ///< groups with an unread state of this name
};

void read_state(Context& context, pugi::xml_node element, StateNames& names, std::size_t& work) {
    xml::Document& document = context.document;
    document.ignore_children_except(element, {"joint"});
    const std::optional<std::string> name = document.required_text(element, "name");
    const bool has_group = !element.attribute("group").empty();
    const int group = has_group ? context.group(element, "group") : -1;
    if (!has_group) {
        document.report(Severity::note, Code::assumed, element, "a state of the joints that it names",
                        "no attribute 'group'");
    }
    StateDescription state;
    state.name = name.value_or("");
    state.group = element.attribute("group").value();
    state.where = document.where(element);
    for (const pugi::xml_node joint : element.children("joint")) read_position(context, joint, group, state);
    if (group >= 0) note_missing(context, element, group, state, work);
    if (!name || (has_group && group < 0)) return;
    if (!names.take(*name, state.group)) {
        document.error(Code::duplicate_name, element,
                       "a state name that no other of group " + quoted(state.group) + " has",
                       quoted(*name) + " again");
        return;
    }
    if (names.is_shared(*name)) {
        state.name = state.group + "/" + *name;
        document.report(Severity::note, Code::assumed, element, "called " + quoted(state.name),
                        "another state has the name " + quoted(*name));
    }
    context.robot.states.push_back(std::move(state));
}

}  // namespace

void read_states(Context& context) {
    StateNames names(context);
    std::size_t work = 0;
    for (const pugi::xml_node element : context.document.root().children("group_state")) {
        read_state(context, element, names, work);
    }
}

}  // namespace grbda::srdf
