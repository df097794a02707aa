#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "grbda/description.hpp"
#include "grbda/index.hpp"

// A robot's names and its tree, for readers of side files, which speak of a robot that is there already.

namespace grbda {

/// Names in order, the first of equal ones being the one that counts.
class NameIndex {
public:
    void add(const std::string& name) {
        positions_.emplace(name, static_cast<int>(names_.size()));
        names_.push_back(name);
    }
    /// −1: no such name.
    int find(const std::string& name) const {
        const auto entry = positions_.find(name);
        return entry == positions_.end() ? -1 : entry->second;
    }
    /// nearest_name_hint until a fixed amount of work is spent: many wrong names must not take quadratic
    /// time.
    std::string hint(const std::string& name) const;

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, int> positions_;
    mutable std::size_t compared_ = 0;
};

struct RobotIndex {
    explicit RobotIndex(const RobotDescription& robot);

    /// Joints between two links: from `base` up to their nearest common ancestor, down from there to `tip`.
    /// False: no path. cost  O(path)
    bool path(int base, int tip, std::vector<int>& way) const;

    NameIndex links, joints;
    NameIndex places;                ///< links, then frames
    std::vector<int> parent, child;  ///< links of each joint; −1: no such link
    std::vector<int> joint_above;  ///< tree joint of each link: the first marked independent, else the first
    std::vector<int> root;         ///< of each link's tree; −1: none, as a cycle of joints is above it
    std::vector<int> depth;        ///< tree joints above each link that has a root
    std::set<std::string> followers;  ///< joints that mimic another

private:
    void find_tree_joints(const RobotDescription& robot);
    void find_roots();
};

}  // namespace grbda
