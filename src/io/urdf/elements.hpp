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

// The elements of URDF and URDF+, one function each. They read what the file
// says and resolve no names.

namespace grbda::urdf {

/// What is known of the whole file while its elements are read.
struct Context {
    xml::Document& document;
    bool quaternions = false;                            ///< version 1.1 or later: <origin quat_xyzw> exists
    std::map<std::string, Eigen::Vector4d> colors = {};  ///< of materials, by name
    std::set<std::string> children = {};                 ///< links that a joint has as its child
};

/// The types of a table of facts by their names.
template <class Table>
auto keywords_of(const Table& table) {
    xml::Keywords<decltype(table[0].type)> keywords;
    for (const auto& facts : table) keywords.emplace_back(facts.name, facts.type);
    return keywords;
}

/// <inertial> of a link, or of a rod between the ends of a loop.
Inertial read_inertial(Context& context, pugi::xml_node element, FigurePlaces& places);
LinkDescription read_link(Context& context, pugi::xml_node element);
/// <visual>, <collision> and <shape> in a link. A <collision visual="true"> is one shape with an equal
/// <visual> right before it, which is there for readers that know no such attribute.
void read_shapes(Context& context, pugi::xml_node link, std::vector<ShapeDescription>& shapes);
/// Colours of the materials that have a name; of several, that of the first.
std::map<std::string, Eigen::Vector4d> read_materials(Context& context);
JointDescription read_joint(Context& context, pugi::xml_node element);
/// The <mimic> in a joint as q_this - multiplier q_leader - offset = 0; empty without one.
std::optional<CouplingDescription> read_mimic(Context& context, pugi::xml_node joint);

LoopDescription read_loop(Context& context, pugi::xml_node element);
CouplingDescription read_coupling(Context& context, pugi::xml_node element);

/// Tells whether a <gazebo> has sensors and nothing else.
bool has_sensors_alone(pugi::xml_node gazebo);
/// Warnings for forces in elements that are not read otherwise.
void warn_about_gazebo(Context& context, pugi::xml_node element);
void warn_about_joint_properties(Context& context, pugi::xml_node joint);
TendonDescription read_tendon(Context& context, pugi::xml_node element);
CombinedCoordinate read_coordinate(Context& context, pugi::xml_node element);
FrameDescription read_frame(Context& context, pugi::xml_node element);
/// What the robot's joints and frames are used for, all of it: motors, start, states, order of coordinates,
/// tool frames, gravity. After links, joints and frames: their names are looked up, since the description
/// keeps no places for these.
void read_roles(Context& context, RobotDescription& robot);
/// Parts of the mechanism that stand where URDF has no place for them are errors or warnings.
void check_places(Context& context);
/// Refused there.
bool is_include(pugi::xml_node element);
/// Between one joint and one motor: its reduction and rotor belong to the joint.
bool is_simple_transmission(pugi::xml_node element);
/// An element that read_roles reads.
bool is_role(pugi::xml_node element);

/// The <origin> in an element; identity without one.
Pose read_origin(Context& context, pugi::xml_node element);
/// A child element that names a link, as link= or name=.
std::string read_link_reference(Context& context, pugi::xml_node element, const char* child);
/// <axis> or <axis2>; without one, the axis stays what it is.
void read_axis(Context& context, pugi::xml_node element, Figure figure, Eigen::Vector3d& axis,
               FigurePlaces& places);
/// <pitch value> of a helical joint or loop.
double read_pitch(Context& context, pugi::xml_node element, FigurePlaces& places);
/// At least one number, all finite; else an error, and none.
std::vector<double> read_numbers(Context& context, pugi::xml_node element, const char* attribute);
/// One note for the attributes of other names.
void note_unused_attributes(Context& context, pugi::xml_node element,
                            std::initializer_list<std::string_view> names);

}  // namespace grbda::urdf
