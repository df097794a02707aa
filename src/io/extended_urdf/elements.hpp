#pragma once

#include <map>
#include <string>
#include <vector>

#include "grbda/description.hpp"
#include "io/robot_index.hpp"
#include "io/text/yaml.hpp"

// The parts of an Extended URDF's YAML file, with one source file each.

namespace grbda::extended_urdf {

struct Context {
    yaml::Document& document;
    RobotDescription& robot;
    std::map<std::string, std::string> replaced;  ///< joint replaced by two joints → its child link
};

/// Adds a note that a key belongs to older files, and how it was read.
void note_older_key(Context& context, const yaml::Node& node, const std::string& read_as);

/// "'a', 'b' and 7 more": long lists are cut.
std::string listed(const std::vector<std::string>& names);

/// joint_name with joint_type, and rotule_name.
void replace_joints(Context& context);

/// closed_loop, or name_closedloop with closed_loop_number; and type.
void add_loops(Context& context);

/// name_mot; call it after joints are replaced.
void name_motors(Context& context);

}  // namespace grbda::extended_urdf
