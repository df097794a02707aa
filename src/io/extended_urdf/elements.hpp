#pragma once

#include <map>
#include <string>
#include <vector>

#include "grbda/description.hpp"
#include "io/robot_index.hpp"
#include "io/text/yaml.hpp"

// The parts of an Extended URDF's YAML file, one source file each.

namespace grbda::extended_urdf {

struct Context {
    yaml::Document& document;
    RobotDescription& robot;
    std::map<std::string, std::string> replaced;  ///< joint that is two joints now → its child link
};

/// A note: the key is one of older files, and this is what it was read as.
void note_older_key(Context& context, const yaml::Node& node, const std::string& read_as);

/// "'a', 'b' and 7 more": long lists are cut.
std::string listed(const std::vector<std::string>& names);

/// joint_name with joint_type, and rotule_name.
void replace_joints(Context& context);

/// closed_loop or name_closedloop with closed_loop_number, and type.
void add_loops(Context& context);

/// name_mot; looks at the joints as replaced.
void name_motors(Context& context);

}  // namespace grbda::extended_urdf
