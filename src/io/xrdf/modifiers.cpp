#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "io/text/quaternion.hpp"
#include "sections.hpp"

namespace grbda::xrdf {

namespace {

/// One add_frame. Its parent is a link, a frame of the robot or another added one.
struct AddedFrame {
    const yaml::Node* node = nullptr;
    const yaml::Node* parent_node = nullptr;
    FrameDescription frame;  ///< relative to its parent until it is resolved, then in a link
    std::string parent;
};

struct BaseFrame {
    const yaml::Node* node = nullptr;
    std::string name;
};

struct Modifiers {
    std::vector<AddedFrame> frames;
    std::optional<BaseFrame> base;
};

std::optional<std::string> required_text(yaml::Document& document, const yaml::Node& mapping,
                                         const char* key) {
    const yaml::Node* node = document.required(mapping, key);
    return node != nullptr ? document.text(*node) : std::nullopt;
}

std::optional<Eigen::Matrix3d> read_orientation(yaml::Document& document, const yaml::Node& node) {
    if (!document.is_mapping(node)) return std::nullopt;
    document.ignore_keys_except(node, {"w", "xyz"});
    const yaml::Node* w_node = document.required(node, "w");
    const yaml::Node* xyz_node = document.required(node, "xyz");
    const auto w = w_node != nullptr ? document.number(*w_node) : std::nullopt;
    const auto xyz = xyz_node != nullptr ? document.numbers(*xyz_node, 3) : std::nullopt;
    if (!w || !xyz) return std::nullopt;
    const Eigen::Vector4d coefficients((*xyz)[0], (*xyz)[1], (*xyz)[2], *w);
    return rotation_from_quaternion(document, node, coefficients, "a quaternion of length 1",
                                    "no rotation is w: 1 and xyz: [0, 0, 0]");
}

std::optional<Pose> read_transform(yaml::Document& document, const yaml::Node& frame) {
    const yaml::Node* transform = document.required(frame, "fixed_transform");
    if (transform == nullptr || !document.is_mapping(*transform)) return std::nullopt;
    document.ignore_keys_except(*transform, {"position", "orientation"});
    const yaml::Node* position = document.required(*transform, "position");
    const yaml::Node* orientation = document.required(*transform, "orientation");
    const auto xyz = position != nullptr ? document.numbers(*position, 3) : std::nullopt;
    const auto rotation = orientation != nullptr ? read_orientation(document, *orientation) : std::nullopt;
    if (!xyz || !rotation) return std::nullopt;
    return Pose{*rotation, Eigen::Vector3d(xyz->data())};
}

/// Only FIXED, the default, is supported.
void check_joint_type(yaml::Document& document, const yaml::Node& frame) {
    const yaml::Node* given = frame.find("joint_type");
    const auto type = given != nullptr ? document.text(*given) : std::nullopt;
    if (!type || *type == "FIXED" || *type == "fixed") return;
    document.error(Code::unsupported, *given, "FIXED", quoted(*type),
                   "a joint that moves belongs into the URDF");
}

/// Names that added frames and their joints cannot have: the robot's, and each other's.
class NewNames {
public:
    explicit NewNames(const RobotIndex& index) : index_(index) {}

    void check_frame(yaml::Document& document, const yaml::Node& node, const std::string& name) {
        const bool is_new = frames_.insert(name).second && index_.places.find(name) < 0;
        if (!is_new)
            document.error(Code::duplicate_name, node, "a name that no other link or frame has",
                           quoted(name) + " again");
    }

    void check_joint(yaml::Document& document, const yaml::Node& node, const std::string& name) {
        const bool is_new = joints_.insert(name).second && index_.joints.find(name) < 0;
        if (!is_new)
            document.error(Code::duplicate_name, node, "a name that no other joint has",
                           quoted(name) + " again");
    }

private:
    const RobotIndex& index_;
    std::set<std::string> frames_, joints_;
};

/// `given` contains the fields; nothing if the frame could not be placed.
void read_frame(yaml::Document& document, const yaml::Node& given, NewNames& names, Modifiers& modifiers) {
    const auto name = required_text(document, given, "frame_name");
    const auto parent = required_text(document, given, "parent_frame_name");
    const auto joint = required_text(document, given, "joint_name");
    check_joint_type(document, given);
    const auto pose = read_transform(document, given);
    if (name) names.check_frame(document, *given.find("frame_name"), *name);
    if (joint) names.check_joint(document, *given.find("joint_name"), *joint);
    if (!name || !parent) return;
    AddedFrame added;
    added.node = given.find("frame_name");
    added.parent_node = given.find("parent_frame_name");
    added.parent = *parent;
    added.frame.name = *name;
    added.frame.where = document.where(given);
    if (pose) added.frame.origin = *pose;
    modifiers.frames.push_back(std::move(added));
}

void read_base(yaml::Document& document, const yaml::Node& node, Modifiers& modifiers) {
    const std::optional<std::string> name = document.text(node);
    if (!name) return;
    if (modifiers.base && modifiers.base->name != *name) {
        document.error(Code::repeated, node, "one base frame",
                       quoted(*name) + " after " + quoted(modifiers.base->name));
    }
    if (!modifiers.base) modifiers.base = BaseFrame{&node, *name};
}

/// One entry of the list: the fields of a frame are below add_frame, or beside it.
void read_modifier(yaml::Document& document, const yaml::Node& item, NewNames& names, Modifiers& modifiers) {
    if (!document.is_mapping(item)) return;
    const yaml::Node* frame = item.find("add_frame");
    const yaml::Node* base = item.find("set_base_frame");
    if (frame == nullptr && base == nullptr) {
        const std::string first = item.entries.empty() ? "" : item.entries.front().first;
        document.error(Code::unknown_word, item, "add_frame or set_base_frame",
                       first.empty() ? "none" : quoted(first),
                       nearest_name_hint(first, {"add_frame", "set_base_frame"}));
        return;
    }
    const bool is_beside = frame != nullptr && frame->kind == yaml::Kind::null;
    const std::vector<std::string_view> fields = {"frame_name", "parent_frame_name", "joint_name",
                                                  "joint_type", "fixed_transform"};
    std::vector<std::string_view> keys = {"add_frame", "set_base_frame"};
    if (is_beside) keys.insert(keys.end(), fields.begin(), fields.end());
    document.ignore_keys_except(item, keys);
    if (is_beside) {
        read_frame(document, item, names, modifiers);
    } else if (frame != nullptr && document.is_mapping(*frame)) {
        document.ignore_keys_except(*frame, fields);
        read_frame(document, *frame, names, modifiers);
    }
    if (base != nullptr) read_base(document, *base, modifiers);
}

/// Places added frames in the links that carry them, independent of their order.
class Placement {
public:
    Placement(yaml::Document& document, const RobotDescription& robot, const RobotIndex& index,
              std::vector<AddedFrame>& frames)
        : document_(document), robot_(robot), index_(index), frames_(frames), state_(frames.size(), open) {
        for (std::size_t i = 0; i < frames.size(); ++i) added_.emplace(frames[i].frame.name, i);
    }

    void place_all() {
        for (std::size_t i = 0; i < frames_.size(); ++i) {
            if (state_[i] == open) place_with_parents(i);
        }
    }

private:
    enum State { open, on_the_way, placed, refused };

    void place_with_parents(std::size_t frame) {
        std::vector<std::size_t> way;
        for (;;) {
            state_[frame] = on_the_way;
            way.push_back(frame);
            const auto parent = added_.find(frames_[frame].parent);
            // The robot's own names come first: reusing one for an added frame is an error anyway.
            if (index_.places.find(frames_[frame].parent) >= 0 || parent == added_.end()) break;
            if (state_[parent->second] == on_the_way) report_cycle(way, parent->second);
            if (state_[parent->second] != open) break;
            frame = parent->second;
        }
        for (auto next = way.rbegin(); next != way.rend(); ++next) state_[*next] = place(frames_[*next]);
    }

    State place(AddedFrame& added) {
        const int place = index_.places.find(added.parent);
        const auto other = added_.find(added.parent);
        if (place >= 0) {
            put(added, place);
        } else if (other != added_.end()) {
            if (state_[other->second] != placed) return refused;
            const FrameDescription& parent = frames_[other->second].frame;
            added.frame.link = parent.link;
            added.frame.origin = parent.origin * added.frame.origin;
        } else {
            document_.error(Code::unknown_name, *added.parent_node, "a known link or frame",
                            quoted(added.parent), index_.places.hint(added.parent));
            return refused;
        }
        return placed;
    }

    void put(AddedFrame& added, int place) {
        const auto links = static_cast<int>(robot_.links.size());
        if (place < links) {
            added.frame.link = added.parent;
            return;
        }
        const FrameDescription& parent = robot_.frames[static_cast<std::size_t>(place - links)];
        added.frame.link = parent.link;
        added.frame.origin = parent.origin * added.frame.origin;
    }

    void report_cycle(const std::vector<std::size_t>& way, std::size_t first) {
        std::string names = quoted(frames_[first].frame.name);
        for (auto next = way.rbegin(); next != way.rend(); ++next) {
            names += " → " + quoted(frames_[*next].frame.name);
            if (*next == first) break;
        }
        document_.error(Code::cycle, *frames_[first].parent_node, "added frames that end at a link",
                        "the cycle " + names);
    }

    yaml::Document& document_;
    const RobotDescription& robot_;
    const RobotIndex& index_;
    std::vector<AddedFrame>& frames_;
    std::vector<State> state_;
    std::map<std::string, std::size_t> added_;
};

void check_frames_are_kept(yaml::Document& document, const Modifiers& modifiers, const Pruned& pruned) {
    for (const AddedFrame& added : modifiers.frames) {
        if (pruned.places.count(added.frame.link) == 0) continue;
        document.error(Code::unknown_name, *added.parent_node,
                       "a frame at or below the base " + quoted(pruned.base),
                       quoted(added.parent) + ", which is not");
    }
}

Pruned set_base(yaml::Document& document, const Modifiers& modifiers, RobotDescription& robot,
                const RobotIndex& index) {
    const BaseFrame& base = *modifiers.base;
    const int link = index.links.find(base.name);
    if (link >= 0) {
        Pruned pruned = prune(document, *base.node, link, robot);
        check_frames_are_kept(document, modifiers, pruned);
        return pruned;
    }
    NameIndex frames;
    for (const FrameDescription& frame : robot.frames) frames.add(frame.name);
    const bool is_frame = frames.find(base.name) >= 0;
    document.error(Code::unknown_name, *base.node, "a known link",
                   quoted(base.name) + (is_frame ? ", which is a frame without links below it" : ""),
                   is_frame ? "" : index.links.hint(base.name));
    return {};
}

}  // namespace

Pruned apply_modifiers(yaml::Document& document, RobotDescription& robot) {
    const yaml::Node* list = document.root().find("modifiers");
    if (list == nullptr || list->kind == yaml::Kind::null || !document.is_sequence(*list)) return {};
    const RobotIndex index(robot);
    NewNames names(index);
    Modifiers modifiers;
    for (const yaml::Node& item : list->items) read_modifier(document, item, names, modifiers);
    Placement(document, robot, index, modifiers.frames).place_all();
    for (const AddedFrame& added : modifiers.frames) robot.frames.push_back(added.frame);
    return modifiers.base ? set_base(document, modifiers, robot, index) : Pruned{};
}

}  // namespace grbda::xrdf
