#pragma once

#include <string>
#include <vector>

#include "grbda/mechanism.hpp"
#include "grbda/table.hpp"
#include "io/text/xml_text.hpp"
#include "io/write/layout.hpp"

// The parts of write_urdf. A reader's conversions (angles to matrices, axes to unit length) are applied
// beforehand until they change nothing, so that writing a file that was read gives the same text.

namespace grbda::urdf {

using writing::FreeNames;
using writing::Layout;
using writing::LinkEntry;
using writing::PlacedShape;

void write_shapes(const std::vector<PlacedShape>& shapes, xml::Text& text);

void write_origin(const Pose& pose, xml::Text& text);
void write_inertial(const Inertial& inertial, xml::Text& text);
void write_axes(int count, const Eigen::Vector3d& axis, const Eigen::Vector3d& axis2, xml::Text& text);

/// Number of leading couplings that can be <mimic> in their joints, without changing the order of rows.
std::size_t leading_mimics(const Mechanism& mechanism);

/// Writes loops, and the couplings from index `first` on. Throws std::invalid_argument
/// if a coupling has no form in URDF+, which make_mechanism excludes.
void write_constraints(const Mechanism& mechanism, const Layout& layout, std::size_t first, xml::Text& text);

void write_tendons(const Mechanism& mechanism, xml::Text& text);

/// A joint's position, with a quaternion that reading does not change.
std::vector<double> settled_position(const std::vector<double>& position);

/// Writes motors, start, states, order of coordinates, tool frames, gravity.
void write_roles(const Mechanism& mechanism, xml::Text& text);

}  // namespace grbda::urdf
