#pragma once

#include <set>
#include <string>
#include <vector>

#include "description/name_index.hpp"
#include "grbda/description.hpp"
#include "grbda/table.hpp"

// A robot's names and its tree, for readers of side files, which refer to an existing robot.

namespace grbda {

struct RobotIndex {
    explicit RobotIndex(const RobotDescription& robot);

    /// Finds the joints between two links: from `base` up to their nearest common
    /// ancestor, then down to `tip`. Returns false if there is no path. cost  O(path)
    bool path(int base, int tip, std::vector<int>& way) const;

    NameIndex links, joints;
    NameIndex places;                 ///< links, then frames
    std::vector<int> parent, child;   ///< links of each joint; −1: no such link
    std::vector<int> joint_above;     ///< tree joint of each link: the preferred one
    std::vector<int> root;            ///< of each link's tree; −1: none, if a cycle of joints is above it
    std::vector<int> depth;           ///< tree joints above each link that has a root
    std::set<std::string> followers;  ///< joints that mimic another

private:
    void find_tree_joints(const RobotDescription& robot);
    void find_roots();
};

}  // namespace grbda
