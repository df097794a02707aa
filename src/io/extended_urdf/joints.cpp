#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>

#include "elements.hpp"

namespace grbda::extended_urdf {

namespace {

constexpr const char* joint_types =
    "SPHERICAL, FIXED or UJOINT_AB with two different letters of X, Y, Z for A and B";

/// The effect of joint_type on a joint.
struct Replacement {
    JointType type = JointType::fixed;  ///< fixed, spherical or universal
    char first = 'X', second = 'Y';     ///< universal: axes of the joint frame, in this order
    const yaml::Node* node = nullptr;   ///< where it is written
};

std::optional<Replacement> read_joint_type(Context& context, const yaml::Node& node) {
    const std::optional<std::string> name = context.document.text(node);
    if (!name) return std::nullopt;
    if (*name == "SPHERICAL") return Replacement{JointType::spherical, 'X', 'Y', &node};
    if (*name == "FIXED") return Replacement{JointType::fixed, 'X', 'Y', &node};
    const std::string universal = "UJOINT_";
    const bool is_universal =
        name->size() == universal.size() + 2 && name->compare(0, universal.size(), universal) == 0;
    if (is_universal) {
        const char first = (*name)[universal.size()];
        const char second = (*name)[universal.size() + 1];
        const auto is_axis = [](char c) { return c == 'X' || c == 'Y' || c == 'Z'; };
        if (is_axis(first) && is_axis(second) && first != second) {
            return Replacement{JointType::universal, first, second, &node};
        }
    }
    context.document.error(Code::unknown_word, node, joint_types, quoted(*name),
                           *name == "CARDAN" ? "write UJOINT_XY"
                                             : nearest_name_hint(*name, {"SPHERICAL", "FIXED", "UJOINT_XY",
                                                                         "UJOINT_YZ", "UJOINT_ZX"}));
    return std::nullopt;
}

/// The replacements by joint, in the order of the robot's joints.
class Replacements {
public:
    explicit Replacements(Context& context) : context_(context), of_joint_(context.robot.joints.size()) {
        for (const JointDescription& joint : context.robot.joints) joints_.add(joint.name);
    }

    void read_lists(const yaml::Node* names_node, const yaml::Node* types_node) {
        yaml::Document& document = context_.document;
        if (names_node == nullptr || types_node == nullptr) {
            if (names_node == types_node) return;
            const yaml::Node& given = names_node != nullptr ? *names_node : *types_node;
            document.error(Code::missing, given, "joint_name and joint_type, two lists of one length",
                           names_node != nullptr ? "no joint_type" : "no joint_name");
            return;
        }
        const bool names_are_listed = document.is_sequence(*names_node);
        if (!document.is_sequence(*types_node) || !names_are_listed) return;
        const std::size_t count = names_node->items.size();
        if (count != types_node->items.size()) {
            document.error(Code::wrong_shape, *types_node,
                           std::to_string(count) + " types, one for each joint in joint_name",
                           std::to_string(types_node->items.size()));
        }
        for (std::size_t i = 0; i < count; ++i) {
            const std::optional<std::string> name = document.text(names_node->items[i]);
            if (name)
                read(names_node->items[i], *name,
                     i < types_node->items.size() ? &types_node->items[i] : nullptr);
        }
    }

    /// For older files: every moving joint whose name contains this text is spherical.
    void read_part_of_names(const yaml::Node& node) {
        const std::optional<std::string> part = context_.document.text(node);
        if (!part) return;
        std::vector<std::string> found;
        for (std::size_t i = 0; i < of_joint_.size(); ++i) {
            const JointDescription& joint = context_.robot.joints[i];
            if (joint.type == JointType::fixed || joint.name.find(*part) == std::string::npos) continue;
            found.push_back(joint.name);
            if (!of_joint_[i]) of_joint_[i] = Replacement{JointType::spherical, 'X', 'Y', &node};
        }
        if (found.empty()) {
            context_.document.error(Code::unknown_name, node, "part of the names of joints that move",
                                    quoted(*part) + ", which no such joint has");
        } else {
            note_older_key(context_, node, "a part of the spherical joints' names: " + listed(found));
        }
    }

    const std::optional<Replacement>& of(std::size_t joint) const { return of_joint_[joint]; }

private:
    void read(const yaml::Node& node, const std::string& name, const yaml::Node* type_node) {
        yaml::Document& document = context_.document;
        const int index = joints_.find(name);
        if (index < 0)
            return document.error(Code::unknown_name, node, "a known joint", quoted(name),
                                  joints_.hint(name));
        if (!named_.insert(index).second)
            return document.error(Code::repeated, node, "each joint once", quoted(name) + " again");
        if (type_node == nullptr) return;
        const std::optional<Replacement> replacement = read_joint_type(context_, *type_node);
        if (!replacement) return;
        const auto position = static_cast<std::size_t>(index);
        if (context_.robot.joints[position].type == JointType::fixed &&
            replacement->type != JointType::fixed) {
            document.error(Code::wrong_kind, node, "a joint that moves", "the fixed joint " + quoted(name),
                           "give it a type that moves in the robot's own file");
            return;
        }
        of_joint_[position] = replacement;
    }

    Context& context_;
    NameIndex joints_;
    std::set<int> named_;
    std::vector<std::optional<Replacement>> of_joint_;
};

Eigen::Vector3d axis(char letter) { return Eigen::Vector3d::Unit(letter - 'X'); }

/// Drops properties of the single angle, which do not apply to the new joint.
void drop_what_holds_for_angle(JointDescription& joint) {
    joint.limits.lower = JointLimits{}.lower;
    joint.limits.upper = JointLimits{}.upper;
    joint.stiffness = 0;
    joint.rest.clear();
}

class Writer {
public:
    explicit Writer(Context& context) : context_(context) {
        for (const LinkDescription& link : context.robot.links) links_.insert(link.name);
        for (const FrameDescription& frame : context.robot.frames) links_.insert(frame.name);
        for (const JointDescription& joint : context.robot.joints) joints_.insert(joint.name);
    }

    void apply(const Replacements& replacements) {
        std::vector<JointDescription> joints;
        for (std::size_t i = 0; i < context_.robot.joints.size(); ++i) {
            JointDescription& joint = context_.robot.joints[i];
            const std::optional<Replacement>& replacement = replacements.of(i);
            if (!replacement) {
                joints.push_back(std::move(joint));
                continue;
            }
            note_lost_start(joint, *replacement);
            warn_about_lost_spring(joint, *replacement);
            if (replacement->type == JointType::universal) {
                add_universal(std::move(joint), *replacement, joints);
                continue;
            }
            joint.type = replacement->type;
            drop_what_holds_for_angle(joint);
            if (joint.type == JointType::fixed) joint.independent.reset();
            joints.push_back(std::move(joint));
        }
        context_.robot.joints = std::move(joints);
    }

private:
    void note_lost_start(const JointDescription& joint, const Replacement& replacement) {
        if (context_.robot.start.erase(joint.name) == 0) return;
        context_.document.report(Severity::note, Code::ignored, *replacement.node,
                                 "the start of joint " + quoted(joint.name) + " is not used",
                                 "one of the joint that was replaced");
    }

    /// A locked joint needs no spring.
    void warn_about_lost_spring(const JointDescription& joint, const Replacement& replacement) {
        if (joint.stiffness.is_zero() || replacement.type == JointType::fixed) return;
        context_.document.report_left_out(*replacement.node,
                                          "joint " + quoted(joint.name) + " without a spring", "one",
                                          "it is left out with the joint that is replaced");
    }

    /// Adds two revolute joints with a massless link between them; the first takes the old joint's place.
    void add_universal(JointDescription joint, const Replacement& replacement,
                       std::vector<JointDescription>& joints) {
        joint.type = JointType::continuous;
        drop_what_holds_for_angle(joint);
        JointDescription second = joint;
        joint.name += std::string("_") + replacement.first;
        second.name += std::string("_") + replacement.second;
        LinkDescription between;
        between.name = joint.name + "_link";
        between.where = context_.document.where(*replacement.node);
        context_.replaced[second.name.substr(0, second.name.size() - 2)] = joint.child;
        check_is_new(replacement, joints_, joint.name, "joint");
        check_is_new(replacement, joints_, second.name, "joint");
        check_is_new(replacement, links_, between.name, "link");
        joint.child = second.parent = between.name;
        joint.axis = axis(replacement.first);
        joint.child_origin = second.origin = Pose{};
        second.axis = axis(replacement.second);
        context_.robot.links.push_back(std::move(between));
        joints.push_back(std::move(joint));
        joints.push_back(std::move(second));
    }

    void check_is_new(const Replacement& replacement, std::set<std::string>& names, const std::string& name,
                      const char* kind) {
        if (names.insert(name).second) return;
        context_.document.error(Code::duplicate_name, *replacement.node,
                                "names for the parts of the universal joint that no other has",
                                "the " + std::string(kind) + " " + quoted(name) + ", which is there already");
    }

    Context& context_;
    std::set<std::string> links_, joints_;
};

}  // namespace

void replace_joints(Context& context) {
    const yaml::Node& root = context.document.root();
    Replacements replacements(context);
    replacements.read_lists(root.find("joint_name"), root.find("joint_type"));
    if (const yaml::Node* const part = root.find("rotule_name")) replacements.read_part_of_names(*part);
    Writer(context).apply(replacements);
}

}  // namespace grbda::extended_urdf
