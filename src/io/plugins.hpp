#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "grbda/description.hpp"
#include "io/text/xml.hpp"

// The mechanism that simulators build by plugins, in files of URDF and SDF.

namespace grbda {

/// Names of links and joints, as written in the file.
using IsName = std::function<bool(const std::string&)>;

/// Gazebo's DetachableJoint: a rigid connection of two links, where they are at the start.
struct Attachment {
    std::string parent_link, child_model, child_link;
};

/// A joint that follows another: follower = multiplier · leader + offset.
struct PluginMimic {
    std::string leader, follower;
    double multiplier = 1, offset = 0;
};

bool is_attachment(pugi::xml_node plugin);
/// Returns nothing after a warning if a name is missing.
std::optional<Attachment> read_attachment(xml::Document& document, pugi::xml_node plugin);

bool is_mimic_plugin(pugi::xml_node plugin);
std::optional<PluginMimic> read_mimic_plugin(xml::Document& document, pugi::xml_node plugin);

/// The joints in <ros2_control> with <param name="mimic">.
std::vector<pugi::xml_node> mimics_in_control(pugi::xml_node control);
std::optional<PluginMimic> read_control_mimic(xml::Document& document, pugi::xml_node joint);

/// The names of links and joints in an element: in attributes, and as words of texts. Each occurs once.
std::vector<std::string> names_in(pugi::xml_node element, const IsName& is_name);

/// Warns of a plugin that names two links or joints, unless it only controls or publishes.
void warn_about_plugin(xml::Document& document, pugi::xml_node plugin, const IsName& is_name);
/// Warns of an element, unknown to the format, that names a link or joint.
void warn_about_unknown(xml::Document& document, pugi::xml_node element, const IsName& is_name);

/// Adds the coupling, unless the follower already has an equal one; another one is a warning. The joints are
/// those of the robot.
void add_mimic(xml::Document& document, pugi::xml_node element, const PluginMimic& mimic,
               RobotDescription& robot);
/// Warns that a name in a plugin is not known.
void warn_about_name(xml::Document& document, pugi::xml_node element, const std::string& name,
                     const char* expected);

}  // namespace grbda
