#include "grbda/io/side_files.hpp"

#include <algorithm>
#include <cstddef>
#include <set>

#include "elements.hpp"
#include "io/readers.hpp"

namespace grbda {

namespace extended_urdf {

namespace {

void add_motor(Context& context, const yaml::Node& node, const std::string& joint, const NameIndex& joints,
               std::set<std::string>& motors) {
    yaml::Document& document = context.document;
    const int index = joints.find(joint);
    if (context.replaced.count(joint) != 0) {
        document.error(Code::wrong_kind, node, "a joint as motor",
                       quoted(joint) + ", which joint_type makes two joints",
                       "name the driven one of the two");
    } else if (index < 0) {
        document.error(Code::unknown_name, node, "a known joint", quoted(joint), joints.hint(joint));
    } else if (context.robot.joints[static_cast<std::size_t>(index)].type == JointType::fixed) {
        document.error(Code::wrong_kind, node, "a joint that moves as motor",
                       "the fixed joint " + quoted(joint));
    } else if (!motors.insert(joint).second) {
        document.error(Code::repeated, node, "each motor once", quoted(joint) + " again");
    } else {
        context.robot.actuated.push_back(joint);
    }
}

/// For older files: every joint whose name contains this text.
void name_motors_by_part(Context& context, const yaml::Node& node) {
    const std::optional<std::string> part = context.document.text(node);
    if (!part) return;
    for (const JointDescription& joint : context.robot.joints) {
        const bool is_motor = joint.type != JointType::fixed && joint.name.find(*part) != std::string::npos;
        if (is_motor) context.robot.actuated.push_back(joint.name);
    }
    const std::vector<std::string>& motors = context.robot.actuated;
    if (motors.empty()) {
        context.document.error(Code::unknown_name, node, "part of the names of joints that move",
                               quoted(*part) + ", which no such joint has");
    } else {
        note_older_key(context, node, "a part of the motors' names: " + listed(motors));
    }
}

}  // namespace

void note_older_key(Context& context, const yaml::Node& node, const std::string& read_as) {
    context.document.report(Severity::note, Code::assumed, node, "a form of older files, read as " + read_as,
                            "");
}

std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t most_names = 12;
    std::string text;
    for (std::size_t i = 0; i < std::min(most_names, names.size()); ++i) {
        text += (i == 0 ? "" : ", ") + quoted(names[i]);
    }
    if (names.size() > most_names) text += " and " + std::to_string(names.size() - most_names) + " more";
    return text;
}

void name_motors(Context& context) {
    const yaml::Node* const node = context.document.root().find("name_mot");
    if (node == nullptr) return;
    if (!context.robot.actuated.empty()) {
        context.document.report(Severity::note, Code::assumed, *node, "motors are those of name_mot alone",
                                "the robot's own file names others: " + listed(context.robot.actuated));
        context.robot.actuated.clear();
    }
    if (node->kind == yaml::Kind::scalar) return name_motors_by_part(context, *node);
    const std::optional<std::vector<std::string>> names = context.document.texts(*node);
    if (!names) return;
    NameIndex joints;
    for (const JointDescription& joint : context.robot.joints) joints.add(joint.name);
    std::set<std::string> motors;
    for (std::size_t i = 0; i < names->size(); ++i) {
        add_motor(context, node->items[i], (*names)[i], joints, motors);
    }
}

}  // namespace extended_urdf

void apply_extended_urdf(const std::string& text, const std::string& file, RobotDescription& robot,
                         Diagnostics& diagnostics) {
    yaml::Document document(text, file, diagnostics);
    if (document.root().kind != yaml::Kind::null || !has_errors(diagnostics))
        apply_extended_urdf(document, robot);
}

void apply_extended_urdf(yaml::Document& document, RobotDescription& robot) {
    if (!document.is_mapping(document.root())) return;
    extended_urdf::Context context{document, robot, {}};
    extended_urdf::replace_joints(context);
    extended_urdf::add_loops(context);
    extended_urdf::name_motors(context);
    document.ignore_keys_except(
        document.root(), {"closed_loop", "type", "name_mot", "joint_name", "joint_type", "name_closedloop",
                          "closed_loop_number", "rotule_name"});
    document.report_ignored();
}

}  // namespace grbda
