#include "robot_index.hpp"

#include "description/equipment.hpp"

namespace grbda {

RobotIndex::RobotIndex(const RobotDescription& robot) {
    for (const LinkDescription& link : robot.links) links.add(link.name);
    for (const LinkDescription& link : robot.links) places.add(link.name);
    for (const FrameDescription& frame : robot.frames) places.add(frame.name);
    for (const JointDescription& joint : robot.joints) {
        joints.add(joint.name);
        parent.push_back(links.find(joint.parent));
        child.push_back(links.find(joint.child));
    }
    for (const CouplingDescription& coupling : robot.couplings) {
        if (is_mimic(coupling)) followers.insert(follower_of(coupling));
    }
    find_tree_joints(robot);
    find_roots();
}

void RobotIndex::find_tree_joints(const RobotDescription& robot) {
    const Equipment equipment(robot);
    joint_above.assign(robot.links.size(), -1);
    for (std::size_t joint = 0; joint < robot.joints.size(); ++joint) {
        if (child[joint] < 0) continue;
        int& chosen = joint_above[at(child[joint])];
        const JointDescription* const before = chosen < 0 ? nullptr : &robot.joints[at(chosen)];
        if (equipment.prefers(robot.joints[joint], before)) chosen = static_cast<int>(joint);
    }
}

void RobotIndex::find_roots() {
    constexpr int not_visited = -2;
    root.assign(joint_above.size(), not_visited);
    depth.assign(joint_above.size(), 0);
    std::vector<int> way_up;
    for (std::size_t start = 0; start < root.size(); ++start) {
        int link = static_cast<int>(start);
        way_up.clear();
        while (link >= 0 && root[at(link)] == not_visited) {
            root[at(link)] = -1;  // unchanged on a cycle, which is met again here
            way_up.push_back(link);
            const int joint = joint_above[at(link)];
            if (joint < 0) root[at(link)] = link;
            link = joint < 0 ? -1 : parent[at(joint)];
        }
        int above = link >= 0 ? link : way_up.empty() ? -1 : way_up.back();
        if (above < 0 || root[at(above)] < 0) continue;
        for (auto below = way_up.rbegin(); below != way_up.rend(); above = *below++) {
            root[at(*below)] = root[at(above)];
            depth[at(*below)] = *below == above ? 0 : depth[at(above)] + 1;
        }
    }
}

bool RobotIndex::path(int base, int tip, std::vector<int>& way) const {
    if (root[at(base)] < 0 || root[at(base)] != root[at(tip)]) return false;
    std::vector<int> down;
    way.clear();
    while (base != tip) {
        int& deeper = depth[at(tip)] >= depth[at(base)] ? tip : base;
        const int joint = joint_above[at(deeper)];
        (&deeper == &tip ? down : way).push_back(joint);
        deeper = parent[at(joint)];
    }
    way.insert(way.end(), down.rbegin(), down.rend());
    return true;
}

}  // namespace grbda
