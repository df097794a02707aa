#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "grbda/table.hpp"
#include "io/robot_index.hpp"
#include "io/text/xml.hpp"

// The elements of an SRDF file, with one source file for each kind.

namespace grbda::srdf {

struct Context {
    xml::Document& document;
    RobotDescription& robot;
    RobotIndex index;                               ///< of the robot with its virtual joints
    std::set<std::string> no_joints;                ///< virtual joints that add nothing to the robot
    NameIndex groups;                               ///< of this file
    std::vector<std::vector<int>> joints_of_group;  ///< ascending

    /// Index of the link or joint that an attribute names; −1 after a warning if
    /// the robot has none of this name: settings of other robots are dropped.
    /// For a position, it is an error: a configuration without it would be another one.
    int link(pugi::xml_node element, const char* attribute);
    int joint(pugi::xml_node element, const char* attribute, Severity severity = Severity::warning);
    /// Index of a group in this file.
    int group(pugi::xml_node element, const char* attribute);

private:
    int known(pugi::xml_node element, const char* attribute, const char* kind, const NameIndex& names,
              Severity severity = Severity::warning);
};

/// Adds the virtual joint that moves the robot; returns the names of the other ones.
std::set<std::string> read_virtual_joints(xml::Document& document, RobotDescription& robot);

void read_groups(Context& context);
void read_states(Context& context);
void read_collisions(Context& context);
void read_spheres(Context& context);

}  // namespace grbda::srdf
