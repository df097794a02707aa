#pragma once

#include <set>
#include <string>

#include "grbda/table.hpp"
#include "io/robot_index.hpp"
#include "io/text/yaml.hpp"

// The sections of an XRDF file, with one source file for each kind.

namespace grbda::xrdf {

/// The part of the robot above the base frame that a file sets.
struct Pruned {
    std::string base;              ///< empty: nothing is removed
    std::set<std::string> places;  ///< links and frames
    std::set<std::string> joints;
};

struct Context {
    yaml::Document& document;
    RobotDescription& robot;
    Pruned pruned;
    RobotIndex index;  ///< of the remaining robot

    /// Returns true for a link or frame of the robot; otherwise reports an error at the node.
    bool is_place(const yaml::Node& node, const std::string& name);
    /// Index of a joint with one degree of freedom that
    /// is not a follower; −1 after an error otherwise.
    int free_joint(const yaml::Node& node, const std::string& name);
};

/// Applies add_frame and set_base_frame.
Pruned apply_modifiers(yaml::Document& document, RobotDescription& robot);

/// Keeps only the link and what is below it. An end of a loop or coupling above it is an error at the node.
Pruned prune(yaml::Document& document, const yaml::Node& node, int base, RobotDescription& robot);

void read_geometry(Context& context);
/// Reads collision, world_collision and self_collision; call it after read_geometry.
void read_collisions(Context& context);
void read_default_positions(Context& context);
void read_cspace(Context& context);
void read_tool_frames(Context& context);

}  // namespace grbda::xrdf
