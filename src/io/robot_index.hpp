#pragma once

#include <set>
#include <string>
#include <vector>

#include "description/name_index.hpp"
#include "grbda/description.hpp"
#include "grbda/table.hpp"

// A robot's names and its tree, for readers of side files, which speak of a robot that is there already.

namespace grbda {

struct RobotIndex {
    explicit RobotIndex(const RobotDescription& robot);

    /// Joints between two links: from `base` up to their nearest common ancestor, down from there to `tip`.
    /// False: no path. cost  O(path)
    bool path(int base, int tip, std::vector<int>& way) const;

    NameIndex links, joints;
    NameIndex places;                 ///< links, then frames
    std::vector<int> parent, child;   ///< links of each joint; −1: no such link
    std::vector<int> joint_above;     ///< tree joint of each link: the preferred one
    std::vector<int> root;            ///< of each link's tree; −1: none, as a cycle of joints is above it
    std::vector<int> depth;           ///< tree joints above each link that has a root
    std::set<std::string> followers;  ///< joints that mimic another

private:
    void find_tree_joints(const RobotDescription& robot);
    void find_roots();
};

}  // namespace grbda
