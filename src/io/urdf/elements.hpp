#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "grbda/description.hpp"
#include "io/text/xml.hpp"

// The elements of URDF and URDF+, with one function each.
// They read the content of the file and do not resolve names.

namespace grbda::urdf {

/// Data on the whole file while its elements are read.
struct Context {
    xml::Document& document;
    bool quaternions = false;                            ///< version 1.1 or later: <origin quat_xyzw> exists
    std::map<std::string, Eigen::Vector4d> colors = {};  ///< of materials, by name
    std::set<std::string> children = {};                 ///< links that are some joint's child
};

/// Maps the names in a table of facts to its types.
template <class Table>
auto keywords_of(const Table& table) {
    xml::Keywords<decltype(table[0].type)> keywords;
    for (const auto& facts : table) keywords.emplace_back(facts.name, facts.type);
    return keywords;
}

/// <inertial> of a link, or of a rod between the ends of a loop.
Inertial read_inertial(Context& context, pugi::xml_node element, FigurePlaces& places);
LinkDescription read_link(Context& context, pugi::xml_node element);
/// Reads <visual>, <collision> and <shape> in a link. A <collision visual="true"> is one shape
/// with an equal <visual> just before it, which serves readers that ignore this attribute.
void read_shapes(Context& context, pugi::xml_node link, std::vector<ShapeDescription>& shapes);
/// Colours of the materials with a name; if several share it, that of the first.
std::map<std::string, Eigen::Vector4d> read_materials(Context& context);
JointDescription read_joint(Context& context, pugi::xml_node element);
/// Reads the <mimic> in a joint as q_this - multiplier q_leader - offset = 0; empty without one.
std::optional<CouplingDescription> read_mimic(Context& context, pugi::xml_node joint);

LoopDescription read_loop(Context& context, pugi::xml_node element);
CouplingDescription read_coupling(Context& context, pugi::xml_node element);

/// True if a <gazebo> has only sensors and plugins that are read.
bool is_all_read(pugi::xml_node gazebo);
/// True for a plugin that connects links or couples joints.
bool is_read_plugin(pugi::xml_node plugin);
/// Reads these plugins, and mimics in <ros2_control>; warns of other plugins that name links or joints. Call
/// it after links, joints, loops and couplings are read.
void read_plugins(Context& context, RobotDescription& robot);
/// Warns of forces in elements that are not read otherwise.
void warn_about_gazebo(Context& context, pugi::xml_node element);
void warn_about_joint_properties(Context& context, pugi::xml_node joint);
TendonDescription read_tendon(Context& context, pugi::xml_node element);
CombinedCoordinate read_coordinate(Context& context, pugi::xml_node element);
FrameDescription read_frame(Context& context, pugi::xml_node element);
/// Reads the use of the robot's joints and frames: motors, start, states, order of
/// coordinates, tool frames, gravity. Call it after links, joints and frames are read:
/// it looks up their names, since the description stores no source locations for these.
void read_roles(Context& context, RobotDescription& robot);
/// Reports misplaced parts of the mechanism as errors or warnings.
void check_places(Context& context);
/// True for elements that check_places refuses.
bool is_include(pugi::xml_node element);
/// True for a transmission between one joint and one motor: its reduction and rotor belong to the joint.
bool is_simple_transmission(pugi::xml_node element);
/// True for an element that read_roles reads.
bool is_role(pugi::xml_node element);

/// The <origin> in an element; identity without one.
Pose read_origin(Context& context, pugi::xml_node element);
/// Reads a child element that names a link by link= or name=.
std::string read_link_reference(Context& context, pugi::xml_node element, const char* child);
/// Reads <axis> or <axis2>; without one, the axis is unchanged.
void read_axis(Context& context, pugi::xml_node element, Figure figure, Eigen::Vector3d& axis,
               FigurePlaces& places);
/// Reads <pitch value> of a helical joint or loop.
double read_pitch(Context& context, pugi::xml_node element, FigurePlaces& places);
/// Returns at least one number, all finite; otherwise reports an error and returns none.
std::vector<double> read_numbers(Context& context, pugi::xml_node element, const char* attribute);
/// Adds one note on the attributes with other names.
void note_unused_attributes(Context& context, pugi::xml_node element,
                            std::initializer_list<std::string_view> names);

}  // namespace grbda::urdf
