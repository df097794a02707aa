#pragma once

#include <string>
#include <vector>

#include "grbda/table.hpp"
#include "grbda/mechanism.hpp"
#include "io/text/xml_text.hpp"
#include "io/write/layout.hpp"

// The parts of write_urdf. What a reader does to numbers (angles to matrices, axes to unit length) is done
// beforehand until it changes nothing, so that writing what was read gives the same text.

namespace grbda::urdf {

using writing::FreeNames;
using writing::Layout;
using writing::LinkEntry;
using writing::PlacedShape;

void write_shapes(const std::vector<PlacedShape>& shapes, xml::Text& text);

void write_origin(const Pose& pose, xml::Text& text);
void write_inertial(const Inertial& inertial, xml::Text& text);
void write_axes(int count, const Eigen::Vector3d& axis, const Eigen::Vector3d& axis2, xml::Text& text);

/// How many of the first couplings can be written as <mimic> in their joints, without another order of rows.
std::size_t leading_mimics(const Mechanism& mechanism);

/// Loops, and the couplings from index `first` on. Throws std::invalid_argument where a coupling has no form
/// in URDF+, which make_mechanism gives none.
void write_constraints(const Mechanism& mechanism, const Layout& layout, std::size_t first, xml::Text& text);

void write_tendons(const Mechanism& mechanism, xml::Text& text);

/// A joint's position, with a quaternion that reading leaves as it is.
std::vector<double> settled_position(const std::vector<double>& position);

/// Motors, start, states, order of coordinates, tool frames, gravity.
void write_roles(const Mechanism& mechanism, xml::Text& text);

}  // namespace grbda::urdf
