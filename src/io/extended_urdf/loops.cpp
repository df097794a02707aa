#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "elements.hpp"

namespace grbda::extended_urdf {

namespace {

struct Place {
    std::string link;
    Pose origin;
};

/// The robot's frames by name.
class Places {
public:
    explicit Places(const Context& context) : context_(context) {
        for (const LinkDescription& link : context.robot.links) links_.add(link.name);
        for (const FrameDescription& frame : context.robot.frames) frames_.add(frame.name);
        for (const JointDescription& joint : context.robot.joints) joints_.add(joint.name);
        for (const LinkDescription& link : context.robot.links) all_.add(link.name);
        for (const FrameDescription& frame : context.robot.frames) all_.add(frame.name);
        for (const JointDescription& joint : context.robot.joints) all_.add(joint.name);
    }

    /// Prefers a link or a named frame; otherwise a joint, which means the frame of its child.
    std::optional<Place> find(const std::string& name) const {
        if (links_.find(name) >= 0) return Place{name, {}};
        if (const int frame = frames_.find(name); frame >= 0) {
            const FrameDescription& found = context_.robot.frames[static_cast<std::size_t>(frame)];
            return Place{found.link, found.origin};
        }
        if (const int joint = joints_.find(name); joint >= 0) {
            return Place{context_.robot.joints[static_cast<std::size_t>(joint)].child, {}};
        }
        const auto replaced = context_.replaced.find(name);
        if (replaced != context_.replaced.end()) return Place{replaced->second, {}};
        return std::nullopt;
    }

    std::string hint(const std::string& name) const { return all_.hint(name); }

private:
    const Context& context_;
    NameIndex links_, frames_, joints_, all_;
};

/// Two frames that a loop connects, and their source location.
struct Pair {
    std::string first, second;
    const yaml::Node* node = nullptr;
};

std::optional<LoopType> read_loop_type(Context& context, const yaml::Node& node) {
    const std::optional<std::string> name = context.document.text(node);
    if (!name) return std::nullopt;
    if (*name == "3d" || *name == "3D") return LoopType::spherical;
    if (*name == "6d" || *name == "6D") return LoopType::fixed;
    context.document.error(Code::unknown_word, node, "3d (a point in common) or 6d (rigidly joined)",
                           quoted(*name), "other kinds of loop can be written as <loop> in URDF+");
    return std::nullopt;
}

/// One entry per loop; empty for a type that was refused with an error.
std::vector<std::optional<LoopType>> read_types(Context& context, std::size_t count) {
    std::vector<std::optional<LoopType>> types(count);
    const yaml::Node* const node = context.document.root().find("type");
    if (node == nullptr) {
        if (count == 0) return types;
        context.document.report(Severity::note, Code::assumed, context.document.root(),
                                "no key 'type': every loop is 6d, rigidly joined", "");
        types.assign(count, LoopType::fixed);
    } else if (node->kind == yaml::Kind::scalar) {
        types.assign(count, read_loop_type(context, *node));
        note_older_key(context, *node, "the type of all loops");
    } else if (context.document.is_sequence(*node)) {
        if (node->items.size() != count) {
            context.document.error(Code::wrong_shape, *node,
                                   std::to_string(count) + " types, one for each loop in closed_loop",
                                   std::to_string(node->items.size()));
        }
        for (std::size_t i = 0; i < std::min(count, node->items.size()); ++i) {
            types[i] = read_loop_type(context, node->items[i]);
        }
    }
    return types;
}

/// Refused entries remain, without names, so that the others keep their types.
std::vector<Pair> read_pairs(Context& context, const yaml::Node& node) {
    std::vector<Pair> pairs;
    if (!context.document.is_sequence(node)) return pairs;
    for (const yaml::Node& item : node.items) {
        Pair pair{{}, {}, &item};
        const bool is_pair = item.kind == yaml::Kind::sequence && item.items.size() == 2;
        if (!is_pair) {
            context.document.error(Code::wrong_shape, item, "a list of two frames",
                                   item.kind == yaml::Kind::sequence
                                       ? "one of " + std::to_string(item.items.size())
                                       : "something else");
        } else if (const auto names = context.document.texts(item)) {
            pair.first = (*names)[0];
            pair.second = (*names)[1];
        }
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

/// The digits in `name` after the first `part`; leading zeros are not part of a loop's number.
std::string digits_after(const std::string& name, const std::string& part) {
    const std::size_t start = name.find(part);
    if (start == std::string::npos) return {};
    const std::size_t first = start + part.size();
    std::size_t end = first;
    while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
    return name.substr(first, end - first);
}

using Groups = std::vector<std::pair<std::string, std::vector<std::string>>>;  ///< loop number → its frames

/// Links whose names contain `part` and a number after it, by that number in order of first occurrence.
Groups group_links(const Context& context, const std::string& part) {
    Groups groups;
    std::map<std::string, std::size_t> positions;
    for (const LinkDescription& link : context.robot.links) {
        const std::string digits = digits_after(link.name, part);
        if (digits.empty()) continue;
        const auto [place, is_new] = positions.try_emplace(digits, groups.size());
        if (is_new) groups.push_back({digits, {}});
        groups[place->second].second.push_back(link.name);
    }
    return groups;
}

/// Checks that closed_loop_number, if given, agrees with the loops found by name.
void check_count(Context& context, const yaml::Node* node, const Groups& groups) {
    if (node == nullptr) return;
    const std::optional<double> number = context.document.number(*node);
    if (!number) return;
    note_older_key(context, *node, "the number of loops");
    if (*number == -1 || *number == static_cast<double>(groups.size())) return;  // −1: all
    std::vector<std::string> numbers;
    for (const auto& [digits, links] : groups) numbers.push_back(digits);
    context.document.error(Code::wrong_shape, *node, "the number of loops that name_closedloop names",
                           quoted(node->scalar) + ", but links are named for " +
                               std::to_string(groups.size()) +
                               (numbers.empty() ? "" : ": " + listed(numbers)));
}

std::vector<Pair> pairs_by_name(Context& context, const yaml::Node& node) {
    std::vector<Pair> pairs;
    const std::optional<std::string> part = context.document.text(node);
    if (!part) return pairs;
    const Groups groups = group_links(context, *part);
    check_count(context, context.document.root().find("closed_loop_number"), groups);
    if (groups.empty()) {
        context.document.error(Code::unknown_name, node, "part of the names of links, with a number after it",
                               quoted(*part) + ", which no link has so");
    }
    std::string read_as;
    for (const auto& [digits, links] : groups) {
        if (links.size() != 2) {
            context.document.error(
                Code::wrong_shape, node, "two links for each loop",
                std::to_string(links.size()) + " for loop " + digits + ": " + listed(links));
            continue;
        }
        pairs.push_back({links[0], links[1], &node});
        read_as += (read_as.empty() ? "" : ", ") + ("[" + links[0] + ", " + links[1] + "]");
    }
    if (!pairs.empty()) note_older_key(context, node, "closed_loop: [" + read_as + "]");
    return pairs;
}

void add_loop(Context& context, const Places& places, const Pair& pair, LoopType type) {
    std::optional<Place> ends[2];
    const std::string* const names[2] = {&pair.first, &pair.second};
    for (std::size_t i = 0; i < 2; ++i) {
        ends[i] = places.find(*names[i]);
        if (ends[i]) continue;
        const yaml::Node& node = pair.node->items.size() == 2 ? pair.node->items[i] : *pair.node;
        context.document.error(Code::unknown_name, node, "a known link or joint", quoted(*names[i]),
                               places.hint(*names[i]));
    }
    if (!ends[0] || !ends[1]) return;
    LoopDescription loop;
    loop.name = pair.first + " to " + pair.second;
    loop.type = type;
    loop.predecessor = ends[0]->link;
    loop.predecessor_origin = ends[0]->origin;
    loop.successor = ends[1]->link;
    loop.successor_origin = ends[1]->origin;
    loop.where = context.document.where(*pair.node);
    context.robot.loops.push_back(std::move(loop));
}

}  // namespace

void add_loops(Context& context) {
    yaml::Document& document = context.document;
    const yaml::Node* const listed_node = document.root().find("closed_loop");
    const yaml::Node* const named_node = document.root().find("name_closedloop");
    if (listed_node != nullptr && named_node != nullptr) {
        document.error(Code::conflict, *named_node, "either closed_loop or name_closedloop", "both");
    }
    if (listed_node == nullptr && named_node == nullptr) {
        for (const char* key : {"type", "closed_loop_number"}) {
            const yaml::Node* const alone = document.root().find(key);
            if (alone == nullptr || alone->items.empty()) continue;
            document.error(Code::missing, *alone, "the key 'closed_loop' with it", "none");
        }
        return;
    }
    const std::vector<Pair> pairs =
        listed_node != nullptr ? read_pairs(context, *listed_node) : pairs_by_name(context, *named_node);
    const std::vector<std::optional<LoopType>> types = read_types(context, pairs.size());
    const Places places(context);
    std::set<std::pair<std::string, std::string>> known;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const Pair& pair = pairs[i];
        if (pair.first.empty() || pair.second.empty()) continue;
        if (!known.insert(std::minmax(pair.first, pair.second)).second) {
            document.error(Code::repeated, *pair.node, "each pair of frames once",
                           quoted(pair.first) + " and " + quoted(pair.second) + " again");
        } else if (types[i]) {
            add_loop(context, places, pair, *types[i]);
        } else if (pair.first == pair.second || !places.find(pair.first) || !places.find(pair.second)) {
            add_loop(context, places, pair, LoopType::fixed);  // reports its errors
        }
    }
}

}  // namespace grbda::extended_urdf
