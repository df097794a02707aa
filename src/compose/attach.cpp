#include <unordered_map>
#include <unordered_set>

#include "composition.hpp"

namespace grbda::composing {

namespace {

constexpr int on_the_world = -1;

/// A place to which a part can be attached: a link, or a frame in it.
struct Place {
    std::string link;
    Pose pose;
    int part = on_the_world;
};

using Places = std::unordered_map<std::string, Place>;

Places places_of(const Composition& composition) {
    Places places;
    for (std::size_t part = 0; part < composition.robots.size(); ++part) {
        const int index = static_cast<int>(part);
        for (const LinkDescription& link : composition.robots[part].links) {
            places.emplace(link.name, Place{link.name, Pose(), index});
        }
        for (const FrameDescription& frame : composition.robots[part].frames) {
            places.emplace(frame.name, Place{frame.link, frame.origin, index});
        }
    }
    places.emplace(world_link, Place{world_link, Pose(), on_the_world});
    return places;
}

std::string parent_hint(const Composition& composition, const std::string& parent) {
    std::vector<std::string> names = {world_link};
    for (const RobotDescription& robot : composition.robots) {
        for (const LinkDescription& link : robot.links) names.push_back(link.name);
        for (const FrameDescription& frame : robot.frames) names.push_back(frame.name);
    }
    const std::string nearest = nearest_name_hint(parent, names);
    return nearest.empty() ? "name it with the prefix of its part" : nearest;
}

/// Finds the link that no joint of the part moves; the first of several, after an error.
std::string find_root(Composition& composition, std::size_t part) {
    const RobotDescription& robot = composition.robots[part];
    std::unordered_set<std::string> children;
    for (const JointDescription& joint : robot.joints) children.insert(joint.child);
    std::vector<std::string> roots;
    for (const LinkDescription& link : robot.links) {
        if (children.count(link.name) == 0) roots.push_back(link.name);
    }
    if (roots.size() == 1) return roots.front();
    const std::string none = robot.links.empty() ? "no links" : "none: every link is the child of a joint";
    composition.error(Code::unreachable, part, "exactly one root link, to attach the part by",
                      roots.empty() ? none : std::to_string(roots.size()) + ": " + listed(roots),
                      roots.empty() ? "" : "join them with joints, or make each a part of its own");
    return roots.empty() ? std::string() : roots.front();
}

/// Parts attached to each other in a cycle have no root: an error.
void check_parents(Composition& composition, const std::vector<int>& hangs_on) {
    const std::size_t count = hangs_on.size();
    std::vector<std::size_t> walk_of(count, count);
    for (std::size_t start = 0; start < count; ++start) {
        std::size_t part = start;
        while (walk_of[part] == count && hangs_on[part] != on_the_world) {
            walk_of[part] = start;
            part = static_cast<std::size_t>(hangs_on[part]);
        }
        if (hangs_on[part] == on_the_world || walk_of[part] != start) continue;
        std::vector<std::string> cycle;
        std::size_t next = part;
        do {
            cycle.push_back(composition.given[next].parent);
            next = static_cast<std::size_t>(hangs_on[next]);
        } while (next != part);
        composition.error(Code::cycle, part, "parts attached to the world, directly or through others",
                          "parts attached to one another, by " + listed(cycle),
                          "leave the parent of one of them empty");
    }
}

JointDescription joint_above(const RobotPart& part, const Place& place) {
    JointDescription joint;
    joint.type = part.joint;
    joint.parent = place.link;
    joint.axis = part.axis;
    joint.axis2 = part.axis2;
    joint.origin = place.pose * part.base;
    joint.where = part.robot.where;
    return joint;
}

}  // namespace

void attach_parts(Composition& composition) {
    const Places places = places_of(composition);
    std::vector<int> hangs_on(composition.given.size(), on_the_world);
    bool has_world = false;
    for (std::size_t part = 0; part < composition.given.size(); ++part) {
        const RobotPart& given = composition.given[part];
        const auto place = places.find(given.parent.empty() ? world_link : given.parent);
        if (place == places.end()) {
            composition.error(Code::unknown_name, part, "a known link or frame to attach the part to",
                              quoted(given.parent), parent_hint(composition, given.parent));
        } else {
            hangs_on[part] = place->second.part;
            has_world |= hangs_on[part] == on_the_world;
        }
        JointDescription joint = joint_above(given, place == places.end() ? Place{} : place->second);
        joint.name = composition.added_joint(part);
        joint.child = find_root(composition, part);
        std::vector<JointDescription>& joints = composition.robots[part].joints;
        joints.insert(joints.begin(), std::move(joint));
    }
    if (has_world) {
        LinkDescription link;
        link.name = world_link;
        composition.whole.links.push_back(std::move(link));
    }
    check_parents(composition, hangs_on);
}

}  // namespace grbda::composing
