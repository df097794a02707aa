#pragma once

#include <optional>
#include <string>

#include "grbda/description.hpp"
#include "xml.hpp"

// The elements of URDF and URDF+, one function each. They read what the file
// says and resolve no names.

namespace grbda::urdf {

/// What is known of the whole file while its elements are read.
struct Context {
    xml::Document& document;
    bool quaternions = false;  ///< version 1.1 or later: <origin quat_xyzw> exists
};

LinkDescription read_link(Context& context, pugi::xml_node element);
JointDescription read_joint(Context& context, pugi::xml_node element);
/// The <mimic> in a joint as q_this - multiplier q_leader - offset = 0; empty without one.
std::optional<LinearCouplingDescription> read_mimic(Context& context, pugi::xml_node joint);

LoopDescription read_loop(Context& context, pugi::xml_node element);
bool is_linear(pugi::xml_node coupling);
CouplingDescription read_coupling(Context& context, pugi::xml_node element);
LinearCouplingDescription read_linear_coupling(Context& context, pugi::xml_node element);

/// The <origin> in an element; identity without one.
Pose read_origin(Context& context, pugi::xml_node element);
/// A child element that names a link, as link= or name=.
std::string read_link_reference(Context& context, pugi::xml_node element, const char* child);
/// <axis> or <axis2>, as given but never zero.
Eigen::Vector3d read_axis(Context& context, pugi::xml_node element, const char* child,
                          const Eigen::Vector3d& otherwise);
/// The two axes of a universal joint span a plane.
void check_universal_axes(Context& context, pugi::xml_node element, const Eigen::Vector3d& axis,
                          const Eigen::Vector3d& axis2);

}  // namespace grbda::urdf
